import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openDataFolder } from "../training/data-folder.ts";
import { reportFaults } from "../training/report.ts";

const command = fileURLToPath(new URL("../training/eval.ts", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "eval-"));
after(() => rmSync(out, { recursive: true }));

async function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [command, "--out", out, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = await once(child, "close");
  return { code, printed, stderr };
}

test("without the training data the evaluation prints one sentence with the variable to set", async () => {
  const absent = { ...process.env, TRIPTYCH_ROUTING_DATA: join(out, "absent") };
  const { code, stderr } = await run(["--quick"], absent);
  assert.equal(code, 1);
  assert.match(stderr, /The training data folder is missing; set TRIPTYCH_ROUTING_DATA\./);
});

// Takes a minute of CPU time and data that not every machine has, so it is part of long runs only, and only if the data
// exists.
if (process.env["TEST_LONG"] !== undefined && openDataFolder() !== null)
  test("the quick evaluation compares every kind of decision with its baselines and writes a valid report", async () => {
    const { code, printed } = await run(["--quick"], process.env);
    assert.equal(code, 0, printed);
    const report = JSON.parse(readFileSync(join(out, "eval.json"), "utf8"));
    assert.deepEqual(reportFaults(report), []);
    assert.deepEqual(report.failures, []);
    for (const table of [
      "disjointness",
      "heads",
      "experts",
      "scope",
      "options",
      "escalation",
      "complexity",
      "domain",
      "max_error",
      "robustness",
    ])
      assert.ok(report.tables[table].rows.length > 0, table);
    for (const row of [...report.tables.heads.rows, ...report.tables.experts.rows])
      if (row.n !== "held back")
        for (const baseline of ["tfidf", "words", "random", "chance", "majority"])
          assert.ok(row[baseline] > 0 && row[baseline] < 1, `${row.task}: ${baseline}`);
  });
