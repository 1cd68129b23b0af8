/**
 * Measures the engine alone on one thread: whole decisions (encoding, the head of `tools`, escalation, complexity,
 * domain) alternating with the classifier without a trunk, and the parts of a decision on the same texts.
 */
import { readFileSync } from "node:fs";
import { median, quantile } from "@triptych/util";
import { readHead } from "../src/head/head-file.ts";
import { addPlus } from "../src/head/logits.ts";
import { ARTIFACTS, type Artifacts } from "../src/bundled-models.ts";
import { tokenise } from "../src/text/tokenise.ts";
import { isHeldOut, readPhrasings } from "../training/phrasings.ts";
import { trainLinear, type LinearClassifier } from "./linear-classifier.ts";
import { microseconds, progress, type Figures, type Row } from "./report.ts";
import { generateTexts } from "./texts.ts";

const LENGTHS = [60, 2_000] as const;
const SHARES = [0.5, 0.95, 0.99] as const;
/** The parts of a decision, in order. `head` includes `plus`, and `encode` includes `tokenise`. */
const PARTS = ["tokenise", "encode", "head", "plus", "noul", "score", "domain"] as const;
const P50_BAR_MS = 0.06;
const P99_BAR_MS = 0.25;
const RATIO_BAR = 3;

export interface EnginePlan {
  readonly calls: number;
  readonly rounds: number;
}

export function measureEngine(artifacts: Artifacts, { calls, rounds }: EnginePlan): Figures {
  const linear = trainLinear(trainingRows());
  const decide = decider(artifacts);
  const parts = partsOf(artifacts);
  const figures = LENGTHS.map((characters) => {
    // Uses other texts than the measurement, to fill word caches and compile code.
    warmUp(generateTexts(calls / 2, characters, 2), { decide, linear, parts });
    const texts = generateTexts(calls, characters);
    const runs = Array.from({ length: rounds }, (_, round) => {
      const run = { ...timeDecisions(texts, decide, linear), parts: timeParts(texts, parts) };
      progress(`engine, ${characters} characters, round ${round + 1}: p50 ${microseconds(median(run.ours))}`);
      return run;
    });
    const over = (share: number, of: (run: (typeof runs)[number]) => Float64Array) =>
      median(runs.map((run) => quantile(of(run), share)));
    return {
      characters,
      ours: SHARES.map((share) => over(share, ({ ours }) => ours)),
      theirs: SHARES.map((share) => over(share, ({ theirs }) => theirs)),
      parts: PARTS.map((_, part) => SHARES.map((share) => over(share, (run) => run.parts[part]))),
    };
  });
  return {
    goals: figures.flatMap(({ characters, ours, theirs }) => goalsOf(characters, ours, theirs)),
    tables: figures.map(({ characters, ours, theirs, parts }) => ({
      title: `Engine alone, ${characters} characters, ${calls.toLocaleString("en-US")} calls x ${rounds} runs`,
      heads: ["part", "p50", "p95", "p99"],
      rows: [
        ["whole decision", ...ours.map(microseconds)],
        ...PARTS.map((part, index) => [`- ${part}`, ...parts[index].map(microseconds)]),
        [`tf-idf + linear, ${linear.features.toLocaleString("en-US")} features`, ...theirs.map(microseconds)],
      ],
    })),
  };
}

function goalsOf(characters: number, [p50, , p99]: readonly number[], [other]: readonly number[]): Row[] {
  const ratio = p50 / other;
  const isJudged = characters === LENGTHS[0];
  return [
    {
      goal: `engine, ${characters} characters`,
      bar: isJudged ? "p50 60 µs, p99 250 µs" : "",
      measured: `p50 ${microseconds(p50)}, p99 ${microseconds(p99)}`,
      met: isJudged ? p50 <= P50_BAR_MS && p99 <= P99_BAR_MS : null,
    },
    {
      goal: `engine against tf-idf + linear, ${characters} characters`,
      bar: "3 x",
      measured: `${ratio.toFixed(2)} x of ${microseconds(other)}`,
      met: ratio <= RATIO_BAR,
    },
  ];
}

type Decide = (state: string) => number;

function decider({ trunk, noul, score, domain, experts }: Artifacts): Decide {
  const tools = toolsOf(experts);
  return (state) => {
    const encoding = trunk.encode(state);
    const { confidence, margin, scope } = tools.decide(encoding);
    const { pYes } = noul.decide({ state, encoding, confidence, margin, scope });
    return pYes + score.decide({ state, encoding }).expected + domain.decide(encoding).confidence;
  };
}

/** In the order of PARTS. Each function returns the milliseconds that its part alone takes with prepared inputs. */
function partsOf({ trunk, noul, score, domain, experts }: Artifacts): readonly ((state: string) => number)[] {
  const tools = toolsOf(experts);
  const { plus, routes, lexicon } = readHead(readFileSync(new URL("experts/tools.tphd", ARTIFACTS)), trunk.sha256);
  const logits = new Float64Array(routes.length);
  return [
    (state) => timed(() => tokenise(state)),
    (state) => timed(() => trunk.encode(state)),
    (state) => timedOn(trunk.encode(state), (encoding) => tools.decide(encoding)),
    (state) =>
      timedOn(trunk.encode(state), ({ tokens }) => {
        if (plus !== null) addPlus(logits, plus, lexicon.featuresOf(tokens));
      }),
    (state) => timedOn(trunk.encode(state), (encoding) => noul.decide({ state, encoding, ...SURE })),
    (state) => timedOn(trunk.encode(state), (encoding) => score.decide({ state, encoding })),
    (state) => timedOn(trunk.encode(state), (encoding) => domain.decide(encoding)),
  ];
}

const SURE = { confidence: 0.9, margin: 0.8, scope: 0.9 } as const;

function timed(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function timedOn<T>(made: T, work: (made: T) => unknown): number {
  return timed(() => work(made));
}

function toolsOf(experts: Artifacts["experts"]) {
  const tools = experts.get("tools");
  if (tools === undefined) throw new Error("The release has no expert `tools`.");
  return tools;
}

interface Contestants {
  readonly decide: Decide;
  readonly linear: LinearClassifier;
  readonly parts: readonly ((state: string) => number)[];
}

function warmUp(texts: readonly string[], { decide, linear, parts }: Contestants): void {
  for (const text of texts) {
    decide(text);
    linear.decide(text);
    for (const part of parts) part(text);
  }
}

/** The order alternates from text to text. */
function timeDecisions(texts: readonly string[], decide: Decide, linear: LinearClassifier) {
  const ours = new Float64Array(texts.length);
  const theirs = new Float64Array(texts.length);
  for (const [index, text] of texts.entries())
    for (const variant of [index % 2, 1 - (index % 2)])
      if (variant === 0) ours[index] = timed(() => decide(text));
      else theirs[index] = timed(() => linear.decide(text));
  return { ours, theirs };
}

function timeParts(texts: readonly string[], parts: Contestants["parts"]): readonly Float64Array[] {
  return parts.map((part) => Float64Array.from(texts, part));
}

function trainingRows() {
  return (["en", "fr"] as const)
    .flatMap((language) => readPhrasings("tools", language))
    .filter((row) => !isHeldOut(row));
}
