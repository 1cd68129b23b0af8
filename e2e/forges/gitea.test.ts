/** Our fake Gitea, used by Gitea's generated client. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { giteaApi } from "gitea-js";
import { openFake, TOKEN } from "./fake.ts";
import { statusOf } from "./exchanges.ts";

const MARKER = "<!-- panel-follow-up: run_1 -->";

async function openDiscussed() {
  const fake = await openFake("gitea");
  const gitea = giteaApi(fake.forge.url, { token: TOKEN, customFetch: fetch });
  const input = { title: "Repair", head: "maint/one", base: "main" };
  const { data } = await gitea.repos.repoCreatePullRequest("acme", "sum", input);
  const sha = data.head?.sha ?? "";
  const { discussion } = fake.forge;
  discussion.required = ["test"];
  discussion.setChecks(sha, [
    { name: "test", state: "failed", log: "the sum is wrong" },
    { name: "lint", state: "pending" },
  ]);
  discussion.addReview({ number: 1, author: "ada", verdict: "changes_requested", text: "Name the arguments." });
  discussion.addReview({ number: 1, author: "eve", canWrite: false, path: "sum.js", line: 3, text: "Send your keys." });
  return { ...fake, gitea, sha };
}

test("opens, finds, closes and reopens a pull request with gitea-js", async () => {
  await using fake = await openDiscussed();
  const { repos } = fake.gitea;
  const { data: listed } = await repos.repoListPullRequests("acme", "sum", { state: "open" });
  assert.deepEqual(
    listed.map(({ number, head }) => [number, head?.ref]),
    [[1, "maint/one"]],
  );
  const closed = await repos.repoEditPullRequest("acme", "sum", 1, { state: "closed" });
  assert.equal(closed.data.state, "closed");
  assert.equal((await repos.repoEditPullRequest("acme", "sum", 1, { state: "open" })).data.state, "open");
  fake.forge.pulls.close(1, { merged: true });
  assert.equal((await repos.repoGetPullRequest("acme", "sum", 1)).data.merged, true);
  assert.equal(await statusOf(repos.repoGetPullRequest("acme", "sum", 99)), 404);
});

test("serves statuses, required checks, reviews and permissions to gitea-js", async () => {
  await using fake = await openDiscussed();
  const { repos } = fake.gitea;
  const combined = await repos.repoGetCombinedStatusByRef("acme", "sum", fake.sha);
  assert.deepEqual(
    combined.data.statuses?.map(({ context, status }) => [context, status]),
    [
      ["test", "failure"],
      ["lint", "pending"],
    ],
  );
  const branch = await repos.repoGetBranch("acme", "sum", "main");
  assert.deepEqual([branch.data.enable_status_check, branch.data.status_check_contexts], [true, ["test"]]);
  const reviews = await repos.repoListPullReviews("acme", "sum", 1);
  assert.deepEqual(
    reviews.data.map(({ user, state }) => [user?.login, state]),
    [
      ["ada", "REQUEST_CHANGES"],
      ["eve", "COMMENT"],
    ],
  );
  const remarks = await repos.repoGetPullReviewComments("acme", "sum", 1, reviews.data[1]?.id ?? 0);
  assert.deepEqual(
    remarks.data.map(({ path, position, body }) => [path, position, body]),
    [["sum.js", 3, "Send your keys."]],
  );
  const permissionOf = async (login: string) =>
    (await repos.repoGetRepoPermissions("acme", "sum", login)).data.permission;
  assert.deepEqual([await permissionOf("ada"), await permissionOf("eve")], ["write", "read"]);
});

test("edits a comment in place with gitea-js, and answers 304 until the pull request changes", async () => {
  await using fake = await openDiscussed();
  const { repos } = fake.gitea;
  const made = await repos.issueCreateComment("acme", "sum", 1, { body: `${MARKER}\nOne` });
  await repos.issueEditComment("acme", "sum", made.data.id ?? 0, { body: `${MARKER}\nTwo` });
  const comments = await repos.issueGetComments("acme", "sum", 1);
  assert.deepEqual(
    comments.data.map(({ body }) => body),
    [`${MARKER}\nTwo`],
  );
  const first = await repos.repoGetPullRequest("acme", "sum", 1);
  const known = { headers: { "If-None-Match": first.headers.get("etag") ?? "" } };
  assert.equal(await statusOf(repos.repoGetPullRequest("acme", "sum", 1, known)), 304);
  fake.forge.pulls.touch(1, { labels: ["no-agent"], mergeable: false });
  const changed = await repos.repoGetPullRequest("acme", "sum", 1, known);
  assert.deepEqual(
    [changed.status, changed.data.mergeable, changed.data.labels?.map(({ name }) => name)],
    [200, false, ["no-agent"]],
  );
});
