import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "@triptych/storage";
import { PANEL_MIGRATIONS, PANEL_SCHEMA } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { take } from "../support/channel-run.ts";
import { createChannelFixture, REPO, type ChannelFixture } from "../support/create-channel-fixture.ts";

/** A run queued at level `none`, on a panel restarted with a higher minimum. */
async function openRaised() {
  await using opened = new AsyncDisposableStack();
  const place = { url: "sqlite::memory:", schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  const database = opened.use(await openDatabase<PanelTables>(place));
  const before = opened.use(await createChannelFixture({ database }));
  const { access_token: token, license_key: key } = await before.make("pro");
  const ask = async (fixture: ChannelFixture, method: string, path: string, body?: object) =>
    (await fixture.ask(token, method, path, body)).body;
  const isolation = { level_required: "none" };
  const repo = await ask(before, "POST", "/api/repos", { ...REPO, isolation });
  const queued = await ask(before, "POST", `/api/repos/${repo.id}/run`, {});
  assert.deepEqual(
    [queued["isolation"], queued["warnings"]],
    [{ level: "none", network: "model_only" }, ["no_worker_connected"]],
  );
  const fixture = opened.use(await createChannelFixture({ database, isolationMin: "sandbox" }));
  const parts = opened.move();
  return {
    fixture,
    key,
    read: (path = `/api/runs/${queued.id}`) => ask(fixture, "GET", path),
    repoPath: `/api/repos/${repo.id}`,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

test("shows a queued run at the raised minimum, alone and in the list", async () => {
  await using raised = await openRaised();
  const run = await raised.read();
  assert.deepEqual(run["isolation"], { level: "sandbox", network: "model_only" });
  assert.deepEqual(run["warnings"], ["no_worker_connected", "isolation_raised"]);
  const { items } = (await raised.read("/api/runs")) as unknown as { readonly items: readonly object[] };
  assert.deepEqual(items, [run]);
});

test("leases such a run to no worker below the minimum, and suggests no level below it", async () => {
  await using raised = await openRaised();
  await raised.fixture.join(raised.key, { isolation: "worktree" });
  const run = await raised.read();
  assert.deepEqual([run["state"], run["queue_reason"]], ["queued", "no_worker_with_isolation"]);
  assert.doesNotMatch(String(run["queue_hint"]), /level_required/);
  const { would_wait } = (await raised.read(raised.repoPath)) as unknown as { readonly would_wait: Waits };
  assert.equal(would_wait.explore?.reason, "no_worker_with_isolation");
  assert.doesNotMatch(would_wait.explore.hint, /level_required/);
});

test("assigns such a run to a worker at the minimum", async () => {
  await using raised = await openRaised();
  const worker = await raised.fixture.join(raised.key);
  await take(worker);
  const [assign] = worker.received.filter(({ t }) => t === "assign") as unknown as readonly Assigned[];
  assert.equal(assign?.isolation.level_required, "sandbox");
  const { isolation, warnings } = await raised.read();
  assert.deepEqual([isolation, warnings], [{ level: "sandbox", network: "model_only" }, ["isolation_raised"]]);
});

interface Waits {
  readonly explore: { readonly reason: string; readonly hint: string } | null;
}

interface Assigned {
  readonly isolation: { readonly level_required: string };
}
