/**
 * What the evaluation of public intent sets requires: a head for each number of examples and each seed, baselines
 * without a trained trunk, and the evaluation rows. Everything is trained once and shared by all tasks.
 */
import { loadBackground } from "../src/background/background.ts";
import type { HeadExample } from "../src/head/examples.ts";
import { loadHead, type Head } from "../src/head/load-head.ts";
import { trainHead } from "../src/head/train-head.ts";
import { normaliseText } from "../src/text/readable.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import { isLabelled, type Labelled } from "./labelled-rows.ts";
import { trainOnTrunk, trainTfidf, trainWords, type Classifier } from "./linear-baselines.ts";
import { trunkWithout, type Evaluation, type JudgedTrunk } from "./tasks/evaluation.ts";
import { INTENT_SETS, type IntentSet } from "./trunk-sources.ts";

export interface IntentRows extends JudgedTrunk {
  /** Validation rows and, if available, test rows; none of them is in `train`. */
  readonly valid: readonly Labelled[];
  readonly test: readonly Labelled[] | null;
  /** Out-of-scope texts, if the set has them. */
  readonly outsideValid: readonly Labelled[];
  readonly outsideTest: readonly Labelled[] | null;
}

export interface LearnedHead {
  readonly head: Head;
  readonly rejected: string | null;
  readonly seconds: number;
}

export interface Baselines {
  readonly tfidf: Classifier;
  readonly words: Classifier;
  readonly random: Classifier;
}

export type Shots = "train_5" | "train_10" | "train";

export interface IntentHeads {
  rows(set: IntentSet): IntentRows;
  train(set: IntentSet, shots: Shots): readonly Labelled[];
  head(set: IntentSet, shots: Shots, seed: number): LearnedHead;
  baselines(set: IntentSet, shots: Shots): Baselines;
}

/** Labels that mean that no other label applies. */
const OUTSIDE: ReadonlySet<string> = new Set(["oos", "out_of_scope", "NO_NODES_DETECTED"]);
const LABELLED = { texts: ["text"], labels: ["label"] } as const;

export function createIntentHeads(evaluation: Evaluation, randomTrunk: () => Trunk): IntentHeads {
  const { data, say } = evaluation;
  const train = remembered((set: IntentSet, shots: Shots) =>
    data.rows(`intents/${set}/${shots}.jsonl`, "experts", LABELLED),
  );
  const rows = remembered((set: IntentSet): IntentRows => {
    const learnedTexts = new Set(
      data.rows(`intents/${set}/train.jsonl`, "evaluation", LABELLED).map(({ text }) => normaliseText(text)),
    );
    const isNew = ({ text }: Labelled) => !learnedTexts.has(normaliseText(text));
    const test = evaluation.test(`intents/${set}/test.jsonl`, isLabelled)?.filter(isNew) ?? null;
    const hasOutside = set === "CLINC150";
    return {
      ...trunkWithout(evaluation, set),
      valid: data.rows(`intents/${set}/valid.jsonl`, "evaluation", LABELLED).filter(isNew),
      test: test?.filter(isInside) ?? null,
      outsideValid: hasOutside ? data.rows(`oos/${set}/valid.jsonl`, "evaluation", LABELLED) : [],
      outsideTest: hasOutside
        ? (evaluation.test(`oos/${set}/test.jsonl`, isLabelled) ?? test?.filter((row) => !isInside(row)) ?? null)
        : [],
    };
  });
  const head = remembered((set: IntentSet, shots: Shots, seed: number) => {
    say(`${set}, ${shots}: head of seed ${seed}`);
    const outside = set === "CLINC150" ? data.rows("oos/CLINC150/train.jsonl", "experts", LABELLED) : [];
    return learnHead(rows(set).trunk, [...asExamples(train(set, shots)), ...asOutside(outside)], seed);
  });
  const baselines = remembered((set: IntentSet, shots: Shots) => {
    say(`${set}, ${shots}: baselines`);
    return trainBaselines(train(set, shots), randomTrunk());
  });
  return { rows, train, head, baselines };
}

export function trainBaselines(rows: readonly Labelled[], randomTrunk: Trunk): Baselines {
  return { tfidf: trainTfidf(rows), words: trainWords(rows), random: trainOnTrunk(randomTrunk, rows) };
}

export function learnHead(
  trunk: Trunk,
  examples: readonly HeadExample[],
  seed: number,
  outOfScopeShare?: number,
): LearnedHead {
  const began = performance.now();
  const routes = [...new Set(examples.flatMap(({ route }) => route ?? []))].map((route) => ({ route }));
  const { bytes, rejected } = trainHead(trunk, {
    name: "evaluated",
    routes,
    examples,
    seed,
    // The same texts that the router trains heads with.
    background: loadBackground(),
    ...(outOfScopeShare !== undefined && { outOfScopeShare }),
  });
  return { head: loadHead(bytes, trunk), rejected, seconds: (performance.now() - began) / 1000 };
}

export function isInside({ label }: Labelled): boolean {
  return !OUTSIDE.has(label);
}

export function asExamples(rows: readonly Labelled[]): HeadExample[] {
  return rows.map(({ text, label }) => ({ text, route: label }));
}

export function asOutside(rows: readonly Labelled[]): HeadExample[] {
  return rows.map(({ text }) => ({ text, route: null }));
}

export function isIntentSet(name: string): name is IntentSet {
  return INTENT_SETS.some((set) => set === name);
}

/** Memoized: computed on first use. */
function remembered<Key extends readonly (string | number)[], Value>(make: (...key: Key) => Value) {
  const cache = new Map<string, Value>();
  return (...key: Key): Value => {
    const name = key.join(" ");
    const before = cache.get(name);
    if (before !== undefined) return before;
    const made = make(...key);
    cache.set(name, made);
    return made;
  };
}
