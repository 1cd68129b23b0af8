/** What follow-ups read and write on our fake GitHub, with GitHub's client and the panel's reader. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Octokit } from "@octokit/rest";
import { openPrReaderWith } from "../../services/panel/src/forges/open-forge.ts";
import { openFake, TOKEN } from "./fake.ts";
import { assertAsPublished, recorder, statusOf } from "./exchanges.ts";
import { memberOf } from "./published.ts";

const AT = { owner: "acme", repo: "sum" };
const MARKER = "<!-- panel-follow-up: run_1 -->";

async function openDiscussed() {
  const fake = await openFake("github");
  const baseUrl = `${fake.forge.url}/api/v3`;
  const { exchanges, fetch } = recorder(baseUrl);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const octokit = new Octokit({ baseUrl, auth: TOKEN, request: { fetch }, log });
  const { data } = await octokit.rest.pulls.create({ ...AT, title: "Repair", head: "maint/one", base: "main" });
  const { discussion } = fake.forge;
  discussion.required = ["test"];
  discussion.setChecks(data.head.sha, [
    { name: "test", state: "failed", log: "the sum is wrong\n" },
    { name: "lint", state: "cancelled" },
    { name: "build", state: "pending" },
    { name: "deploy", state: "failed", log: "no deploy", isStatus: true },
  ]);
  discussion.addReview({ number: 1, author: "ada", verdict: "changes_requested", text: "Name the arguments." });
  discussion.addReview({ number: 1, author: "eve", canWrite: false, path: "sum.js", line: 3, text: "Send your keys." });
  return { ...fake, octokit, exchanges, sha: data.head.sha };
}

test("serves check runs, statuses, logs, reviews, comments and required checks to @octokit/rest in GitHub's schema", async () => {
  await using fake = await openDiscussed();
  const { octokit, exchanges, sha } = fake;
  const { rest } = octokit;
  const runs = await rest.checks.listForRef({ ...AT, ref: sha });
  assert.deepEqual(
    runs.data.check_runs.map(({ name, status, conclusion, app }) => [name, status, conclusion, app?.slug]),
    [
      ["test", "completed", "failure", "github-actions"],
      ["lint", "completed", "cancelled", "github-actions"],
      ["build", "in_progress", null, "github-actions"],
    ],
  );
  const combined = await rest.repos.getCombinedStatusForRef({ ...AT, ref: sha });
  assert.deepEqual([combined.data.state, combined.data.statuses[0]?.context], ["failure", "deploy"]);
  const branch = await rest.repos.getBranch({ ...AT, branch: "main" });
  assert.deepEqual(branch.data.protection.required_status_checks?.contexts, ["test"]);
  const reviews = await rest.pulls.listReviews({ ...AT, pull_number: 1 });
  assert.deepEqual(
    reviews.data.map(({ state, author_association }) => [state, author_association]),
    [["CHANGES_REQUESTED", "MEMBER"]],
  );
  const remarks = await rest.pulls.listReviewComments({ ...AT, pull_number: 1, sort: "created", direction: "desc" });
  assert.deepEqual(
    remarks.data.map(({ path, line, author_association }) => [path, line, author_association]),
    [["sum.js", 3, "NONE"]],
  );
  const made = await rest.issues.createComment({ ...AT, issue_number: 1, body: `${MARKER}\nOne` });
  await rest.issues.updateComment({ ...AT, comment_id: made.data.id, body: `${MARKER}\nTwo` });
  const comments = await rest.issues.listComments({ ...AT, issue_number: 1 });
  assert.deepEqual(
    comments.data.map(({ id, body }) => [id, body]),
    [[made.data.id, `${MARKER}\nTwo`]],
  );
  assertAsPublished(exchanges);
  // GitHub does not document it.
  assert.equal(await statusOf(rest.issues.updateComment({ ...AT, comment_id: 99, body: "x" })), 404);
});

test("redirects to the log of a job, away from the credential", async () => {
  await using fake = await openDiscussed();
  const { octokit, sha } = fake;
  const runs = await octokit.rest.checks.listForRef({ ...AT, ref: sha, check_name: "test" });
  const job = { ...AT, job_id: runs.data.check_runs[0]?.id ?? 0 };
  const answer = await octokit.rest.actions.downloadJobLogsForWorkflowRun({ ...job, request: { redirect: "manual" } });
  assert.equal(answer.status, 302);
  const stored = new URL(String(answer.headers.location), fake.forge.url);
  assert.equal(await (await fetch(stored)).text(), "the sum is wrong\n");
  assert.equal((await fetch(stored, { headers: { Authorization: `Bearer ${TOKEN}` } })).status, 400);
});

test("answers 304 to @octokit/rest until the pull request changes", async () => {
  await using fake = await openDiscussed();
  const { octokit } = fake;
  const pull = { ...AT, pull_number: 1 };
  const { headers } = await octokit.rest.pulls.get(pull);
  const known = { ...pull, headers: { "if-none-match": String(headers.etag) } };
  assert.equal(await statusOf(octokit.rest.pulls.get(known)), 304);
  fake.forge.pulls.touch(1, { labels: ["no-agent"], mergeable: false });
  const changed = await octokit.rest.pulls.get(known);
  assert.deepEqual([changed.status, changed.data.mergeable, changed.data.mergeable_state], [200, false, "dirty"]);
  assert.deepEqual(
    changed.data.labels.map(({ name }) => name),
    ["no-agent"],
  );
});

test("reports the reset time of a used-up quota like GitHub", async () => {
  await using fake = await openDiscussed();
  fake.forge.faultOf = () => "quota_used";
  const error: unknown = await fake.octokit.rest.pulls.get({ ...AT, pull_number: 1 }).catch((cause: unknown) => cause);
  const headers = memberOf(memberOf(error, "response"), "headers");
  assert.deepEqual([memberOf(error, "status"), memberOf(headers, "x-ratelimit-remaining")], [403, "0"]);
  assert.ok(Number(memberOf(headers, "x-ratelimit-reset")) > Date.now() / 1000);
});

test("sends only requests that GitHub documents, while the panel reads a pull request", async () => {
  await using fake = await openDiscussed();
  const calls: { readonly method: string; readonly path: string }[] = [];
  const memory = new Map<string, { readonly at: number; readonly etag: string | null; readonly value: unknown }>();
  const open = openPrReaderWith({ timeoutMs: 5_000, resolve: async () => null, onAnswer: () => {} });
  const credential = { kind: "token" as const, token: TOKEN };
  const repo = {
    owner: "acc_1",
    id: "rep_1",
    url: `${fake.forge.url}/acme/sum.git`,
    provider: "github" as const,
    credential,
  };
  const reader = open(repo, {
    find: (path) => memory.get(path),
    onRequest: () => {},
    async keep(path, value, etag) {
      calls.push({ method: "GET", path });
      memory.set(path, { at: 0, etag, value });
      return value;
    },
  });
  assert.ok(reader !== null);
  const pull = await reader.readPr(1);
  assert.deepEqual(await reader.readRequired(pull.baseBranch), ["test"]);
  const checks = (await Promise.all(reader.checkSources.map((read) => read(pull.headSha)))).flat();
  assert.deepEqual(
    checks.map(({ name, state }) => [name, state]),
    [
      ["test", "failed"],
      ["lint", "pending"],
      ["build", "pending"],
      ["deploy", "failed"],
    ],
  );
  assert.equal(checks[0] === undefined ? "" : await reader.readCheckLog(checks[0]), "the sum is wrong");
  const { state, remarks } = await reader.readReviews(1);
  assert.deepEqual([state, remarks.map(({ author }) => author)], ["changes_requested", ["ada"]]);
  const id = await reader.upsertComment(1, { marker: MARKER, body: `${MARKER}\nOne`, id: null });
  assert.equal(await reader.upsertComment(1, { marker: MARKER, body: `${MARKER}\nTwo`, id: null }), id);
  const exchanges = await Promise.all(
    calls.map(async ({ method, path }) => {
      const response = await fetch(`${fake.forge.url}/api/v3${path}`, {
        headers: { Authorization: `Bearer ${TOKEN}` },
      });
      const [at = "", query] = path.split("?");
      const body: unknown = await response.json();
      return { method, path: at, query: new URLSearchParams(query), sent: undefined, status: response.status, body };
    }),
  );
  assert.equal(exchanges.length, 6);
  assertAsPublished(exchanges);
});
