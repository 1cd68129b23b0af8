/**
 * Evaluates choices among untrained options: BFCL rows with unseen functions, held-back phrasings, API-Bank and
 * When2Call. When2Call is derived from BFCL, so its scorer is trained without the functions that both share. The
 * shipped scorer is evaluated on test splits. The baseline is the cosine of tf-idf vectors.
 */
import { areaUnderRoc, bootstrap95, calibrationError, mean } from "../../src/evaluate/metrics.ts";
import { openOptionsScorer, type OptionsScorer } from "../../src/options/load-options.ts";
import { trainOptions, type ChoiceRow } from "../../src/options/train-options.ts";
import type { Trunk } from "../../src/trunk/trunk.ts";
import { tfidfChoices } from "../tfidf-choices.ts";
import { CHOICE_FILES, fileFold, FORMS, isFunctionRow, judgedChoices, type NamedChoiceRow } from "../choice-rows.ts";
import { readCallsWithExamples } from "../function-calls.ts";
import { isApiBank, isWhen2Call, readApiBank, readWhen2Call } from "../foreign-choices.ts";
import { intervalOfShare, majorityOf } from "../judge-head.ts";
import { LANGUAGES } from "../phrasings.ts";
import { readOptionRows } from "../option-rows.ts";
import { CHOICE_FORMS, readOwnChoices } from "../own-choices.ts";
import { PLAIN_SOURCES } from "../plain-sets.ts";
import type { Column, Row } from "../table.ts";
import { drawsOf } from "./custom-heads.ts";
import { HELD_OUT, isSelected, type Evaluation } from "./evaluation.ts";
import { aurocInterval, figuresOfScope } from "./scope.ts";

const NAMED: readonly Column[] = [
  { key: "task", title: "options", width: 21 },
  { key: "folds", title: "folds", width: 8 },
];
const COLUMNS: readonly Column[] = [
  ...NAMED,
  { key: "n", title: "n", width: 6 },
  { key: "route", title: "route", width: 7, as: "share" },
  { key: "route_ci95", title: "95 %", width: 11, as: "share" },
  { key: "tfidf", title: "tf-idf", width: 8, as: "share" },
  { key: "chance", title: "chance", width: 8, as: "share" },
  { key: "majority", title: "majority", width: 10, as: "share" },
  { key: "ece", title: "ECE", width: 6, as: "share" },
  { key: "ece_ci95", title: "95 %", width: 11, as: "share" },
];
/** Columns for the same rows, limited to sets that include requests without a fitting option. */
const GATE_COLUMNS: readonly Column[] = [
  ...NAMED,
  { key: "calls", title: "calls", width: 7 },
  { key: "nones", title: "none", width: 7 },
  { key: "auroc", title: "AUROC", width: 7, as: "share" },
  { key: "auroc_ci95", title: "95 %", width: 11, as: "share" },
  { key: "fpr95", title: "FPR95", width: 7, as: "share" },
  { key: "in_scope_at_85", title: "in@85", width: 7, as: "share" },
  { key: "balanced", title: "balanced", width: 9, as: "share" },
  { key: "through", title: "through", width: 8, as: "share" },
  { key: "tfidf_auroc", title: "tf-idf", width: 8, as: "share" },
];

interface DecidedChoice {
  readonly label: string;
  readonly right: boolean;
  readonly confidence: number;
  readonly fits: number;
  readonly passes: boolean;
}

interface Judged {
  readonly task: string;
  readonly folds: string;
  readonly rows: readonly ChoiceRow[];
  readonly decided: readonly DecidedChoice[];
}

