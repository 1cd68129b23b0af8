import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { array, assert as assertProperty, asyncProperty, constantFrom, nat } from "fast-check";
import type { WireItem } from "../src/session/event-queue.ts";
import type { Work } from "../src/session/run-session.ts";
import { startPanel, type Fate } from "./support/fake-panel.ts";
import { makeRepository, RED_FILES } from "./support/repository.ts";
import { startTestWorker } from "./support/start-worker.ts";

const STATES = ["running", "verifying", "running", "verifying", "pushing"];

const item = (text: string): WireItem => ({
  at: "2026-01-02T03:04:05.678Z",
  from: { role: "worker", agent: null, cli: null, model: null },
  kind: "log",
  text,
  data: {},
  round: 1,
});

/** Sends messages and states of a run; clone, agent and checks have their own tests. */
function talk(lines: number): Work {
  return async ({ stream, enter }) => {
    for (const state of ["running", "verifying", "running", "verifying"] as const) {
      enter(state, {});
      for (let line = 0; line < lines; line++) {
        stream.say(item(`${state} ${line}`));
        if (line % 7 === 0) await setImmediate();
      }
    }
    return { state: "pushing", data: { head_sha: "a" } };
  };
}

const fate = constantFrom<Fate>("heard", "heard", "heard", "lost", "unanswered", "twice");

test("delivers each message once and in order, the final one last, wherever connections break", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const folder = join(repository.folder, "worker");
  let runs = 0;
  let cuts = 0;
  await assertProperty(
    asyncProperty(array(fate, { maxLength: 30 }), nat(60), async (fates, lines) => {
      const connected = panel.connections;
      await using worker = await startTestWorker(panel, folder, { work: talk(lines) });
      await panel.until(() => panel.connections > connected);
      const id = `run_${++runs}`;
      const left = [...fates];
      let afterLast = 0;
      panel.fate = (frame) => {
        if (frame.t === "events" && panel.run(id).state === "pushing") afterLast++;
        return left.shift() ?? "heard";
      };
      panel.assign({ run_id: id });
      const run = panel.run(id);
      // The panel repeats an assignment until the worker accepts it.
      await panel.until(() => run.state === "pushing");
      await worker.drain();
      assert.deepEqual(
        run.states.map(({ state }) => state),
        STATES,
      );
      const numbers = [...run.events.keys()];
      assert.deepEqual(
        numbers,
        Array.from({ length: 4 * lines }, (_, at) => at + 1),
      );
      assert.equal(afterLast, 0);
      assert.deepEqual(readdirSync(worker.runs), []);
      cuts += panel.connections - connected - 1;
    }),
    { numRuns: process.env["TEST_LONG"] === undefined ? 20 : 1_000 },
  );
  assert.ok(cuts > 0);
});

test("sends unacknowledged states after a restart, before the final message", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const folder = join(repository.folder, "worker");
  const first = await startTestWorker(panel, folder, { work: talk(3) });
  await panel.until(() => panel.connections === 1);
  panel.fate = ({ t }) => (t === "state" ? "lost" : "heard");
  panel.assign();
  const run = panel.run("run_1");
  await panel.until(() => existsSync(join(first.runs, "run_1.1", "report.json")));
  await first.stop();
  assert.deepEqual(run.states, []);

  panel.fate = () => "heard";
  await using _second = await startTestWorker(panel, folder);
  await panel.until(() => run.state === "pushing");
  assert.deepEqual(
    run.states.map(({ state }) => state),
    STATES,
  );
});

test("gives back a run after a restart when it was stopped while the panel was away", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const folder = join(repository.folder, "worker");
  const work: Work = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
  const first = await startTestWorker(panel, folder, { work });
  await panel.until(() => panel.connections === 1);
  panel.assign();
  const run = panel.run("run_1");
  await panel.until(() => run.state === "accepted");
  const { key } = panel;
  panel.useKey("lic_of-nobody");
  panel.disconnect();
  await panel.until(() => first.log.some((line) => line.includes("--token-file")));
  await first.stop();
  assert.equal(run.state, "accepted");

  panel.useKey(key);
  await using _second = await startTestWorker(panel, folder);
  await panel.until(() => run.state === null);
  assert.equal(panel.framesOf("refuse")[0].reason, "stopping");
});

test("sends at most 512 unacknowledged events, and spools the rest in order", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  await using worker = await startTestWorker(panel, join(repository.folder, "worker"), { work: talk(400) });
  await panel.until(() => panel.connections === 1);
  panel.isSlow = true;
  panel.assign();
  const run = panel.run("run_1");
  // The number of sent frames depends on timing: the last events go to the file first.
  await panel.until(() => run.states.length === 4 && run.events.size > 0);
  const spool = join(worker.runs, "run_1.1", "events.jsonl");
  while (!existsSync(spool)) await setImmediate();
  assert.ok(run.events.size <= 512, String(run.events.size));
  panel.isSlow = false;
  panel.acknowledge("run_1");
  await panel.until(() => run.state === "pushing");
  assert.deepEqual(
    [...run.events.keys()],
    Array.from({ length: 1_600 }, (_, at) => at + 1),
  );
});
