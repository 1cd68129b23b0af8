import assert from "node:assert/strict";
import { test } from "node:test";
import { openRun, report } from "../support/channel-run.ts";
import { createChannelFixture, SHA, type ChannelFixture } from "../support/create-channel-fixture.ts";

const FINDING = { stance: "forbidden", source: "CONTRIBUTING.md:3", quote: "No LLMs for pull requests." } as const;

async function repoOf({ store }: ChannelFixture, owner: string) {
  const [repo] = await store.of(owner).repos.list({}, { below: null, limit: 1 });
  assert.ok(repo !== undefined);
  return repo;
}

test("ends a queued run whose repository turned out to forbid it, before a worker sees it", async () => {
  await using fixture = await createChannelFixture();
  const { owner, key, start, is } = await openRun(fixture);
  const run = await start();
  const { id } = await repoOf(fixture, owner);
  await fixture.store.change(owner, ({ repos }) => repos.notePolicy(id, { ...FINDING, checkedAt: 1, override: null }));
  await fixture.join(key);
  const { result } = await is(run.id, "failed", 1);
  assert.deepEqual(result, { code: "policy_forbids", message: "CONTRIBUTING.md:3: “No LLMs for pull requests.”" });
});

test("tells the worker to end a run that the base commit forbids, and refuses later runs", async () => {
  await using fixture = await createChannelFixture();
  const { token, owner, key, start, is } = await openRun(fixture);
  const worker = await fixture.join(key);
  const run = await start();
  const offer = await worker.next("assign");
  assert.deepEqual(offer.ai_policy, { allowed: false });
  worker.say({ t: "ack", cid: offer.cid });
  const lease = { run_id: offer.run_id, epoch: offer.epoch };
  worker.say({ t: "accept", ...lease });
  const data = { code: "policy_forbids", message: "…", base: { branch: "main", sha: SHA }, ai_policy: FINDING };
  assert.equal(await report(worker, "m1", { ...lease, state: "failed", data }), "ok");
  await is(run.id, "failed", 1);
  const { id } = await repoOf(fixture, owner);
  const again = await fixture.ask(token, "POST", `/api/repos/${id}/run`, { focus: "Another" });
  assert.deepEqual([again.status, again.body["code"], again.body["quote"]], [409, "policy_forbids", FINDING.quote]);
});

test("tells the worker to work if a person has lifted the policy", async () => {
  await using fixture = await createChannelFixture();
  const { owner, key, start } = await openRun(fixture);
  const { id } = await repoOf(fixture, owner);
  const override = { by: "ada@example.test", reason: "ours", at: 1, stance: "forbidden" } as const;
  await fixture.store.change(owner, ({ repos }) => repos.notePolicy(id, { ...FINDING, checkedAt: 1, override }));
  const worker = await fixture.join(key);
  await start();
  const offer = await worker.next("assign");
  assert.deepEqual(offer.ai_policy, { allowed: true });
});
