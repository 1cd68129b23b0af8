import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadBundledModels } from "../src/bundled-models.ts";
import { hashOfText } from "../training/data-folder.ts";
import { modelCard, reportFaults, type Report } from "../training/report.ts";
import { runEvaluation } from "../training/run-evaluation.ts";
import { LINE_MOST } from "../training/table.ts";
import { choices, writeRows, smallData, testIntents } from "./support/small-data.ts";
import { smallTrunk } from "./support/small-trunk.ts";

const folder = mkdtempSync(join(tmpdir(), "evaluation-"));
after(() => rmSync(folder, { recursive: true }));
const trainingFolder = join(folder, "training");
const testFolder = join(folder, "given");
const data = smallData(trainingFolder);
const shipped = loadBundledModels();
const untrained = smallTrunk();
const LEARNED_TEST = testIntents()[0];

writeRows(testFolder, "intents/BANKING77/test.jsonl", [...testIntents(), '{"text": "cut off', { label: "no text" }]);
writeRows(
  testFolder,
  "intents/HINT3/shop/train.jsonl",
  testIntents()
    .slice(1)
    .filter((_, row) => row % 2 === 0),
);
writeRows(
  testFolder,
  "intents/HINT3/shop/test.jsonl",
  testIntents()
    .slice(1)
    .filter((_, row) => row % 2 === 1),
);
writeRows(testFolder, "intents/nameless/test.jsonl", testIntents().slice(1));
writeRows(testFolder, "choice/bfcl_live_multiple_test.jsonl", choices("test"));
writeRows(testFolder, "gate/bfcl_live_irrelevance_test.jsonl", ["not JSON at all"]);
writeRows(testFolder, "complexity/gsm8k_tests.jsonl", [{ text: "misspelled file", steps: 2 }]);

const lines: string[] = [];
const messages: string[] = [];
const tableCounts: number[] = [];
const withTests = evaluate(testFolder, ["BANKING77", "HINT3", "HINT3/shop", "nameless", "options", "complexity"]);

function evaluate(from: string | null, only: readonly string[]): Report {
  return runEvaluation({
    data,
    testFolder: from,
    isTraining: (file) => file.includes("train") && file.includes("BANKING77"),
    learned: { byLearner: () => new Map(), all: () => new Set([hashOfText(LEARNED_TEST.text)]) },
    shipped,
    trunk: shipped.trunk,
    trunks: folder,
    randomTrunk: () => untrained,
    quick: true,
    seeds: [1, 2],
    only,
    write: (line) => void lines.push(line),
    say: (message) => void messages.push(message),
    keep: ({ tables }) => void tableCounts.push(Object.keys(tables).length),
  });
}

function rowsOf({ tables }: Report, table: string, name: Readonly<Record<string, string>>) {
  return tables[table].rows.filter((row) => Object.entries(name).every(([key, value]) => row[key] === value));
}

test("evaluates a given test split with every baseline and separate seeds", () => {
  const [row] = rowsOf(withTests, "heads", { task: "BANKING77", on: "test" });
  for (const key of ["accuracy", "accuracy_sd", "tfidf", "words", "random", "chance", "majority", "macro_f1", "nll"])
    assert.ok(Number.isFinite(row[key]), key);
  for (const key of ["brier", "ece", "aurc", "coverage_at_95", "chance"]) assert.ok(Number.isFinite(row[key]), key);
  assert.ok(Array.isArray(row["accuracy_ci95"]) && Array.isArray(row["ece_ci95"]));
  assert.equal(row["chance"], 0.25);
});

test("counts and skips malformed lines and training texts, and evaluates the rest", () => {
  const file = withTests.tests.read.find(({ file }) => file === "intents/BANKING77/test.jsonl");
  assert.ok(file !== undefined);
  assert.deepEqual([file.rows, file.odd, file.learned], [testIntents().length - 1, 2, 1]);
  assert.equal(rowsOf(withTests, "heads", { task: "BANKING77", on: "test" })[0]["n"], file.rows);
  assert.ok(messages.some((line) => line.includes("2 of 34 lines are malformed, first line 33")));
});

