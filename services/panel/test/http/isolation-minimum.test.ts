import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

const REPO = { url: "https://git.example.org/acme/sum.git" };
const WEAK = { isolation: { level_required: "worktree" } };

test("rejects an isolation below the operator's minimum with 403, and changes nothing", async () => {
  await using fixture = await createFixture({ isolationMin: "sandbox" });
  const token = fixture.pro.access_token;
  const refused = await fixture.ask("POST", "/api/repos", { token, body: { ...REPO, ...WEAK } });
  const { code, minimum, requested } = refused.json();
  assert.deepEqual(
    [refused.statusCode, code, minimum, requested],
    [403, "isolation_below_minimum", "sandbox", "worktree"],
  );
  assert.deepEqual((await fixture.ask("GET", "/api/repos", { token })).json().items, []);

  const strong = { ...REPO, isolation: { level_required: "container" } };
  const made = await fixture.ask("POST", "/api/repos", { token, body: strong });
  assert.equal(made.statusCode, 201, made.body);
  const at = `/api/repos/${made.json().id}`;
  assert.equal((await fixture.ask("PATCH", at, { token, body: WEAK })).json().code, "isolation_below_minimum");
  const same = (await fixture.ask("GET", at, { token })).json();
  assert.deepEqual([same.isolation.level_required, same.revision], ["container", 1]);
});

test("creates runs at the operator's minimum even if a repo's setting is below it", async () => {
  await using fixture = await createFixture({ isolationMin: "sandbox" });
  const token = fixture.pro.access_token;
  const { id } = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  await fixture.store.change(fixture.pro.account_id, async ({ repos }) => {
    const repo = await repos.find(id);
    assert.ok(repo !== null);
    const isolation = { ...repo.settings.isolation, level_required: "none" } as const;
    await repos.save({ ...repo, settings: { ...repo.settings, isolation } });
  });
  const run = (await fixture.ask("POST", `/api/repos/${id}/run`, { token, body: {} })).json();
  assert.equal(run.isolation.level, "sandbox");
  assert.deepEqual(run.warnings, ["no_worker_connected", "isolation_raised"]);
});
