/** A check of a repo: clone, setup and verify command, once, and a result that reaches the panel despite lost connections. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestDependencies } from "./support/dependency-cache.ts";
import { startPanel } from "./support/fake-panel.ts";
import { makeRepository, RED_FILES, VERIFY } from "./support/repository.ts";
import { startTestWorker, type TestWorkerOptions } from "./support/start-worker.ts";

const GREEN = "sh sum.test.sh || true";
const commands = (setup_cmd: string | null, cmd: string | null) => ({
  verify: { cmd, setup_cmd, timeout_s: 60, retries: 0, baseline: false },
});

async function createFixture(options: TestWorkerOptions = {}) {
  const stack = new AsyncDisposableStack();
  const repository = stack.use(makeRepository(RED_FILES));
  const panel = stack.use(await startPanel(repository));
  const folder = join(repository.folder, "worker");
  const worker = stack.use(await startTestWorker(panel, folder, options));
  await panel.until(() => panel.connections === 1);
  return {
    panel,
    worker,
    folder,
    async result(changes: object) {
      const before = panel.framesOf("checked").length;
      panel.check(changes);
      await panel.until(() => panel.framesOf("checked").length > before);
      return panel.framesOf("checked").at(-1) ?? assert.fail();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("announces in hello that it takes checks", async () => {
  await using fixture = await createFixture();
  assert.deepEqual(
    fixture.panel.framesOf("hello").map(({ can_check, checking }) => [can_check, checking]),
    [[true, []]],
  );
});

test("reports the result of both commands, and leaves no folder", async () => {
  await using fixture = await createFixture();
  const { setup, verify, unavailable, message } = await fixture.result(commands("echo ready", GREEN));
  assert.deepEqual([setup?.exit_code, verify?.exit_code, unavailable, message], [0, 0, false, null]);
  assert.deepEqual(readdirSync(fixture.worker.runs), []);
});

test("reports the end of the output of failing tests", async () => {
  await using fixture = await createFixture();
  const { setup, verify, unavailable, message } = await fixture.result(commands(null, VERIFY));
  assert.deepEqual([setup, verify?.exit_code, unavailable], [null, 1, false]);
  assert.match(message ?? "", /sum\(2, 3\) is -1\n+\[exit code 1, \d+ ms\]$/);
});

test("reports a failing setup command with its output, and runs no tests", async () => {
  await using fixture = await createFixture();
  const { setup, verify, unavailable, message } = await fixture.result(commands("echo no lock file; exit 3", GREEN));
  assert.deepEqual([setup?.exit_code, verify, unavailable], [3, null, false]);
  assert.equal(message, "the setup command failed with exit code 3\nno lock file");
});

test("runs the setup command in every check, and keeps its result for the first run", async () => {
  await using folder = makeRepository(RED_FILES);
  const { tools } = await openTestDependencies(folder.folder);
  const restored: string[] = [];
  const cache = { ...tools.cache, restore: async (key: string) => restored.push(key) > 0 };
  await using fixture = await createFixture({ dependencies: { ...tools, cache } });
  for (const check_id of ["chk_1", "chk_2"]) {
    const { setup } = await fixture.result({ ...commands("echo ready > made", GREEN), check_id });
    assert.equal(setup?.exit_code, 0);
  }
  assert.deepEqual(restored, []);
  assert.equal(readdirSync(join(folder.folder, "dependencies")).length, 1);
});

test("is unavailable if a program is missing or the clone fails", async () => {
  await using fixture = await createFixture();
  const missing = await fixture.result(commands(null, "no-such-tool test"));
  assert.equal(missing.unavailable, true);
  assert.match(missing.message ?? "", /no-such-tool: not found/);
  const clone = { url: `${fixture.panel.url}/nothing`, branch: null, sha: null };
  const unclonable = await fixture.result({ ...commands(null, GREEN), check_id: "chk_2", clone });
  assert.deepEqual([unclonable.unavailable, unclonable.setup, unclonable.verify], [true, null, null]);
});

test("is unavailable after its timeout", async () => {
  await using fixture = await createFixture();
  const late = await fixture.result({ ...commands("tail -f /dev/null", null), timeout_s: 0.2 });
  assert.deepEqual([late.unavailable, late.setup], [true, null]);
  assert.match(late.message ?? "", /timed out after 0.2 s/);
});

test("keeps sealed variables and the token out of the message", async () => {
  await using fixture = await createFixture();
  const environment = [{ name: "SECRET", value: "hunter2-hunter2-hunter2", sealed: true }];
  const { message } = await fixture.result({ ...commands('echo "with $SECRET"; exit 1', null), environment });
  assert.match(message ?? "", /with \[redacted:SECRET\]/);
});

test("reuses a check's result in a run at the same commit", async () => {
  await using fixture = await createFixture();
  await fixture.result(commands(null, VERIFY));
  fixture.panel.assign();
  const run = fixture.panel.run("run_1");
  await fixture.panel.until(() => run.state === "pushing");
  const [running] = run.states.map(({ data }) => data);
  assert.deepEqual((running["baseline"] as { cached: boolean }).cached, true);
});

test("takes a slot: a concurrent run is refused", async () => {
  await using fixture = await createFixture({ slots: 1 });
  fixture.panel.check(commands("tail -f /dev/null", null));
  fixture.panel.assign();
  await fixture.panel.until(() => fixture.panel.framesOf("refuse").length > 0);
  assert.equal(fixture.panel.framesOf("refuse").at(0)?.reason, "no_slot");
});

test("sends its result on every connection until the panel acknowledges it", async () => {
  await using fixture = await createFixture();
  const { panel } = fixture;
  let sent = 0;
  panel.fate = ({ t }) => (t === "checked" && ++sent < 3 ? "unanswered" : "heard");
  panel.check(commands(null, GREEN));
  await panel.until(() => panel.framesOf("checked").length === 3);
  assert.deepEqual(
    panel.framesOf("hello").map(({ checking }) => checking),
    [[], ["chk_1"], ["chk_1"]],
  );
  panel.disconnect();
  await panel.until(() => panel.framesOf("hello").length >= 4);
  assert.equal(panel.framesOf("checked").length, 3);
});

test("runs a duplicate check once", async () => {
  await using fixture = await createFixture();
  const { panel } = fixture;
  panel.fate = ({ t }) => (t === "checked" ? "held" : "heard");
  panel.check(commands(null, GREEN));
  await panel.until(() => panel.framesOf("checked").length === 1);
  panel.check(commands(null, GREEN));
  await panel.until(() => panel.framesOf("ack").length === 2);
  assert.equal(fixture.worker.log.filter((line) => line === "check chk_1 started").length, 1);
});

test("ends its check without a result on stop, and forgets it after a restart", async () => {
  await using fixture = await createFixture();
  const { panel, worker, folder } = fixture;
  panel.check(commands("tail -f /dev/null", null));
  await panel.until(() => worker.log.includes("check chk_1 started"));
  await worker.stop();
  await using later = await startTestWorker(panel, folder);
  await panel.until(() => panel.connections === 2);
  assert.deepEqual(panel.framesOf("hello").at(-1)?.checking, []);
  assert.deepEqual([panel.framesOf("checked").length, readdirSync(later.runs)], [0, []]);
});
