/**
 * Heads made to order: on data sets that the trunk has never seen (leave-one-dataset-out trunks), chosen on `valid`, beside a linear
 * classifier over letters alone; and the experts of the team on held-back templates.
 */
import { openHead } from "../../src/head/open-head.ts";
import { trainHead } from "../../src/head/train-head.ts";
import { areaUnderRoc, figuresOf, type Figures } from "../../src/evaluate/metrics.ts";
import { normaliseText } from "../../src/text/normalise.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { lettersBaseline } from "../baselines.ts";
import type { DataFolder } from "../data-folder.ts";
import { isHeldBack, readPhrasings, type Language } from "../phrasings.ts";
import { percent, printTable } from "../table.ts";
import { INTENT_SETS, type IntentSet } from "../trunk-sources.ts";
import { isWanted, readTrunk, type Evaluation } from "./evaluation.ts";

interface Labelled {
  readonly text: string;
  readonly label: string;
}

const LABELLED = { texts: ["text", "label"] } as const;
const COLUMNS = [
  ["task", 13],
  ["train", 11],
  ["acc", 6],
  ["letters", 9],
  ["F1", 6],
  ["NLL", 7],
  ["ECE", 6],
  ["w@.9", 6],
  ["c@95", 6],
  ["AUROC", 7],
  ["in@85", 7],
  ["part", 9],
  ["s", 5],
] as const;
type Print = (cells: readonly string[]) => void;

export function evaluateHeads(evaluation: Evaluation): void {
  const print = printTable(COLUMNS);
  for (const set of INTENT_SETS) {
    if (!isWanted(evaluation, set)) continue;
    const name = `without-${set}`;
    const trunk = readTrunk(evaluation, name, `npm run train:trunk -- --without ${set} --out …/${name}.tptk`);
    if (trunk === null) continue;
    for (const shots of evaluation.quick ? ["train_10"] : ["train_5", "train_10", "train"])
      customHead(evaluation.data, trunk, { set, shots, print });
  }
  if (!isWanted(evaluation, "phrasings")) return;
  const trunk = readTrunk(evaluation, "trunk", "npm run train:trunk");
  if (trunk !== null) phrasedExperts(trunk, print);
}

interface CustomHead {
  readonly set: IntentSet;
  readonly shots: string;
  readonly print: Print;
}

function customHead(data: DataFolder, trunk: Trunk, { set, shots, print }: CustomHead): void {
  const train = data.rows(`intents/${set}/${shots}.jsonl`, "experts", LABELLED);
  const known = new Set(
    data.rows(`intents/${set}/train.jsonl`, "evaluation", LABELLED).map(({ text }) => normaliseText(text)),
  );
  const valid = data
    .rows(`intents/${set}/valid.jsonl`, "evaluation", LABELLED)
    .filter(({ text }) => !known.has(normaliseText(text)));
  const outside = set === "CLINC150" ? data.rows("oos/CLINC150/train.jsonl", "experts", LABELLED) : [];
  const began = performance.now();
  const { head, rejected } = learn(trunk, [
    ...train.map(({ text, label }) => ({ text, route: label })),
    ...outside.map(({ text }) => ({ text, route: null })),
  ]);
  const seconds = (performance.now() - began) / 1000;
  const figures = ask(trunk, head, valid);
  const scope =
    set === "CLINC150"
      ? scopeOf(trunk, head, valid, data.rows("oos/CLINC150/valid.jsonl", "evaluation", LABELLED))
      : null;
  row(print, [set, shots], {
    figures,
    letters: lettersBaseline(train, valid),
    scope,
    part: rejected ?? head.via,
    seconds,
  });
}

function phrasedExperts(trunk: Trunk, print: Print): void {
  for (const expert of ["tools", "helpdesk"] as const) {
    const texts = (["en", "fr"] as const).flatMap((language) => readPhrasings(expert, language));
    const train = texts.filter((text) => !isHeldBack(text));
    const began = performance.now();
    const { head, rejected } = learn(
      trunk,
      train.map(({ text, route, template }) => ({ text, route, group: template })),
    );
    const seconds = (performance.now() - began) / 1000;
    for (const language of ["en", "fr"] as const) {
      const valid = texts.filter((text) => isHeldBack(text) && text.language === language).map(labelled);
      const letters = lettersBaseline(train.filter((text) => text.language === language).map(labelled), valid);
      row(print, [`${expert} ${language}`, "phrasings"], {
        figures: ask(trunk, head, valid),
        letters,
        scope: null,
        part: rejected ?? head.via,
        seconds,
      });
    }
  }
}

function labelled({
  text,
  route,
}: {
  readonly text: string;
  readonly route: string;
  readonly language: Language;
}): Labelled {
  return { text, label: route };
}

function learn(
  trunk: Trunk,
  examples: readonly { readonly text: string; readonly route: string | null; readonly group?: string }[],
) {
  const routes = [...new Set(examples.flatMap(({ route }) => route ?? []))].map((route) => ({ route }));
  const { bytes, rejected } = trainHead(trunk, { name: "evaluated", routes, examples });
  return { head: openHead(bytes, trunk), rejected };
}

function ask(trunk: Trunk, head: ReturnType<typeof openHead>, rows: readonly Labelled[]): Figures {
  const places = new Map(head.routes.map(({ route }, place) => [route, place]));
  const decisions = rows.map(({ text }) => head.decide(trunk.encode(text)));
  const classes = head.routes.length;
  const probabilities = new Float64Array(rows.length * classes);
  for (const [place, decision] of decisions.entries()) probabilities.set(decision.probabilities, place * classes);
  return figuresOf({
    probabilities,
    classes,
    labels: Int32Array.from(rows, ({ label }) => places.get(label) ?? -1),
    confidence: Float64Array.from(decisions, ({ confidence }) => confidence),
  });
}

function scopeOf(
  trunk: Trunk,
  head: ReturnType<typeof openHead>,
  inside: readonly Labelled[],
  outside: readonly Labelled[],
) {
  const within = inside.map(({ text, label }) => ({ label, decision: head.decide(trunk.encode(text)) }));
  const without = outside.map(({ text }) => head.decide(trunk.encode(text)).confidence).toSorted((a, b) => a - b);
  const cut = without[Math.floor(0.85 * without.length)];
  const right = within.filter(
    ({ label, decision }) => decision.confidence > cut && head.routes[decision.choice].route === label,
  );
  return {
    auroc: areaUnderRoc(
      within.map(({ decision }) => decision.confidence),
      without,
    ),
    inScopeAt85: right.length / within.length,
  };
}

interface Row {
  readonly figures: Figures;
  readonly letters: number;
  readonly scope: { readonly auroc: number; readonly inScopeAt85: number } | null;
  readonly part: string;
  readonly seconds: number;
}

function row(
  print: Print,
  [task, train]: readonly [string, string],
  { figures, letters, scope, part, seconds }: Row,
): void {
  print([
    task,
    train,
    percent(figures.accuracy),
    percent(letters),
    percent(figures.macroF1),
    figures.nll.toFixed(3),
    percent(figures.ece),
    figures.wrongAt90 === null ? "-" : percent(figures.wrongAt90),
    percent(figures.coverageAt95),
    scope === null ? "-" : percent(scope.auroc),
    scope === null ? "-" : percent(scope.inScopeAt85),
    part,
    seconds.toFixed(1),
  ]);
}
