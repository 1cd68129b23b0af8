/** Our fake GitHub, used by GitHub's client and the panel's. Validates each exchange against GitHub's OpenAPI document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Octokit } from "@octokit/rest";
import { createForgeCall, type ForgeCall } from "../../services/panel/src/forges/call.ts";
import { githubForge } from "../../services/panel/src/forges/github.ts";
import { openFake, TOKEN } from "./fake.ts";
import { assertAsPublished, recorder, statusOf } from "./exchanges.ts";
import { memberOf, type HttpExchange } from "./published.ts";

const AT = { owner: "acme", repo: "sum" };
const PR_INPUT = { title: "Repair", body: "It is fixed.", branch: "maint/one", base: "main", draft: true, labels: [] };

function octokitOf(url: string) {
  const baseUrl = `${url}/api/v3`;
  const { exchanges, fetch } = recorder(baseUrl);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  return { exchanges, octokit: new Octokit({ baseUrl, auth: TOKEN, request: { fetch }, log }) };
}

test("opens, finds, updates, closes and reopens a pull request with @octokit/rest, with responses in GitHub's schema", async () => {
  await using fake = await openFake("github");
  const { octokit, exchanges } = octokitOf(fake.forge.url);
  const repository = await octokit.rest.repos.get(AT);
  assert.deepEqual([repository.data.default_branch, repository.data.permissions?.push], ["main", true]);
  const made = await octokit.rest.pulls.create({
    ...AT,
    title: "Repair",
    head: "maint/one",
    base: "main",
    draft: true,
  });
  assert.deepEqual([made.status, made.data.number, made.data.draft, made.data.head.ref], [201, 1, true, "maint/one"]);
  await octokit.rest.pulls.create({ ...AT, title: "Second", head: "maint/two", base: "main" });
  const found = await octokit.rest.pulls.list({ ...AT, state: "all", head: "acme:maint/one" });
  assert.deepEqual(
    found.data.map(({ number }) => number),
    [1],
  );
  const page = await octokit.rest.pulls.list({ ...AT, per_page: 1, page: 2 });
  assert.deepEqual(
    page.data.map(({ number }) => number),
    [1],
  );
  const labelled = await octokit.rest.issues.addLabels({ ...AT, issue_number: 1, labels: ["maintenance"] });
  assert.deepEqual(
    labelled.data.map(({ name }) => name),
    ["maintenance"],
  );
  const reviewed = await octokit.rest.pulls.requestReviewers({
    ...AT,
    pull_number: 1,
    reviewers: ["ada"],
  });
  assert.deepEqual(
    reviewed.data.requested_reviewers?.map((reviewer) => memberOf(reviewer, "login")),
    ["ada"],
  );
  const closed = await octokit.rest.pulls.update({ ...AT, pull_number: 1, state: "closed" });
  assert.deepEqual([closed.data.state, closed.data.merged], ["closed", false]);
  assert.equal((await octokit.rest.pulls.update({ ...AT, pull_number: 1, state: "open" })).data.state, "open");
  fake.forge.pulls.close(1, { merged: true });
  const merged = await octokit.rest.pulls.get({ ...AT, pull_number: 1 });
  assert.deepEqual([merged.data.state, merged.data.merged, typeof merged.data.merged_at], ["closed", true, "string"]);
  assert.equal(exchanges.length, 10);
  assertAsPublished(exchanges);
});

test("returns GitHub's documented errors to @octokit/rest", async () => {
  await using fake = await openFake("github");
  const { octokit, exchanges } = octokitOf(fake.forge.url);
  const pull = { ...AT, title: "Repair", head: "maint/one", base: "main" };
  await octokit.rest.pulls.create(pull);
  assert.equal(await statusOf(octokit.rest.pulls.create(pull)), 422);
  assert.equal(await statusOf(octokit.rest.pulls.create({ ...pull, head: "gone" })), 422);
  assert.equal(await statusOf(octokit.rest.pulls.get({ ...AT, pull_number: 99 })), 404);
  const limited = fake.forge.failNext("rate_limited");
  assert.equal(await statusOf(octokit.rest.pulls.create({ ...pull, head: "maint/two" })), 403);
  await limited;
  assertAsPublished(exchanges);
});

test("sends only requests that GitHub documents", async () => {
  await using fake = await openFake("github");
  const base = `${fake.forge.url}/api/v3`;
  const exchanges: HttpExchange[] = [];
  const direct = createForgeCall({
    base,
    headers: { Authorization: `Bearer ${TOKEN}` },
    resolve: async () => null,
    timeoutMs: 5_000,
    onAnswer: () => {},
  });
  const call: ForgeCall = async (method, path, sent) => {
    const answer = await direct(method, path, sent);
    const [at = "", query] = path.split("?");
    exchanges.push({ method, path: at, query: new URLSearchParams(query), sent, ...answer });
    return answer;
  };
  const forge = githubForge(call, "acme/sum");
  assert.deepEqual(await forge.checkCredential(), { push: true, openPr: true });
  const made = await forge.createPr(PR_INPUT);
  assert.deepEqual([made.number, made.state, made.draft], [1, "open", true]);
  await assert.rejects(forge.createPr(PR_INPUT), { kind: "exists" });
  await forge.decorate(1, { labels: ["maintenance"], reviewers: ["ada"], assignees: [] });
  assert.deepEqual(await forge.findPrsByHead("maint/one"), [made]);
  fake.forge.pulls.close(1, { merged: false });
  assert.equal((await forge.getPr(1)).state, "closed");
  assert.equal((await forge.reopenPr(1))?.state, "open");
  fake.forge.pulls.close(1, { merged: true });
  assert.equal(await forge.reopenPr(1), null);
  assert.equal((await forge.getPr(1)).state, "merged");
  assertAsPublished(exchanges);
});
