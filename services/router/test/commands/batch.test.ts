import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, describe, test } from "node:test";
import { startAnswerTable, type AnswerTableOptions } from "../support/answer-table.ts";
import { runCommand } from "../support/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "triptych-batch-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const [input, output] = [join(folder, "in.ndjson"), join(folder, "out.ndjson")];
beforeEach(() => rmSync(output, { force: true }));

const start = (options: AnswerTableOptions = { priceMicro: 500 }) =>
  startAnswerTable((text) => ({ choice: text.includes("rain") ? "weather" : "refund", confidence: 0.9 }), options);
const own = (url: string) => ({ gateway: { url, secret: "rail_test_secret" }, router: { url: "http://127.0.0.1:1" } });
const writeLines = (count: number) =>
  writeFileSync(input, Array.from({ length: count }, (_, index) => `${JSON.stringify(`rain ${index}`)}\n`).join(""));
const args = ["batch", "--in", input, "--out", output];
const lines = () =>
  readFileSync(output, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));

describe("triptych router batch", () => {
  test("decides every line in order, with the charge and cost of each, at the address of the wallet token", async () => {
    await using table = await start();
    writeFileSync(input, '"will it rain"\r\n{"state":"money back","options":["refund","chat"]}\n"rain"');
    const ran = await runCommand([...args, "--expert", "shop", "--json"], { own: own(table.url) });
    assert.equal(ran.code, 0, ran.err);
    assert.deepEqual(JSON.parse(ran.out), {
      lines: 3,
      total: 3,
      earlier: 0,
      replayed: 0,
      cost_micro: 1500,
      complete: true,
    });
    assert.deepEqual(
      lines().map(({ line, charge, cost_micro: cost, answer }) => [line, typeof charge, cost, Object(answer).route]),
      [
        [1, "string", 500, "weather"],
        [2, "string", 500, "refund"],
        [3, "string", 500, "weather"],
      ],
    );
    assert.deepEqual(
      table.requests.map(({ body }) => body),
      [
        { expert: "shop", state: "will it rain" },
        { expert: "shop", state: "money back", options: ["refund", "chat"] },
        { expert: "shop", state: "rain" },
      ],
    );
    assert.ok(table.requests.every(({ wallet }) => wallet === "rail_test_secret"));
    assert.ok(!`${ran.out}${ran.err}`.includes("rail_test_secret"));
    assert.ok(!existsSync(`${output}.lock`));
  });

  test("continues after a truncated line, and pays for each line once", async () => {
    await using table = await start();
    writeLines(40);
    assert.equal((await runCommand(args, { own: own(table.url) })).code, 0);
    const whole = readFileSync(output, "utf8");
    for (const bytes of [whole.length - 3, whole.length - 900, 10, 0]) {
      truncateSync(output, bytes);
      const ran = await runCommand([...args, "--json"], { own: own(table.url) });
      assert.equal(ran.code, 0, ran.err);
      assert.equal(readFileSync(output, "utf8"), whole);
      const { earlier, replayed } = JSON.parse(ran.out);
      assert.equal(earlier + replayed, 40);
    }
    assert.equal(table.charged(), 40);
    await runCommand(args, { own: own(table.url) });
    const before = table.requests.length;
    assert.equal((await runCommand(args, { own: own(table.url) })).code, 0);
    assert.equal(table.requests.length, before, "a complete output sends nothing");
    rmSync(output);
    await runCommand([...args, "--run", "again"], { own: own(table.url) });
    assert.equal(table.charged(), 80, "a run with another name pays again");
  });

  test("rejects an output of other lines or of another program, and leaves it unchanged", async () => {
    await using table = await start();
    writeLines(3);
    await runCommand(args, { own: own(table.url) });
    const whole = readFileSync(output, "utf8");
    writeFileSync(input, '"rain 0"\n"another line"\n"rain 2"\n"rain 3"\n');
    const changed = await runCommand(args, { own: own(table.url) });
    assert.deepEqual([changed.code, readFileSync(output, "utf8")], [2, whole]);
    assert.match(changed.err, /Line 2 of the input/);
    writeFileSync(input, '"rain 0"\n');
    assert.match((await runCommand(args, { own: own(table.url) })).err, /has 3 lines, but the input only 1/);
    writeFileSync(output, "my notes\nof today\n");
    assert.equal((await runCommand(args, { own: own(table.url) })).code, 1);
    assert.equal(readFileSync(output, "utf8"), "my notes\nof today\n");
  });

  test("lists every issue of the input with its line, exits with 2, and writes nothing", async () => {
    await using table = await start();
    writeFileSync(input, '"fine"\nnope\n\n[1]\n{"stat":"x"}\n" "\n{"state":"x","min_conf":2}\n');
    appendFileSync(input, `"${"y".repeat(300_000)}"\n`);
    const ran = await runCommand(args, { own: own(table.url) });
    assert.deepEqual([ran.code, ran.out, existsSync(output), table.requests.length], [2, "", false, 0]);
    assert.deepEqual(
      [...ran.err.matchAll(/^ {2}line (\d+)( \S+)?:/gm)].map(([, line, path = ""]) => `${line}${path}`),
      ["2", "3", "4", "5 /state", "5 /stat", "6 /state", "7 /min_conf", "8"],
    );
    assert.equal((await runCommand(["batch", "--in", join(folder, "absent"), "--out", output])).code, 2);
    assert.equal((await runCommand(["batch", "--in", input, "--out", input])).code, 2);
    assert.equal((await runCommand([...args, "--concurrency", "65"])).code, 2);
  });

  test("never exceeds --max-cost-micro over all runs", async () => {
    await using table = await start();
    writeLines(20);
    const limited = await runCommand([...args, "--max-cost-micro", "3700"], { own: own(table.url) });
    assert.deepEqual([limited.code, lines().length, table.charged()], [1, 7, 7]);
    const again = await runCommand([...args, "--max-cost-micro", "3700"], { own: own(table.url) });
    assert.deepEqual([again.code, lines().length, table.charged()], [1, 7, 7]);
    assert.equal((await runCommand([...args, "--max-cost-micro", "10000"], { own: own(table.url) })).code, 0);
    assert.equal(table.charged(), 20);
  });

  test("needs a published price for --max-cost-micro", async () => {
    await using table = await start({ priceMicro: null });
    writeLines(1);
    const ran = await runCommand([...args, "--url", table.url, "--max-cost-micro", "5"]);
    assert.equal(ran.code, 2);
    assert.match(ran.err, /publishes no price/);
  });

  test("retries temporary failures with the same key, and keeps the answers before a rejection", async () => {
    await using table = await start({
      priceMicro: 500,
      failure: (text, attempt) => (text === "rain 5" ? 400 : text === "rain 2" && attempt < 3 ? 503 : null),
    });
    writeLines(9);
    const ran = await runCommand([...args, "--concurrency", "3"], { own: own(table.url) });
    assert.equal(ran.code, 1);
    assert.match(ran.err, /^Line 6: Not now\.$/m);
    assert.equal(lines().length, 5);
    assert.equal(
      new Set(table.requests.filter(({ body }) => body["state"] === "rain 2").map(({ key }) => key)).size,
      1,
    );
    assert.ok(table.mostRunning() <= 3);
  });

  test("works with the two compatible APIs, and sends a third-party address only its own token", async () => {
    await using table = await start({ priceMicro: null });
    const environment = { WALLET_TOKEN: "rail_test_secret", ROUTER_TOKEN: "router_secret", DECISIONS_TOKEN: "foreign" };
    for (const api of ["systemone", "decisions"]) {
      rmSync(output, { force: true });
      writeLines(2);
      const options = ["--api", api, "--options", "weather,refund", "--url", `${table.url}/`];
      const ran = await runCommand([...args, ...options], { own: own("http://127.0.0.1:1"), environment });
      assert.equal(ran.code, 0, ran.err);
    }
    assert.deepEqual(
      table.requests.map(({ path, wallet, bearer }) => [path, wallet, bearer]),
      ["systemone", "systemone", "decisions", "decisions"].map((api) => [`/v1/${api}`, undefined, "Bearer foreign"]),
    );
  });
});
