/** Exhausted quotas are reported before state conflicts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PLAN_TERMS } from "../../src/domain/plans.ts";
import { createFixture } from "../support/create-fixture.ts";

const repoAt = (name: string) => ({ url: `https://git.example.org/acme/${name}.git` });

test("answers 403 to exhausted repos and memories, and 429 to exhausted runs and explores", async () => {
  await using fixture = await createFixture();
  const ask = (method: "GET" | "POST", path: string, { token, body = {} }: { token: string; body?: object }) =>
    fixture.ask(method, path, { token, ...(method === "POST" && { body }) });
  const [pro, free] = [fixture.pro.access_token, fixture.free.access_token];
  const repos: { id: string }[] = [];
  for (let number = 0; number < PLAN_TERMS.free.repos; number++)
    repos.push((await ask("POST", "/api/repos", { token: free, body: repoAt(`r${number}`) })).json());
  const { code, limit, current, required_plan, status } = (
    await ask("POST", "/api/repos", { token: free, body: repoAt("one-more") })
  ).json();
  assert.deepEqual([status, code, limit, current, required_plan], [403, "quota_exceeded", 5, 5, "pro"]);

  const memories = `/api/repos/${repos[0]?.id}/memories`;
  for (let number = 0; number < PLAN_TERMS.free.memoriesPerRepo; number++)
    await ask("POST", memories, { token: free, body: { text: `Fact ${number}.` } });
  const full = await ask("POST", memories, { token: free, body: { text: "One more." } });
  assert.deepEqual(
    [full.statusCode, full.json().code, full.headers["retry-after"]],
    [403, "quota_exceeded", undefined],
  );
  assert.equal((await ask("POST", memories, { token: free, body: { text: "fact  1." } })).statusCode, 200);

  const runs = `/api/repos/${repos[0]?.id}/run`;
  const first = (await ask("POST", runs, { token: free })).json();
  const { store, panel } = fixture;
  const owner = fixture.free.account_id;
  await store.change(owner, async (repositories) => {
    const run = await repositories.runs.find(first.id);
    assert.ok(run);
    for (let number = 1; number < PLAN_TERMS.free.runsPerMonth; number++)
      await repositories.runs.add({ ...run, id: panel.newId("run"), state: "cancelled", focus: `${number}` });
  });
  const late = await ask("POST", runs, { token: free });
  assert.deepEqual([late.statusCode, late.json().code, late.json().current], [429, "quota_exceeded", 100]);
  const wait = Date.parse("2026-12-01T00:00:00Z") - fixture.now();
  assert.equal(Number(late.headers["retry-after"]), Math.ceil(wait / 1000));
  const retried = await ask("POST", `/api/runs/${first.id}/retry`, { token: free });
  assert.deepEqual([retried.statusCode, retried.json().code], [429, "quota_exceeded"]);
  fixture.advance(wait);
  assert.equal((await ask("POST", runs, { token: free })).json().code, "run_already_active");

  const scouted = (await ask("POST", "/api/repos", { token: pro, body: repoAt("scouted") })).json();
  const explore = `/api/repos/${scouted.id}/explore`;
  const scout = (await ask("POST", explore, { token: pro })).json();
  await store.change(fixture.pro.account_id, async (repositories) => {
    const run = await repositories.runs.find(scout.id);
    assert.ok(run);
    for (let number = 1; number < PLAN_TERMS.pro.exploresPerDay; number++)
      await repositories.runs.add({ ...run, id: panel.newId("run"), state: "succeeded" });
  });
  const enough = await ask("POST", explore, { token: pro });
  assert.deepEqual([enough.statusCode, enough.json().code], [429, "quota_exceeded"]);
  const midnight = Math.ceil(fixture.now() / 86_400_000) * 86_400_000 || 0;
  assert.equal(Number(enough.headers["retry-after"]), Math.ceil((midnight - fixture.now()) / 1000));
});
