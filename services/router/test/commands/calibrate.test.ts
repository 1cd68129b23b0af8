import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startAnswerTable, type TableAnswer } from "../support/answer-table.ts";
import { runCommand } from "../support/run-command.ts";
import { seeded } from "../support/seeded.ts";

const folder = mkdtempSync(join(tmpdir(), "triptych-calibrate-"));
const [data, lock, svg] = [join(folder, "data.jsonl"), join(folder, "lock.json"), join(folder, "diagram.svg")];
after(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly text: string;
  readonly route: string | null;
}

const answers = new Map<string, TableAnswer>();
const random = seeded(3);

function drawRows(count: number, prefix: string): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const [text, choice] = [`${prefix} ${index}`, random.pick(["refund", "weather"])];
    const confidence = 1 - 0.9 * random.next() ** 4;
    const isOutside = index % 50 === 0;
    answers.set(text, { choice, confidence, ...(isOutside && { reason: "out_of_scope" }) });
    const isRight = random.next() < confidence;
    return { text, route: isOutside ? null : (choice === "refund") === isRight ? "refund" : "weather" };
  });
}

const writeRows = (rows: readonly Row[]) => writeFileSync(data, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
const calibrateArgs = ["calibrate", "--data", data, "--max-error", "0.05", "--out", lock];
const checkArgs = ["check", "--lock", lock, "--data", data];

describe("triptych router calibrate and check", () => {
  let table: Awaited<ReturnType<typeof startAnswerTable>>;
  const rows = drawRows(300, "first");
  before(async () => {
    writeRows(rows);
    table = await startAnswerTable((text) => answers.get(text) ?? { choice: "refund", confidence: 0.5 });
  });
  after(() => table[Symbol.asyncDispose]());
  const run = (args: readonly string[]) => runCommand([...args, "--url", table.url]);

  test("prints threshold, coverage and a table of routes that fits the terminal, and writes lock and diagram", async () => {
    const ran = await run([...calibrateArgs, "--svg", svg, "--expert", "shop"]);
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, /^threshold {3}0\.\d{4} {2}\(95 %: /m);
    assert.match(ran.out, /^coverage {4}\d+\.\d %, \d+ of 300 rows$/m);
    assert.match(ran.out, /^\(none\) +6 +0 +0 +-$/m);
    const written = JSON.parse(readFileSync(lock, "utf8"));
    assert.deepEqual([written.expert, written.max_error, written.data.rows], ["shop", 0.05, 300]);
    assert.equal(written.model.name, "table-1");
    for (const part of ["data", "model", "answers"]) assert.match(written[part].sha256, /^[0-9a-f]{64}$/);
    assert.match(readFileSync(svg, "utf8"), /^<svg /);
  });

  test("check passes on the same data, and fails if 3 % of the labels are shifted", async () => {
    const same = await run(checkArgs);
    assert.equal(same.code, 0, same.err);
    assert.match(same.out, /data unchanged, model unchanged, answers unchanged/);
    writeRows(
      rows.map((row, index) => {
        return index % 33 === 1 ? { ...row, route: row.route === "refund" ? "weather" : "refund" } : row;
      }),
    );
    const shifted = await run([...checkArgs, "--json"]);
    assert.equal(shifted.code, 1);
    const { holds, changed } = JSON.parse(shifted.out);
    assert.deepEqual([holds, changed], [false, { data: true, model: false, answers: false }]);
    assert.match(shifted.err, /Check failed: .*ECE/);
  });

  test("check passes on a new sample, and fails if the answers are worse", async () => {
    writeRows(drawRows(300, "second"));
    const fresh = await run(checkArgs);
    assert.equal(fresh.code, 0, `${fresh.out}${fresh.err}`);
    assert.match(fresh.out, /data changed, model unchanged, answers changed/);
    writeRows(drawRows(300, "third").map((row, index) => (index % 10 === 1 ? { ...row, route: "billing" } : row)));
    const worse = await run(checkArgs);
    assert.equal(worse.code, 1);
    assert.match(worse.out, /^error rate .* broken$/m);
  });

  test("works with the two compatible APIs, whose routes are the labels of the data", async () => {
    writeRows(rows.slice(0, 80));
    for (const api of ["systemone", "decisions"]) {
      const ran = await run([...calibrateArgs, "--api", api, "--max-error", "0.3", "--json"]);
      assert.equal(ran.code, 0, ran.err);
      const { cost_micro: cost, ...printed } = JSON.parse(ran.out);
      assert.deepEqual([printed, cost], [JSON.parse(readFileSync(lock, "utf8")), 0]);
      assert.equal((await run(checkArgs)).code, 0);
    }
    const sent = table.requests.at(-1)?.body["questions"];
    const choices = [{ value: "refund" }, { value: "weather" }];
    assert.deepEqual(sent, [{ type: "choice", name: "route", choices }]);
  });

  test("says why no threshold is proven, and writes no lock", async () => {
    rmSync(lock, { force: true });
    writeRows(rows.slice(0, 30));
    const ran = await run([...calibrateArgs]);
    assert.equal(ran.code, 1);
    assert.match(ran.err, /30 rows prove no threshold for an error rate of 5\.0 %/);
    assert.throws(() => readFileSync(lock));
  });

  test("lists every invalid row with its line, and exits with 2 without a request", async () => {
    writeFileSync(
      data,
      '{"text":"x","route":"a"}\n{"text":"x"}\n{"route":"a"}\nno\n{"text":" ","label":"a"}\n{"text":"x","state":"y","route":null}\n',
    );
    const before = table.requests.length;
    const ran = await run(calibrateArgs);
    assert.deepEqual([ran.code, table.requests.length], [2, before]);
    assert.deepEqual(
      [...ran.err.matchAll(/line (\d+)/g)].map(([, line]) => line),
      ["2", "3", "4", "5", "6"],
    );
    assert.equal((await run(["check", "--lock", data, "--data", data])).code, 2);
    assert.equal((await run(["calibrate", "--data", data, "--max-error", "0"])).code, 2);
    assert.equal((await run(["calibrate", "--data", join(folder, "absent"), "--max-error", "0.1"])).code, 2);
  });
});
