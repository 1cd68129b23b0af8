import assert from "node:assert/strict";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { childEnvironment, superviseWorker, messageOf } from "../src/compose/embedded-worker.ts";
import { ask, openFixture } from "./support/create-test-panel.ts";

/** A child that prints its identity and exits with this code, or only when told to. */
function childOf(code: number | "told"): readonly string[] {
  return ["/bin/sh", "-c", `echo "$PANEL_TOKEN $*"; ${code === "told" ? "exec sleep 600" : `exit ${code}`}`, "--"];
}

/** A supervisor with manual timers, and its log. */
function createFixture(code: number | "told", lifeMs = 0) {
  const output: string[] = [];
  const waits: number[] = [];
  let time = 0;
  let keys = 0;
  const reached = [0, 1, 2, 3, 4, 5, 6, 7].map(() => Promise.withResolvers<void>());
  const lines = Promise.withResolvers<void>();
  const final = Promise.withResolvers<string>();
  const worker = superviseWorker({
    program: childOf(code),
    args: ["--panel", "http://127.0.0.1:1"],
    environment: { PATH: process.env["PATH"] },
    async currentKey() {
      time += lifeMs;
      return `key-${++keys}`;
    },
    say(line) {
      output.push(line);
      lines.resolve();
    },
    onError(what) {
      if (what.includes("not restarting")) final.resolve(what);
    },
    now: () => time,
    wait(ms, signal) {
      reached[waits.push(ms) - 1]?.resolve();
      if (waits.length < reached.length) return Promise.resolve();
      return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  });
  return {
    output,
    waits,
    lines: lines.promise,
    final: final.promise,
    waited: (n: number) => reached[n - 1]?.promise,
    worker,
  };
}

test("restarts an exited worker with the current key and increasing backoff", async () => {
  const { output, waits, waited, worker } = createFixture(1);
  await waited(8);
  await worker[Symbol.asyncDispose]();
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  assert.deepEqual(output.slice(0, 2), ["key-1 --panel http://127.0.0.1:1", "key-2 --panel http://127.0.0.1:1"]);
});

test("resets the backoff after a minute of uptime", async () => {
  const { waits, waited, worker } = createFixture(1, 60_000);
  await waited(8);
  await worker[Symbol.asyncDispose]();
  assert.deepEqual(new Set(waits), new Set([1_000]));
});

test("does not restart a rejected worker, or one with invalid arguments", async () => {
  for (const code of [2, 3]) {
    const { final, worker, waits } = createFixture(code);
    assert.match(await final, new RegExp(`exited with ${code}; not restarting`));
    await worker[Symbol.asyncDispose]();
    assert.deepEqual(waits, []);
  }
});

test("stops the child and waits for it, even when called twice", async () => {
  const { lines, worker, waits } = createFixture("told");
  await lines;
  await Promise.all([worker[Symbol.asyncDispose](), worker[Symbol.asyncDispose]()]);
  assert.deepEqual(waits, []);
});

test("passes the environment that agents need, without the services' variables", () => {
  const environment = {
    PATH: "/bin",
    HOME: "/home/me",
    OPENAI_API_KEY: "sk-1",
    NODE_ENV: "development",
    DATABASE_URL: "postgres://secret",
    TRIPTYCH_SECRET: "secret",
    TRIPTYCH_DATA: "data",
    RAIL_STRIPE_SECRET_KEY: "secret",
    PANEL_TOKEN: "old",
    UNSET: undefined,
  };
  assert.deepEqual(childEnvironment(environment, "lic_new"), {
    PATH: "/bin",
    HOME: "/home/me",
    OPENAI_API_KEY: "sk-1",
    NODE_ENV: "development",
    PANEL_TOKEN: "lic_new",
  });
});

test("logs the message of a JSON line, and any other line unchanged", () => {
  assert.equal(messageOf('{"time":"t","service":"worker","message":"connected"}'), "connected");
  for (const line of ["error: no key", '{"message":"cut off', '{"message":1}', ""]) assert.equal(messageOf(line), line);
});

/** A server that receives one request of a worker. */
async function openEar() {
  const { promise, resolve } = Promise.withResolvers<{ readonly key: string; readonly words: readonly string[] }>();
  const server = createServer((request, response) => {
    void text(request).then((body) => resolve(JSON.parse(body)));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { received: promise, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

test("starts an embedded worker with the account's key, and runs the demo on it", async () => {
  await using fixture = await openFixture();
  using ear = await openEar();
  const worker = `const { env: { PANEL_TOKEN: key }, argv } = process;
    await fetch("${ear.url}", { method: "POST", body: JSON.stringify({ key, words: argv.slice(1) }) });
    process.exitCode = 3;`;
  const workerProgram = [process.execPath, "--input-type=module", "-e", worker, "--"];
  const context = { workerProgram, hasTerminal: true };
  const panel = await fixture.start({ PANEL_EMBEDDED_WORKER: "1" }, context);
  const { access_token: token, license_key } = (await fixture.credentials()).pro;
  const { body } = await ask(panel.url, "/api/runs", { token });
  // The newest is first: the scout follows the run.
  const [scout, { id, trigger, state, team, warnings }] = body.items;
  assert.deepEqual([body.items.length, scout.kind, scout.trigger.type], [2, "explore", "demo"]);
  assert.deepEqual([trigger.type, state, team.members[0].cli, warnings], ["demo", "queued", "command", []]);
  assert.ok(panel.notes.some((note) => note.endsWith(`/runs/${id}`)));
  // On a terminal the link is printed, not written to a file.
  assert.match(panel.notes[0] ?? "", /^Sign in \(once, within 15 minutes\): http:\S+\/login#[\w-]{43}$/);
  await assert.rejects(access(join(fixture.data, "sign-in-link.txt")), { code: "ENOENT" });
  assert.equal((await fetch(`${panel.url}/runs/${id}`)).status, 200);
  const { key, words: args } = await ear.received;
  assert.equal(key, license_key);
  const folder = join(fixture.data, "worker", "embedded");
  assert.deepEqual(args, [
    "--panel",
    panel.url,
    "--name",
    "embedded",
    "--embedded",
    "--allow-root",
    "--work-dir",
    folder,
  ]);
  await panel.stop();
  const again = await fixture.start({ PANEL_EMBEDDED_WORKER: "1" }, context);
  assert.equal((await ask(again.url, "/api/runs", { token })).body.items.length, 2);
});
