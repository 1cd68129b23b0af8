import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startPanel } from "./support/panel-double.ts";
import { git, makeRepository, RED_FILES } from "./support/repository.ts";
import { startTestWorker } from "./support/start-worker.ts";

test("a run is carried from red to green, and its bundle is with the panel before the panel is asked to push", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  await using worker = await startTestWorker(panel, join(repository.folder, "worker"));
  await panel.until(() => panel.heardOf("hello").length === 1);
  panel.assign();
  const run = panel.run("run_1");
  await panel.until(() => run.state === "pushing");

  assert.deepEqual(
    run.told.map(({ state }) => state),
    ["running", "verifying", "pushing"],
  );
  const [running, , pushing] = run.told.map(({ data }) => data);
  assert.deepEqual(running["base"], { branch: "main", sha: repository.sha });
  assert.ok(run.bundle !== null);
  const file = join(repository.folder, "arrived.bundle");
  writeFileSync(file, run.bundle.bytes);
  git(repository.bare, "fetch", "--quiet", file, "refs/heads/maint/run_1:refs/heads/arrived");
  assert.equal(git(repository.bare, "rev-parse", "arrived"), pushing["head_sha"]);
  assert.equal(git(repository.bare, "show", "arrived:sum.mjs"), "export const sum = (a, b) => a + b;");
  assert.ok(worker.log.some((line) => line.includes("run_1 begins")));
  await panel.until(() => true);
  assert.ok([...run.events.values()].some(({ kind }) => kind === "usage"));
});
