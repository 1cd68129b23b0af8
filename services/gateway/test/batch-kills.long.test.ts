/**
 * `triptych router batch` against a real gateway and rail, killed at random points: each line is decided once, in
 * order, and paid once.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { DECISION_PRICE_MICRO } from "@triptych/contracts";
import { createFixture, until } from "./support/create-fixture.ts";

const PROGRAM = fileURLToPath(new URL("../../../start.mjs", import.meta.url));
/** Run more kills with `BATCH_KILLS=50 npm run test:long -- services/gateway/test/batch-kills.long.test.ts`. */
const KILLS = Number(process.env["BATCH_KILLS"] ?? 6);
const LINES = 60 * KILLS;
/** More lines than a run can decide before its kill, so that every kill hits a running batch. */
const BYTES_PER_KILL_MAX = 20_000;

test(`a batch that is killed at ${KILLS} random points decides each line once, in order, and pays once`, async () => {
  await using fixture = await createFixture({ GATEWAY_RATE: "1000000" });
  const folder = await mkdtemp(join(tmpdir(), "triptych-batch-kills-"));
  try {
    const wallet = await fixture.openWallet();
    await fixture.pay(wallet, LINES * 1000);
    const before = await fixture.balance(wallet);
    const [input, output] = [join(folder, "in.ndjson"), join(folder, "out.ndjson")];
    const texts = Array.from({ length: LINES }, (_, index) => `will it rain on day ${index}?`);
    await writeFile(input, texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
    const start = () =>
      spawn(process.execPath, [PROGRAM, "router", "batch", "--in", input, "--out", output, "--concurrency", "16"], {
        env: { ...process.env, GATEWAY_URL: fixture.url, WALLET_TOKEN: wallet.token, XDG_CONFIG_HOME: folder },
        stdio: ["ignore", "ignore", "pipe"],
      });

    let killed = 0;
    for (; killed < KILLS; killed++) {
      const child = start();
      const ended = once(child, "exit");
      const target = (await sizeOf(output)) + Math.floor(Math.random() * BYTES_PER_KILL_MAX);
      while (child.exitCode === null && (await sizeOf(output)) < target) await wait(1);
      child.kill("SIGKILL");
      const [, signal] = await ended;
      if (signal !== "SIGKILL") break;
    }
    assert.equal(killed, KILLS, "every kill hit a running batch");

    const last = start();
    let errors = "";
    last.stderr.on("data", (text) => (errors += String(text)));
    assert.deepEqual((await once(last, "exit"))[0], 0, errors);
    const lines = (await readFile(output, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ line }) => line),
      texts.map((_, index) => index + 1),
    );
    assert.equal(new Set(lines.map(({ charge }) => charge)).size, LINES, "every line has its own charge");
    const paid = LINES * DECISION_PRICE_MICRO;
    await until("undelivered charges are reversed", async () => before - (await fixture.balance(wallet)) === paid);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
