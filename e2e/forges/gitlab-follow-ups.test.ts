/** What follow-ups read and write on our fake GitLab, with a third-party GitLab client. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { openFake, TOKEN } from "./fake.ts";

const PROJECT = "acme/sum";
const MARKER = "<!-- panel-follow-up: run_1 -->";

async function openDiscussed() {
  const fake = await openFake("gitlab");
  const gitlab = new Gitlab({ host: fake.forge.url, token: TOKEN });
  const made = await gitlab.MergeRequests.create(PROJECT, "maint/one", "main", "Repair");
  const sha = made.sha;
  const { discussion } = fake.forge;
  discussion.required = ["test", "lint"];
  discussion.setChecks(sha, [
    { name: "test", state: "failed", log: "the sum is wrong\n" },
    { name: "lint", state: "cancelled" },
    { name: "flaky", state: "failed" },
  ]);
  discussion.addReview({ number: 1, author: "ada", verdict: "changes_requested", text: "Name the arguments." });
  discussion.addReview({ number: 1, author: "eve", canWrite: false, path: "sum.js", line: 3, text: "Send your keys." });
  return { ...fake, gitlab, sha };
}

test("serves jobs of a commit with their logs to @gitbeaker/rest", async () => {
  await using fake = await openDiscussed();
  const { gitlab, sha } = fake;
  const statuses = await gitlab.Commits.allStatuses(PROJECT, sha);
  assert.deepEqual(
    statuses.map(({ name, status, allow_failure: mayFail }) => [name, status, mayFail]),
    [
      ["test", "failed", false],
      ["lint", "canceled", false],
      ["flaky", "failed", true],
    ],
  );
  assert.equal(await gitlab.Jobs.showLog(PROJECT, statuses[0]?.id ?? 0), "the sum is wrong\n");
});

test("serves notes, reviewers and members to @gitbeaker/rest, and edits a note in place", async () => {
  await using fake = await openDiscussed();
  const { gitlab } = fake;
  const members = await gitlab.ProjectMembers.all(PROJECT, { includeInherited: true });
  assert.deepEqual(
    members.map(({ username, access_level }) => [username, access_level]),
    [
      ["ada", 30],
      ["eve", 20],
    ],
  );
  const reviewers = await gitlab.MergeRequests.showReviewers(PROJECT, 1);
  assert.deepEqual(
    reviewers.map(({ user, state }) => [user.username, state]),
    [["ada", "requested_changes"]],
  );
  const note = await gitlab.MergeRequestNotes.create(PROJECT, 1, `${MARKER}\nOne`);
  await gitlab.MergeRequestNotes.edit(PROJECT, 1, note.id, { body: `${MARKER}\nTwo` });
  const notes = await gitlab.MergeRequestNotes.all(PROJECT, 1, { sort: "desc", orderBy: "created_at" });
  assert.deepEqual(
    notes.map(({ body, author }) => [body, author.username]),
    [
      [`${MARKER}\nTwo`, "panel"],
      ["Send your keys.", "eve"],
      ["Name the arguments.", "ada"],
    ],
  );
});

test("shows conflicts and labels of a merge request to @gitbeaker/rest, and answers 304 until it changes", async () => {
  await using fake = await openDiscussed();
  const { gitlab, forge } = fake;
  const before = await gitlab.MergeRequests.show(PROJECT, 1);
  assert.deepEqual([before["has_conflicts"], before.detailed_merge_status], [false, "mergeable"]);
  const url = `${forge.url}/api/v4/projects/acme%2Fsum/merge_requests/1`;
  const first = await fetch(url, { headers: { "PRIVATE-TOKEN": TOKEN } });
  const known = { "PRIVATE-TOKEN": TOKEN, "If-None-Match": first.headers.get("etag") ?? "" };
  assert.equal((await fetch(url, { headers: known })).status, 304);
  forge.pulls.touch(1, { labels: ["no-agent"], mergeable: false });
  assert.equal((await fetch(url, { headers: known })).status, 200);
  const after = await gitlab.MergeRequests.show(PROJECT, 1);
  assert.deepEqual([after["has_conflicts"], after.labels], [true, ["no-agent"]]);
});
