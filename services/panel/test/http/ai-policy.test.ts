import type { AiPolicyRecord } from "../../src/domain/records.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { proposal } from "../support/candidate.ts";
import { createFixture } from "../support/create-fixture.ts";

const QUOTE = "No LLMs for pull requests.";
let repos = 0;

async function createPolicyFixture() {
  const fixture = await createFixture();
  const { ask, pro, panel } = fixture;
  const token = pro.access_token;
  return {
    ...fixture,
    token,
    /** A repo whose project says this. */
    async repoWith(stance: AiPolicyRecord["stance"], body: object = {}): Promise<string> {
      const url = `https://git.example.org/acme/p${++repos}.git`;
      const made = await ask("POST", "/api/repos", { token, body: { url, provider: "github", ...body } });
      const { id } = made.json<{ id: string }>();
      const policy = { stance, source: "CONTRIBUTING.md:3", quote: QUOTE, checkedAt: 1_000, override: null };
      await panel.store.change(pro.account_id, ({ repos: stored }) => stored.notePolicy(id, policy));
      return id;
    },
    run: (id: string, body: object = {}) => ask("POST", `/api/repos/${id}/run`, { token, body }),
    patch: (id: string, body: object, as = token) => ask("PATCH", `/api/repos/${id}`, { token: as, body }),
    read: async (id: string) => (await ask("GET", `/api/repos/${id}`, { token })).json(),
    audit: async () =>
      (await fixture.database.db.selectFrom("audit").select("what").orderBy("id").execute()).map(({ what }) => what),
  };
}

