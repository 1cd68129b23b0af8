/**
 * Choices among options that nobody trained for. BFCL on rows whose functions the weights had not seen (grouped by shared functions,
 * and by the folds of the file), what people say to the experts with their routes in a sentence each (held-back templates), API-Bank
 * and When2Call, which are never trained on; When2Call is built on BFCL, so the scorer for it is trained without the rows that share
 * a function with it. Beside each the cosine of tf-idf vectors.
 */
import { areaUnderRoc, calibrationError, mean } from "../../src/evaluate/metrics.ts";
import { openOptionsScorer } from "../../src/options/open-options.ts";
import { trainOptions, type ChoiceRow, type UnseenChoice } from "../../src/options/train-options.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { tfidfChoices } from "../baselines.ts";
import { CHOICE_FILES, fileFold, readChoiceRows, type NamedChoiceRow } from "../choice-rows.ts";
import { readApiBank, readPhrasedChoices, readWhen2Call } from "../foreign-choices.ts";
import { resized, yesOrNo } from "../option-sets.ts";
import { percent, printTable } from "../table.ts";
import { isWanted, readTrunk, type Evaluation } from "./evaluation.ts";

interface Judged {
  readonly task: string;
  readonly folds: string;
  readonly rows: readonly ChoiceRow[];
  readonly decided: readonly UnseenChoice[];
  readonly gateFloor: number;
}

export function evaluateOptions(evaluation: Evaluation): void {
  if (!isWanted(evaluation, "options")) return;
  const trunk = readTrunk(evaluation, "trunk", "npm run train:trunk");
  if (trunk === null) return;
  const { data } = evaluation;
  const asked = readChoiceRows(data);
  const print = printTable([
    ["options", 18],
    ["folds", 11],
    ["n", 6],
    ["route", 7],
    ["tf-idf", 8],
    ["chance", 8],
    ["majority", 10],
    ["ECE", 6],
    ["call AUROC", 12],
    ["tf-idf", 8],
    ["balanced", 8],
  ]);
  const report = ({ task, folds, rows, decided, gateFloor }: Judged) =>
    print([task, folds, ...figures(rows, decided, gateFloor)]);

  const made = evaluation.quick ? [] : [...yesOrNo(asked), ...resized(asked, trunk)];
  const byFunctions = trainOptions(trunk, { rows: [...asked, ...made] });
  for (const file of CHOICE_FILES) report(part(asked, byFunctions, { task: nameOf(file), folds: "functions", file }));
  report(part(asked, byFunctions, { task: "call or none", folds: "functions", file: null }));
  const refolded = asked.map((row) => ({ ...row, group: fileFold(row.options) }));
  const byFile = trainOptions(trunk, { rows: refolded });
  report(part(refolded, byFile, { task: nameOf(CHOICE_FILES[1]), folds: "of file", file: CHOICE_FILES[1] }));

  for (const language of ["en", "fr"] as const)
    report(decided(trunk, byFunctions.bytes, { task: `routes ${language}`, rows: readPhrasedChoices(language) }));
  report(decided(trunk, byFunctions.bytes, { task: "API-Bank", rows: readApiBank(data) }));
  const when2Call = readWhen2Call(data);
  const names = new Set(when2Call.flatMap(({ options }) => options.map(({ label }) => label)));
  const touched = new Set(
    asked.filter(({ options }) => options.some(({ label }) => names.has(label))).map(({ group }) => group),
  );
  const without = trainOptions(trunk, { rows: asked.filter(({ group }) => !touched.has(group)) });
  report(decided(trunk, without.bytes, { task: "When2Call", rows: when2Call, gateFloor: without.gateFloor }));
}

function part(
  rows: readonly NamedChoiceRow[],
  { unseen, gateFloor }: ReturnType<typeof trainOptions>,
  { task, folds, file }: { readonly task: string; readonly folds: string; readonly file: string | null },
): Judged {
  const kept = [...rows.keys()].filter((row) => file === null || rows[row].file === file);
  return { task, folds, rows: kept.map((row) => rows[row]), decided: kept.map((row) => unseen[row]), gateFloor };
}

function decided(
  trunk: Trunk,
  bytes: Uint8Array,
  {
    task,
    rows,
    gateFloor = 0,
  }: { readonly task: string; readonly rows: readonly ChoiceRow[]; readonly gateFloor?: number },
): Judged {
  const scorer = openOptionsScorer(bytes, trunk);
  const decided = rows.map(({ text, context, options, expected }) => {
    const vocabulary = scorer.vocabulary(options);
    const { choice, confidence, margin, fits } = scorer.decide(trunk.encode(text, context), vocabulary);
    const label = vocabulary.labels[choice];
    return { label, right: label === expected, confidence, margin, fits };
  });
  return { task, folds: "-", rows, decided, gateFloor };
}

function figures(rows: readonly ChoiceRow[], decided: readonly UnseenChoice[], gateFloor: number): string[] {
  const baseline = tfidfChoices(rows);
  const choices = [...rows.keys()].filter(
    (row) => rows[row].options.length > 1 && rows[row].options.some(({ label }) => label === rows[row].expected),
  );
  const calls = [...rows.keys()].filter((row) => rows[row].expected !== null);
  const nones = [...rows.keys()].filter((row) => rows[row].expected === null);
  const through = (among: readonly number[]) => mean(among.map((row) => (decided[row].fits >= gateFloor ? 1 : 0)));
  const right = decided.map((one) => (one.right ? 1 : 0));
  const confidence = decided.map((one) => one.confidence);
  return [
    String(rows.length),
    ...(choices.length === 0
      ? ["-", "-", "-", "-", "-"]
      : [
          percent(mean(choices.map((row) => right[row]))),
          percent(mean(choices.map((row) => (baseline[row].label === rows[row].expected ? 1 : 0)))),
          percent(mean(choices.map((row) => 1 / rows[row].options.length))),
          percent(majority(choices.map((row) => rows[row]))),
          percent(calibrationError(confidence, right)),
        ]),
    ...(nones.length === 0
      ? ["-", "-", "-"]
      : [
          percent(
            auroc(
              decided.map(({ fits }) => fits),
              calls,
              nones,
            ),
          ),
          percent(
            auroc(
              baseline.map(({ score }) => score),
              calls,
              nones,
            ),
          ),
          percent((through(calls) + 1 - through(nones)) / 2),
        ]),
  ];
}

function auroc(scores: readonly number[], positives: readonly number[], negatives: readonly number[]): number {
  return areaUnderRoc(
    positives.map((row) => scores[row]),
    negatives.map((row) => scores[row]),
  );
}

/** Share of rows whose right option is the one that is right most often. */
function majority(rows: readonly ChoiceRow[]): number {
  const counts = [...Map.groupBy(rows, ({ expected }) => expected).values()].map((members) => members.length);
  return Math.max(0, ...counts) / rows.length;
}

function nameOf(file: string): string {
  return file.replace(/^\w+\/bfcl_|(?:_dev)?\.jsonl$/g, "");
}
