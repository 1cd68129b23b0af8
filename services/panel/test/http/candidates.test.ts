import assert from "node:assert/strict";
import { test } from "node:test";
import { propose } from "../../src/domain/candidates/candidates.ts";
import { transitionRun } from "../../src/domain/create-run.ts";
import { storeOn } from "../../src/store/open-store.ts";
import { proposal } from "../support/candidate.ts";
import { createFixture } from "../support/create-fixture.ts";

const REPO = { url: "https://git.example.org/acme/sum.git" };

/** A repo of the account `pro` with candidates of these scores, highest first. */
async function openScouted(...marks: number[]) {
  const fixture = await createFixture();
  const { access_token: token, account_id: owner } = fixture.pro;
  const repo = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  const { id } = (await fixture.ask("POST", `/api/repos/${repo.id}/explore`, { token, body: {} })).json();
  const store = storeOn(fixture.database);
  let count = 0;
  const newId = (prefix: string) => `${prefix}_${String(count++).padStart(26, "0")}`;
  await store.change(owner, async (repositories) => {
    const scout = await repositories.runs.find(id);
    assert.ok(scout !== null);
    await propose(
      repositories,
      scout,
      marks.map((mark) => proposal(mark)),
      { newId, now: 1, clean: (text) => text },
    );
  });
  const list = async (query = "") =>
    (await fixture.ask("GET", `/api/repos/${repo.id}/candidates${query}`, { token })).json();
  return { fixture, token, owner, repo, store, list, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

test("lists candidates by score, paginated, filtered by state and category, with counts", async () => {
  await using scouted = await openScouted(10, 30, 20);
  const { fixture, token, repo, list } = scouted;
  const first = await list("?limit=2");
  assert.deepEqual(
    first.items.map(({ title }: { title: string }) => title),
    ["finding 30", "finding 20"],
  );
  const rest = await list(`?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([rest.items.length, rest.items[0].title, rest.next_cursor], [1, "finding 10", null]);
  assert.equal((await list("?category=docs")).items.length, 0);
  const faulty = await list("?cursor=bm9uc2Vuc2U&state=gone");
  assert.deepEqual(faulty.errors.map(({ path }: { path: string }) => path).toSorted(), ["?cursor", "?state"]);

  const reject = (id: string, body: unknown) => fixture.ask("POST", `/api/candidates/${id}/reject`, { token, body });
  const rejected = await reject(first.items[0].id, { reason: "we want it so" });
  assert.deepEqual([rejected.statusCode, rejected.json().reject.reason], [200, "we want it so"], rejected.body);
  assert.deepEqual((await reject(first.items[0].id, {})).json(), rejected.json());
  assert.equal((await list("?state=all")).items.length, 3);
  assert.equal((await list("?state=rejected")).items.length, 1);
  const stats = await fixture.ask("GET", `/api/repos/${repo.id}/explore-stats`, { token });
  assert.deepEqual(stats.json(), {
    proposed: 2,
    selected: 0,
    rejected: 1,
    done: 0,
    total: 3,
    suppressed: 0,
    dropped_green: 0,
    funnel: { ever_proposed: 3, ever_selected: 0, delivered: 0 },
  });
  assert.equal((await fixture.ask("GET", `/api/repos/${repo.id}`, { token })).json().stats.candidates_proposed, 2);
});

test("POST /api/candidates/{id}/reject takes a scope and a time, and lists every issue of bad ones with 400", async () => {
  await using scouted = await openScouted(10);
  const { fixture, token, list } = scouted;
  const [{ id }] = (await list()).items;
  const reject = (body: unknown) => fixture.ask("POST", `/api/candidates/${id}/reject`, { token, body });
  const bad = await reject({ scope: "minor", until: "tomorrow", reason: "" });
  const paths = bad.json().errors.map(({ path }: { path: string }) => path);
  assert.deepEqual([bad.statusCode, paths.toSorted()], [400, ["/reason", "/scope", "/until"]]);
  const past = await reject({ until: "2020-01-01T00:00:00Z" });
  assert.deepEqual([past.statusCode, past.json().errors[0].path], [400, "/until"]);
  assert.equal((await list()).items.length, 1);
  const until = "2100-01-01T00:00:00.000Z";
  const snoozed = await reject({ scope: "major", until, reason: "later" });
  const { reason, scope, until: again } = snoozed.json().reject;
  assert.deepEqual([snoozed.statusCode, reason, scope, again], [200, "later", "major", until]);
});

test("creates one run of a candidate with its focus and gate, and another after cancellation", async () => {
  await using scouted = await openScouted(10, 20);
  const { fixture, token, repo, list, store, owner } = scouted;
  const [{ id }, other] = (await list()).items;
  const run = (body: unknown, headers = {}) =>
    fixture.ask("POST", `/api/candidates/${id}/run`, { token, body, headers });
  const keyed = { "idempotency-key": "one" };
  const made = await run({ persist: true, priority: 3 }, keyed);
  assert.equal(made.statusCode, 202, made.body);
  const { trigger, focus, gate, priority } = made.json();
  assert.deepEqual([trigger.type, trigger.candidate_id, priority], ["candidate", id, 3]);
  assert.deepEqual([focus, gate.cmd, gate.baseline], ["Mend finding 20.", "test ! -e 20", "must_fail"]);
  assert.equal(made.headers.location, `/api/runs/${made.json().id}`);
  assert.deepEqual([made.json().queue_reason, made.json().queue_position], ["no_worker", 1]);
  assert.equal((await run({ persist: true, priority: 3 }, keyed)).json().id, made.json().id);
  assert.equal((await fixture.ask("GET", `/api/repos/${repo.id}`, { token })).json().focus, focus);
  const twice = await run({});
  assert.deepEqual(
    [twice.statusCode, twice.json().code, twice.json().run_id, twice.json().current_state],
    [409, "candidate_not_proposed", made.json().id, "selected"],
  );
  assert.equal((await list("?state=selected")).items[0].run_id, made.json().id);
  assert.equal((await fixture.ask("GET", `/api/runs?candidate_id=${id}`, { token })).json().items.length, 1);

  await fixture.ask("POST", `/api/runs/${made.json().id}/cancel`, { token });
  assert.deepEqual((await list("?state=proposed")).items[0].attempts, 1);
  const retried = await fixture.ask("POST", `/api/runs/${made.json().id}/retry`, { token, body: {} });
  assert.deepEqual(
    [retried.statusCode, retried.json().trigger.candidate_id, retried.json().trigger.retry_of],
    [202, id, made.json().id],
    retried.body,
  );
  assert.deepEqual([retried.json().queue_reason, retried.json().queue_position], ["no_worker", 1]);
  const active = await store.of(owner).runs.find(retried.json().id);
  assert.ok(active !== null);
  await store.change(owner, (repositories) =>
    transitionRun(repositories, active, "aged_out", { at: 1, result: { code: "expired", message: "" } }),
  );
  await fixture.ask("POST", `/api/candidates/${id}/reject`, { token, body: {} });
  const late = await fixture.ask("POST", `/api/runs/${active.id}/retry`, { token, body: {} });
  assert.deepEqual([late.statusCode, late.json().code], [409, "candidate_rejected"]);

  await fixture.ask("PATCH", `/api/repos/${repo.id}`, { token, body: { status: "paused" } });
  const paused = await fixture.ask("POST", `/api/candidates/${other.id}/run`, { token, body: {} });
  assert.equal(paused.json().code, "repo_paused");
  assert.equal((await list("?state=proposed")).items.length, 1);
});

test("answers 404 for a candidate of another account or of a removed repo", async () => {
  await using scouted = await openScouted(10);
  const { fixture, token, repo, list } = scouted;
  const [{ id }] = (await list()).items;
  const stranger = fixture.free.access_token;
  for (const path of [`/api/candidates/${id}/run`, `/api/candidates/${id}/reject`])
    assert.equal((await fixture.ask("POST", path, { token: stranger, body: {} })).statusCode, 404);
  assert.equal((await fixture.ask("GET", `/api/runs?candidate_id=${id}`, { token: stranger })).statusCode, 404);
  await fixture.ask("DELETE", `/api/repos/${repo.id}`, { token });
  assert.equal((await fixture.ask("POST", `/api/candidates/${id}/run`, { token, body: {} })).statusCode, 404);
});