test("AI policies over HTTP", async (t) => {
  await using fixture = await createPolicyFixture();
  const { repoWith, run, patch, read, ask, token, pro, audit, panel } = fixture;

  await t.test("are none until the first contact", async () => {
    const made = await ask("POST", "/api/repos", { token, body: { url: "https://git.example.org/acme/new.git" } });
    assert.deepEqual(made.json().ai_policy, {
      stance: "none",
      source: null,
      quote: null,
      checked_at: null,
      override: null,
    });
  });

  await t.test("refuse a run with 409 policy_forbids, the sentence and its source", async () => {
    const id = await repoWith("forbidden");
    const { statusCode, ...answer } = await run(id);
    const problem = answer.json();
    assert.deepEqual([statusCode, problem.code, problem.repo_id], [409, "policy_forbids", id]);
    assert.deepEqual([problem.stance, problem.quote, problem.source], ["forbidden", QUOTE, "CONTRIBUTING.md:3"]);
    assert.match(problem.detail, /CONTRIBUTING\.md:3: “No LLMs for pull requests\.”/);
    assert.deepEqual((await read(id)).ai_policy.checked_at, "1970-01-01T00:00:01.000Z");
  });

  await t.test("refuse a candidate's run and a retry that were possible before", async () => {
    const id = await repoWith("none");
    const started = (await run(id)).json();
    assert.equal((await ask("POST", `/api/runs/${started.id}/cancel`, { token })).statusCode, 202);
    await panel.store.change(pro.account_id, async ({ candidates, repos: stored }) => {
      await candidates.add({
        id: "cnd_forbidden",
        repoId: id,
        state: "proposed",
        proposal: proposal(1),
        exploreRunId: started.id,
        baseSha: null,
        isStale: false,
        attempts: 0,
        runId: null,
        outcome: null,
        reject: null,
        was: { selected: false, delivered: false },
        createdAt: 1_000,
      });
      const policy = { source: "CONTRIBUTING.md:3", quote: QUOTE, checkedAt: 1_000, override: null };
      await stored.notePolicy(id, { stance: "forbidden", ...policy });
    });
    for (const path of ["/api/candidates/cnd_forbidden/run", `/api/runs/${started.id}/retry`]) {
      const refused = await ask("POST", path, { token, body: {} });
      assert.deepEqual([refused.statusCode, refused.json().code], [409, "policy_forbids"], path);
    }
    const { items } = (await ask("GET", `/api/runs?repo_id=${id}`, { token })).json();
    assert.equal(items.length, 1);
  });

  await t.test("allow exploring a repository that forbids runs", async () => {
    const id = await repoWith("forbidden");
    const explored = await ask("POST", `/api/repos/${id}/explore`, { token, body: {} });
    assert.equal(explored.statusCode, 202, explored.body);
  });

  await t.test("refuse to enable a schedule, and let other settings change", async () => {
    const id = await repoWith("forbidden");
    const refused = await patch(id, { schedule: "0 3 * * *" });
    assert.deepEqual([refused.statusCode, refused.json().code], [409, "policy_forbids"]);
    assert.equal((await patch(id, { focus: "Other" })).statusCode, 200);
    assert.equal((await patch(id, { schedule: { enabled: false, cron: "0 3 * * *" } })).statusCode, 200);
  });

  await t.test("are lifted by a reason with the name of the person, audited, and applied again", async () => {
    const id = await repoWith("forbidden");
    const lifted = await patch(id, { ai_policy: { override: "  We maintain\n it ourselves. " } });
    assert.equal(lifted.statusCode, 200, lifted.body);
    const { stance, override } = lifted.json().ai_policy;
    assert.deepEqual([stance, override], ["forbidden", `allowed by ${pro.email}, We maintain it ourselves.`]);
    assert.equal((await run(id)).statusCode, 202);
    const again = await patch(id, { ai_policy: { override: null } });
    assert.equal(again.json().ai_policy.override, null);
    assert.equal((await run(id, { focus: "Another" })).json().code, "policy_forbids");
    assert.equal((await patch(id, { ai_policy: null })).statusCode, 200);
    const entries = (await audit()).filter((what) => what.includes(id));
    assert.deepEqual(
      entries.toSorted(),
      [
        `ai_policy_overridden ${id} by ${pro.email}: We maintain it ourselves.`,
        `ai_policy_override_removed ${id} by ${pro.email}`,
        `ai_policy_override_removed ${id} by ${pro.email}`,
      ].toSorted(),
    );
  });

  await t.test("are not lifted by a token without the scope admin", async () => {
    const id = await repoWith("forbidden");
    const body = { name: "agent", scopes: ["read", "write"] };
    const weak = (await ask("POST", "/api/account/tokens", { token, body })).json().token;
    const refused = await patch(id, { ai_policy: { override: "please" } }, weak);
    assert.deepEqual([refused.statusCode, refused.json().code], [403, "scope_required"]);
    assert.equal(refused.json().required_scope, "admin");
    assert.equal((await patch(id, { focus: "Allowed" }, weak)).statusCode, 200);
  });

  await t.test("refuse an override without a reason, with other members, or if there is no policy", async () => {
    const id = await repoWith("forbidden");
    for (const ai_policy of [{ override: "" }, { override: " " }, { override: 1 }, { stance: "none" }, "none"])
      assert.equal((await patch(id, { ai_policy })).statusCode, 400, JSON.stringify(ai_policy));
    assert.equal((await patch(id, { ai_policy: { override: "x".repeat(301) } })).statusCode, 400);
    const free = await patch(await repoWith("none"), { ai_policy: { override: "why not" } });
    assert.deepEqual([free.statusCode, free.json().errors[0].path], [400, "/ai_policy/override"]);
  });

  await t.test("require a reviewer if a person must review first", async () => {
    const id = await repoWith("human_only");
    const refused = await run(id);
    assert.deepEqual(
      [refused.statusCode, refused.json().code, refused.json().stance],
      [409, "policy_forbids", "human_only"],
    );
    assert.match(refused.json().detail, /`pr\.reviewers`/);
    await patch(id, { pr: { reviewers: ["ada"] } });
    assert.equal((await run(id)).statusCode, 202);
    assert.equal((await run(await repoWith("human_only", { provider: "git" }))).statusCode, 202);
    assert.equal((await run(await repoWith("disclose"))).statusCode, 202);
  });
});
