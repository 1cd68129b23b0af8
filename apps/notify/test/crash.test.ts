/** A real process is killed at random points while a panel changes and a target fails: no event is lost. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { eventId } from "../src/event.ts";
import { exampleRun, runTimes, startFakePanel, type FakePanel } from "./support/fake-panel.ts";
import { startReceiver } from "./support/receiver.ts";

const CHILD = new URL("children/notify.ts", import.meta.url).pathname;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const KILLS = process.env["TEST_LONG"] === undefined ? 2 : 25;
/** The first start reports events from this time, including those before its first scan. */
const STARTED_AT = Date.now();
const RULES = `rules: [{ events: [run.failed], to: [{ type: webhook, url: "\${HOOK}", secret: "\${HOOK_SECRET}" }] }]`;

/** A generator with a fixed seed, so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Started {
  readonly ready: Promise<void>;
  kill(signal: "SIGKILL" | "SIGTERM"): Promise<{ readonly code: unknown; readonly log: string }>;
}

function start(folder: string, panel: FakePanel, hook: string): Started {
  const rules = join(folder, "notify.yaml");
  writeFileSync(rules, RULES);
  const env = { ...process.env, HOOK: hook, HOOK_SECRET: SECRET };
  const child = spawn(process.execPath, [CHILD, folder, panel.url, rules, panel.token, String(STARTED_AT)], { env });
  let log = "";
  const following = Promise.withResolvers<void>();
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    log += part;
    if (log.includes("following changes")) following.resolve();
  });
  const exited = once(child, "exit");
  return {
    ready: Promise.race([following.promise, exited.then(() => undefined)]),
    async kill(signal) {
      child.kill(signal);
      const [code] = await exited;
      return { code, log };
    },
  };
}

function failRun(panel: FakePanel, number: number): string {
  const now = Date.now();
  const id = `run_${number}`;
  panel.change(exampleRun({ id, state: "failed", phase: "failure", pr: null, times: runTimes(now, now) }));
  return eventId("run.failed", id);
}

test(`${KILLS} kills lose no event, and repeat only messages in progress`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "notify-crash-"));
  const random = randomFrom(33);
  const answered: string[] = [];
  // Retries take seconds of real time, so the target recovers after the last kill.
  let isFailing = true;
  try {
    await using panel = await startFakePanel();
    await using receiver = await startReceiver((response, { headers }) => {
      if (isFailing && random() < 0.3) return response.writeHead(503, { "Retry-After": "0" }).end();
      if (isFailing && random() < 0.1) return response.destroy();
      answered.push(String(headers["webhook-id"]));
      return response.writeHead(204).end();
    });
    const first = start(folder, panel, receiver.url);
    await first.ready;
    const expected: string[] = [];
    let child = first;
    for (let kill = 0; kill < KILLS; kill++) {
      for (let at = 0; at < 5; at++) expected.push(failRun(panel, expected.length));
      // Not a wait for a condition: it varies the moment of the kill.
      await sleep(random() * 1_500);
      await child.kill("SIGKILL");
      for (let at = 0; at < 5; at++) expected.push(failRun(panel, expected.length));
      child = start(folder, panel, receiver.url);
      await child.ready;
    }
    isFailing = false;
    while (!expected.every((id) => answered.includes(id))) await sleep(100);
    const { code } = await child.kill("SIGTERM");
    assert.equal(code, 0);
    const repeated = answered.length - new Set(answered).size;
    assert.ok(repeated <= KILLS, `${repeated} messages repeated after ${KILLS} kills`);
    assert.deepEqual(new Set(answered), new Set(expected));
    const [{ body, headers }] = receiver.received;
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    new Webhook(SECRET).verify(body, named);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
