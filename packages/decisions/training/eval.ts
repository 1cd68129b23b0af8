/**
 * `npm run eval [-- --quick] [--trunks folder] [--only BANKING77,...]`: custom heads on data sets that the trunk has never seen
 * (leave-one-dataset-out trunks), chosen on `valid`, with two baselines in every row; and the team's phrasings by held-back template.
 * Prints a table: accuracy, that of a linear classifier over letters alone, macro F1, NLL, ECE, wrong ones at confidence 0.9 and above,
 * coverage at 95 % right; for scope the AUROC, and what is still right in scope where 85 % of the rest is recognised. Held-back test
 * splits are run by others.
 */
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openHead } from "../src/head/open-head.ts";
import { trainHead } from "../src/head/train-head.ts";
import { figuresOf, type Figures } from "../src/evaluate/metrics.ts";
import { areaUnderRoc } from "../src/evaluate/metrics.ts";
import { normaliseText } from "../src/text/normalise.ts";
import { openTrunk, type Trunk } from "../src/trunk/trunk.ts";
import { lettersBaseline } from "./baselines.ts";
import { openDataFolder, type DataFolder } from "./data-folder.ts";
import { isHeldBack, readPhrasings, type Language } from "./phrasings.ts";
import { INTENT_SETS, type IntentSet } from "./trunk-sources.ts";

interface Labelled {
  readonly text: string;
  readonly label: string;
}

const WIDTHS = [13, 11, 6, 9, 6, 7, 6, 6, 6, 7, 7, 9, 5];
const LABELLED = { texts: ["text", "label"] } as const;

const { values } = parseArgs({
  options: {
    trunks: { type: "string", default: "packages/decisions/artifacts" },
    only: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const found = openDataFolder();
if (found === null) throw new Error("The folder of training data is absent; TRIPTYCH_ROUTING_DATA names it.");
const data: DataFolder = found;
const wanted = values.only?.split(",") ?? [...INTENT_SETS, "phrasings"];

print(["task", "train", "acc", "letters", "F1", "NLL", "ECE", "w@.9", "c@95", "AUROC", "in@85", "part", "s"]);
for (const set of INTENT_SETS) {
  if (!wanted.includes(set)) continue;
  const trunk = trunkFor(set);
  if (trunk === null) continue;
  for (const shots of values.quick ? ["train_10"] : ["train_5", "train_10", "train"]) customHead(trunk, set, shots);
}
if (wanted.includes("phrasings")) {
  const shipped = `${values.trunks}/trunk.tptk`;
  if (existsSync(shipped)) phrasedExperts(openTrunk(readFileSync(shipped)));
}

function customHead(trunk: Trunk, set: IntentSet, shots: string): void {
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
  row(set, shots, { figures, letters: lettersBaseline(train, valid), scope, part: rejected ?? head.via, seconds });
}

function phrasedExperts(trunk: Trunk): void {
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
      row(`${expert} ${language}`, "phrasings", {
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

function trunkFor(set: IntentSet): Trunk | null {
  const file = `${values.trunks}/without-${set}.tptk`;
  if (existsSync(file)) return openTrunk(readFileSync(file));
  process.stderr.write(`${file} is absent: npm run train:trunk -- --without ${set} --out ${file}\n`);
  return null;
}

interface Row {
  readonly figures: Figures;
  readonly letters: number;
  readonly scope: { readonly auroc: number; readonly inScopeAt85: number } | null;
  readonly part: string;
  readonly seconds: number;
}

function row(task: string, train: string, { figures, letters, scope, part, seconds }: Row): void {
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

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function print(cells: readonly string[]): void {
  process.stdout.write(
    `${cells
      .map((cell, place) => cell.padEnd(WIDTHS[place]))
      .join("")
      .trimEnd()}\n`,
  );
}