test("an unknown set uses its own train split, or label names if it has none", () => {
  const [learned] = rowsOf(withTests, "heads", { task: "HINT3/shop" });
  assert.equal(learned["train"], "train");
  assert.ok(Number.isFinite(learned["accuracy"]) && Number.isFinite(learned["tfidf"]));
  const [named] = rowsOf(withTests, "heads", { task: "nameless" });
  assert.equal(named["train"], "no text");
  assert.ok(Number.isFinite(named["accuracy"]) && Number.isFinite(named["chance"]));
});

test("an unreadable file counts as held back, and a misspelled one is reported", () => {
  assert.equal(rowsOf(withTests, "options", { task: "live_irrelevance" })[0]["n"], "held back");
  assert.ok(Number.isFinite(rowsOf(withTests, "options", { task: "live_multiple", folds: "test" })[0]["route"]));
  assert.ok(withTests.tests.heldBack.includes("gate/bfcl_live_irrelevance_test.jsonl"));
  assert.deepEqual(withTests.tests.unread, ["complexity/gsm8k_tests.jsonl"]);
  assert.ok(messages.some((line) => line.startsWith("complexity/gsm8k_tests.jsonl was not used by any task")));
});

test("reports a failed part with its reason and continues with the next", () => {
  assert.deepEqual(
    withTests.failures.map(({ what }) => what),
    ["complexity"],
  );
  assert.match(withTests.failures[0].why, /gsm8k_train\.jsonl is not listed in data\.lock\.json/);
  assert.ok(withTests.complete);
});

test("stores the report after every row; it is valid and produces a card with every table", () => {
  assert.ok(tableCounts.includes(1) && tableCounts.includes(2));
  assert.deepEqual(reportFaults(JSON.parse(JSON.stringify(withTests))), []);
  const card = modelCard(withTests);
  for (const table of Object.keys(withTests.tables)) assert.ok(card.includes(`## ${table}\n`), table);
});

test("no table line is wider than a terminal", () => {
  assert.ok(lines.length > 10);
  for (const line of lines) assert.ok(line.trimEnd().length <= LINE_MOST, line);
});

test("without a folder every test split is held back, and the validation rows are evaluated", () => {
  const report = evaluate(null, ["BANKING77", "HINT3"]);
  assert.equal(rowsOf(report, "heads", { task: "BANKING77", on: "test" })[0]["n"], "held back");
  assert.equal(rowsOf(report, "heads", { task: "HINT3" })[0]["n"], "held back");
  assert.ok(Number.isFinite(rowsOf(report, "heads", { task: "BANKING77", on: "valid" })[0]["accuracy"]));
  assert.deepEqual(report.tests.read, []);
});

test("reports a missing folder once and loses nothing", () => {
  const before = messages.length;
  const report = evaluate(join(folder, "absent"), ["HINT3"]);
  assert.ok(
    messages.slice(before).some((line) => line.includes("does not exist: every test split counts as held back")),
  );
  assert.ok(report.complete);
});

test("rejects a report with a wrong version, an invalid cell and a missing hash, listing every issue", () => {
  const { tables } = withTests;
  const [name] = Object.keys(tables);
  const broken = {
    ...withTests,
    version: 1,
    trunk: "unknown",
    tables: { [name]: { columns: tables[name].columns, rows: [{ task: "x", accuracy: Number.NaN, note: {} }] } },
  };
  assert.deepEqual(reportFaults(broken), [
    "version is not 2.",
    "trunk is not a SHA-256.",
    `${name}, row 1: accuracy is not a text, number or list of numbers.`,
    `${name}, row 1: note is not a text, number or list of numbers.`,
  ]);
  assert.deepEqual(reportFaults(null), ["The report is not an object."]);
});
