import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openStore } from "../src/store/open-store.ts";

const SERVE = fileURLToPath(new URL("./children/serve.ts", import.meta.url));
const SERVE_UNTIL_ANSWER = fileURLToPath(new URL("./children/serve-until-answer.ts", import.meta.url));

/** The rail on this data folder in its own process, which dies before it sends its N-th response. */
async function serve(data: string, { answers = Infinity } = {}) {
  const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  const env = { TRIPTYCH_DATA: data, RAIL_PORT: "0", LOG_LEVEL: "silent", PATH, NODE_COMPILE_CACHE, NODE_OPTIONS };
  const program = answers === Infinity ? [SERVE] : [SERVE_UNTIL_ANSWER, String(answers)];
  const child = spawn(process.execPath, program, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  return {
    url: String(url),
    ended,
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

interface Call {
  readonly path: string;
  readonly key: string;
  readonly body: unknown;
}

/** Null if the process died before its response. */
async function send(url: string, token: string, { path, key, body }: Call): Promise<string | null> {
  const headers = { "Content-Type": "application/json", "X-Rail-Wallet": token, "Idempotency-Key": key };
  try {
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.equal(answer.status, 201, text);
    return text;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return null;
  }
}

const TOPPED_UP = 2;
const CALLS = 24;

test("a rail killed while it creates something has completed each call entirely or not at all, and repeats get the same response", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-rail-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true }));
  // At most this many responses per round. One call gets no response because the process dies; the others may be at any
  // step.
  const ROUNDS = [2, 8, 14];
  let rail = opened.use(await serve(folder, { answers: TOPPED_UP + (ROUNDS[0] ?? 0) + 1 }));
  const { demo_wallet_token: token } = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8")).rail;
  for (let key = 0; key < TOPPED_UP; key++)
    await send(rail.url, token, { path: "/v1/topup", key: `first.${key}`, body: { amount_micro: 1_000_000_000 } });

  for (const [round, most] of ROUNDS.entries()) {
    const calls = Array.from({ length: CALLS }, (_, index): Call => {
      const key = `${round}.${index}`;
      if (index % 3 === 0) return { path: "/v1/wallets", key, body: { email: `u${key}@example.org` } };
      if (index % 3 === 1) return { path: "/v1/topup", key, body: { amount_micro: 10_000 } };
      return { path: "/v1/purchases", key, body: { sku: "custom-head", ref: `head_${round}_${index}` } };
    });
    const dying = rail;
    const before = await Promise.all(calls.map((call) => send(dying.url, token, call)));
    assert.ok(before.filter((answer) => answer !== null).length <= most);
    await dying.ended;
    const next = ROUNDS[round + 1];
    rail = opened.use(await serve(folder, { answers: next === undefined ? Infinity : CALLS + next + 1 }));
    const after = await Promise.all(calls.map((call) => send(rail.url, token, call)));
    before.forEach((answer, index) => {
      if (answer !== null) assert.equal(after[index], answer, `the repeat of call ${index}`);
    });
    assert.ok(!after.includes(null));
  }
  await rail.kill();

  await using store = await openStore({ dataFolder: folder, databaseUrl: undefined });
  const of = (ROUNDS.length * CALLS) / 3;
  assert.equal((await store.ledger.walletHeads()).length, 1 + of);
  const topups = await store.ledger.topups({ walletId: null, states: ["succeeded"], before: null, limit: 200 });
  assert.equal(topups.length, TOPPED_UP + of);
  assert.deepEqual((await store.ledger.audit()).violations, []);
});