export function evaluateOptions(evaluation: Evaluation): void {
  if (!isSelected(evaluation, "options")) return;
  const { data, trunk, shipped, quick } = evaluation;
  const print = evaluation.table("options", COLUMNS);
  const gated: Row[] = [];
  const report = ({ task, folds, rows, decided }: Judged) => {
    const row: Row = { task, folds, ...figuresOfChoices(rows, decided, drawsOf(quick)) };
    print(row);
    if (row["nones"] !== 0) gated.push(row);
  };

  evaluation.attempt("options, BFCL", () => {
    evaluation.say("options: BFCL, grouped by functions");
    const { requests, calls, rows, documents } = readOptionRows(data, trunk, { quick });
    const byFunctions = unseenChoices(trunk, rows, documents);
    for (const form of FORMS) {
      const part = (task: string, file: string | null) =>
        partOf(requests, byFunctions.decided, {
          task,
          folds: form,
          applies: (row) => row.form === form && isOf(file, row),
        });
      for (const file of CHOICE_FILES) report(part(nameOf(file), file));
      report(part("call or none", null));
    }
    for (const language of LANGUAGES)
      for (const form of FORMS)
        report(
          partOf(calls, byFunctions.decided.slice(requests.length), {
            task: `function calls ${language}`,
            folds: form,
            applies: (row) => row.language === language && row.form === form,
          }),
        );
    for (const language of LANGUAGES)
      report(
        judged(trunk, byFunctions.scorer, {
          task: `the same, ${language}, examples`,
          rows: readCallsWithExamples(data).filter((row) => row.language === language && row.form === "schema"),
        }),
      );
    for (const source of quick ? [] : PLAIN_SOURCES)
      report(
        partOf(rows, byFunctions.decided, {
          task: source,
          folds: "sets",
          applies: (row) => row.use === "gate" && row.group === source,
        }),
      );
    for (const language of ["en", "fr"] as const)
      for (const form of CHOICE_FORMS)
        report(
          judged(trunk, byFunctions.scorer, {
            task: `choices ${language} ${form}`,
            rows: readOwnChoices(language, form),
          }),
        );
    report(judged(trunk, byFunctions.scorer, { task: "API-Bank", rows: readApiBank(data) }));
    if (quick) return;
    evaluation.say("options: BFCL, folds of the file");
    const refolded = requests.map((row) => ({ ...row, group: fileFold(row.options) }));
    const applies = (row: NamedChoiceRow) => row.form === "schema" && isOf(CHOICE_FILES[1], row);
    const decided = unseenChoices(trunk, refolded, documents).decided;
    report(partOf(refolded, decided, { task: nameOf(CHOICE_FILES[1]), folds: "of file", applies }));
  });
  evaluation.attempt("options, When2Call", () => {
    const rows = readWhen2Call(data);
    report(judged(trunk, withoutFunctionsOf(rows, evaluation), { task: "When2Call", rows }));
  });

  const shippedRow = (task: string, rows: readonly ChoiceRow[] | undefined) => {
    if (rows === undefined || rows.length === 0) print({ task, folds: "test", n: HELD_OUT });
    else report({ ...judged(shipped.trunk, shipped.options, { task, rows }), folds: "test" });
  };
  const functions = (file: string) => evaluation.test(file, isFunctionRow) ?? [];
  evaluation.attempt("options, test splits", () => {
    const multiple = functions("choice/bfcl_live_multiple_test.jsonl");
    const irrelevance = functions("gate/bfcl_live_irrelevance_test.jsonl");
    const isBoth = multiple.length > 0 && irrelevance.length > 0;
    shippedRow("live_multiple", judgedChoices(multiple));
    shippedRow("live_multiple, names", judgedChoices(multiple, "names"));
    shippedRow("live_irrelevance", judgedChoices(irrelevance));
    shippedRow("call or none", isBoth ? judgedChoices([...multiple, ...irrelevance]) : []);
    shippedRow("call or none, names", isBoth ? judgedChoices([...multiple, ...irrelevance], "names") : []);
    const apiBank = evaluation.test("tools/apibank_test.jsonl", isApiBank);
    shippedRow("API-Bank", apiBank === null ? [] : readApiBank(data, apiBank));
    const when2Call = evaluation.test("action/when2call_test.jsonl", isWhen2Call);
    shippedRow("When2Call", when2Call === null ? [] : readWhen2Call(data, when2Call));
  });
  const gate = evaluation.table("call or none", GATE_COLUMNS);
  for (const row of gated) gate(row);
}

/** Results of weights, gate and calibrators that had not seen the functions, and the scorer of all rows. */
export function unseenChoices(trunk: Trunk, rows: readonly ChoiceRow[], documents?: readonly string[]) {
  const { bytes, unseen } = trainOptions(trunk, { rows, ...(documents !== undefined && { documents }) });
  return { decided: unseen, scorer: openOptionsScorer(bytes, trunk) };
}

function withoutFunctionsOf(rows: readonly ChoiceRow[], { data, trunk }: Evaluation): OptionsScorer {
  const { rows: training, documents } = readOptionRows(data, trunk, { quick: true });
  const names = new Set(rows.flatMap(({ options }) => options.map(({ label }) => label)));
  const touched = new Set(
    training
      .filter(({ use, options }) => use === "all" && options.some(({ label }) => names.has(label)))
      .map(({ group }) => group),
  );
  const untouched = training.filter(({ group }) => !touched.has(group));
  return openOptionsScorer(trainOptions(trunk, { rows: untouched, documents }).bytes, trunk);
}

