/**
 * Runs all evaluation tasks in order. A failed part is recorded in the report and the others continue; the report is
 * written after every table, so that an early exit loses nothing.
 */
import { cpus, loadavg } from "node:os";
import type { ShippedArtifacts } from "../src/bundled-models.ts";
import type { Trunk } from "../src/trunk/trunk.ts";
import type { DataFolder } from "./data-folder.ts";
import { createIntentHeads } from "./intent-heads.ts";
import type { LearnedTexts } from "./training-texts.ts";
import type { Report } from "./report.ts";
import { printTable } from "./table.ts";
import { evaluateComplexity } from "./tasks/complexity.ts";
import { evaluateHeads } from "./tasks/custom-heads.ts";
import { evaluateDisjointness } from "./tasks/disjointness.ts";
import { evaluateDomain } from "./tasks/domain.ts";
import { evaluateEscalation } from "./tasks/escalation.ts";
import type { Evaluation } from "./tasks/evaluation.ts";
import { evaluateOptions } from "./tasks/options.ts";
import { evaluatePeers } from "./tasks/peers.ts";
import { evaluateExperts } from "./tasks/phrased-experts.ts";
import { evaluateMixedRisk } from "./tasks/mixed-risk.ts";
import { evaluateRisk } from "./tasks/risk-coverage.ts";
import { evaluateRobustness } from "./tasks/robustness.ts";
import { evaluateScope } from "./tasks/scope.ts";
import { openTests, testNames } from "./test-folder.ts";

export interface EvaluationInput {
  readonly data: DataFolder;
  readonly testFolder: string | null;
  readonly isTraining: (file: string) => boolean;
  readonly learned: LearnedTexts;
  readonly shipped: ShippedArtifacts;
  readonly trunk: Trunk;
  readonly trunks: string;
  /** An untrained trunk of the same size; created on first use. */
  readonly randomTrunk: () => Trunk;
  readonly quick: boolean;
  /** Only compares heads with other classifiers. */
  readonly peers?: boolean;
  readonly seeds: readonly number[];
  readonly only: readonly string[] | null;
  readonly write: (line: string) => void;
  readonly say: (message: string) => void;
  readonly keep: (report: Report) => void;
}

/** The values of --only, apart from the names of intent sets. */
export const TASKS = [
  "disjointness",
  "BANKING77",
  "CLINC150",
  "HWU64",
  "HINT3",
  "phrasings",
  "scope",
  "options",
  "escalation",
  "complexity",
  "domain",
  "max_error",
  "robustness",
] as const;

export function runEvaluation(input: EvaluationInput): Report {
  const { data, shipped, trunk, trunks, quick, seeds, only, say, write, keep, testFolder, isTraining, learned } = input;
  const tests = openTests({ testFolder, beside: data.path, isTraining, learned: learned.all, say });
  const report: Report = {
    version: 2,
    quick,
    complete: false,
    seeds,
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      node: process.version,
      load: loadavg()[0],
    },
    trunk: trunk.sha256,
    tables: {},
    tests: { read: tests.read, heldBack: [], unread: [] },
    failures: [],
  };
  const heldOut = new Set<string>();
  const evaluation: Evaluation = {
    data,
    tests,
    shipped,
    trunk,
    trunks,
    quick,
    seeds,
    only,
    say,
    table(name, columns) {
      const table = { columns, rows: [] };
      const print = printTable(columns, write);
      return (row) => {
        const stored = (report.tables[name] ??= table);
        if (stored.rows.length === 0) write("\n");
        stored.rows.push(row);
        print(row);
        keep(report);
      };
    },
    attempt(what, run) {
      try {
        run();
      } catch (error) {
        evaluation.fail(what, error instanceof Error ? error.message : String(error));
      }
    },
    fail(what, why) {
      report.failures.push({ what, why });
      say(`${what} failed: ${why}`);
      keep(report);
    },
    test(file, is) {
      const rows = tests.rows(file, is);
      if (rows === null && !heldOut.has(file)) {
        heldOut.add(file);
        report.tests.heldBack.push(file);
      }
      return rows;
    },
  };
  const heads = createIntentHeads(evaluation, input.randomTrunk);

  if (input.peers) evaluatePeers(evaluation, heads);
  else runTasks();

  report.tests.unread = tests.unread();
  for (const file of report.tests.unread)
    say(
      `${file} was not used by any task. A test split is named, for example, ${testNames("choice/bfcl_live_multiple_test.jsonl")[0]} or intents/NAME/test.jsonl.`,
    );
  report.complete = true;
  keep(report);
  return report;

  function runTasks(): void {
    evaluateDisjointness(evaluation, learned);
    evaluateHeads(evaluation, heads, input.randomTrunk);
    evaluateExperts(evaluation, input.randomTrunk);
    evaluateScope(evaluation, heads, input.randomTrunk);
    evaluateOptions(evaluation);
    evaluateEscalation(evaluation);
    evaluateComplexity(evaluation);
    evaluateDomain(evaluation, heads);
    evaluateRisk(evaluation, heads);
    evaluateMixedRisk(evaluation, heads);
    evaluateRobustness(evaluation, heads);
  }
}