function isOf(file: string | null, row: NamedChoiceRow): boolean {
  return file === null || row.file === file;
}

function partOf<T extends ChoiceRow>(
  rows: readonly T[],
  decided: readonly DecidedChoice[],
  { task, folds, applies }: { readonly task: string; readonly folds: string; readonly applies: (row: T) => boolean },
): Judged {
  const selected = [...rows.keys()].filter((row) => applies(rows[row]));
  return { task, folds, rows: selected.map((row) => rows[row]), decided: selected.map((row) => decided[row]) };
}

function judged(
  trunk: Trunk,
  scorer: OptionsScorer,
  { task, rows }: { readonly task: string; readonly rows: readonly ChoiceRow[] },
): Judged {
  const decided = rows.map(({ text, context, options, expected }): DecidedChoice => {
    const vocabulary = scorer.vocabulary(options);
    const { choice, confidence, fits, outOfScope } = scorer.decide(trunk.encode(text, context), vocabulary);
    const label = vocabulary.labels[choice];
    return { label, right: label === expected, confidence, fits, passes: !outOfScope };
  });
  return { task, folds: "-", rows, decided };
}

function figuresOfChoices(rows: readonly ChoiceRow[], decided: readonly DecidedChoice[], draws: number): Row {
  const baseline = tfidfChoices(rows);
  const all = [...rows.keys()];
  const choices = all.filter(
    (row) => rows[row].options.length > 1 && rows[row].options.some(({ label }) => label === rows[row].expected),
  );
  const right = decided.map((decision) => (decision.right ? 1 : 0));
  const confidence = decided.map((decision) => decision.confidence);
  const isRight = choices.map((row) => right[row]);
  return {
    n: rows.length,
    ...(choices.length === 0
      ? { route: null, route_ci95: null, tfidf: null, chance: null, majority: null, ece: null }
      : {
          route: mean(isRight),
          route_ci95: intervalOfShare(isRight, draws),
          tfidf: mean(choices.map((row) => (baseline[row].label === rows[row].expected ? 1 : 0))),
          chance: mean(choices.map((row) => 1 / rows[row].options.length)),
          majority: majorityOf(choices.map((row) => rows[row].expected)),
          ece: calibrationError(confidence, right),
          ece_ci95: bootstrap95(
            all.length,
            (drawn) =>
              calibrationError(
                Array.from(drawn, (row) => confidence[row]),
                Array.from(drawn, (row) => right[row]),
              ),
            { draws },
          ),
        }),
    ...callOrNone(rows, { decided, baseline, draws }),
  };
}

/** Evaluates whether any option fits: the gate should reject requests without a fitting option. */
function callOrNone(
  rows: readonly ChoiceRow[],
  {
    decided,
    baseline,
    draws,
  }: {
    readonly decided: readonly DecidedChoice[];
    readonly baseline: readonly { readonly score: number }[];
    readonly draws: number;
  },
): Row {
  const calls = [...rows.keys()].filter((row) => rows[row].expected !== null);
  const nones = [...rows.keys()].filter((row) => rows[row].expected === null);
  const sides = { calls: calls.length, nones: nones.length };
  const through = (among: readonly number[]) => mean(among.map((row) => (decided[row].passes ? 1 : 0)));
  if (nones.length === 0) return sides;
  if (calls.length === 0) return { ...sides, kept_out: 1 - through(nones) };
  const { auroc, fpr95, inScopeAt85, inside, outside } = figuresOfScope(
    calls.map((row) => ({ score: decided[row].fits, right: decided[row].right })),
    nones.map((row) => decided[row].fits),
  );
  const scores = (among: readonly number[]) => among.map((row) => baseline[row].score);
  return {
    ...sides,
    auroc,
    auroc_ci95: aurocInterval(inside, outside, draws),
    fpr95,
    in_scope_at_85: inScopeAt85,
    tfidf_auroc: areaUnderRoc(scores(calls), scores(nones)),
    balanced: (through(calls) + 1 - through(nones)) / 2,
    through: through(calls.filter((row) => decided[row].right)),
  };
}

function nameOf(file: string): string {
  return file.replace(/^\w+\/bfcl_|(?:_dev)?\.jsonl$/g, "");
}
