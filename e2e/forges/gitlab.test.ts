/** Our fake GitLab, used by a third-party GitLab client. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Gitlab } from "@gitbeaker/rest";
import { openFake, TOKEN } from "./fake.ts";

const PROJECT = "acme/sum";

test("opens, finds, closes and reopens a merge request with @gitbeaker/rest", async () => {
  await using fake = await openFake("gitlab");
  const gitlab = new Gitlab({ host: fake.forge.url, token: TOKEN });
  const project = await gitlab.Projects.show(PROJECT);
  assert.deepEqual([project["default_branch"], project["path_with_namespace"]], ["main", PROJECT]);
  const made = await gitlab.MergeRequests.create(PROJECT, "maint/one", "main", "Draft: Repair", {
    description: "It is fixed.",
    labels: "maintenance",
  });
  assert.deepEqual([made.iid, made.state, made.draft, made.source_branch], [1, "opened", true, "maint/one"]);
  const all = await gitlab.MergeRequests.all({ projectId: PROJECT, sourceBranch: "maint/one", state: "opened" });
  assert.deepEqual(
    all.map(({ iid }) => iid),
    [1],
  );
  assert.deepEqual(await gitlab.MergeRequests.all({ projectId: PROJECT, sourceBranch: "maint/two" }), []);
  assert.equal((await gitlab.MergeRequests.edit(PROJECT, 1, { stateEvent: "close" })).state, "closed");
  assert.equal((await gitlab.MergeRequests.edit(PROJECT, 1, { stateEvent: "reopen" })).state, "opened");
  fake.forge.pulls.close(1, { merged: true });
  assert.equal((await gitlab.MergeRequests.show(PROJECT, 1)).state, "merged");
});

test("returns GitLab's errors to @gitbeaker/rest", async () => {
  await using fake = await openFake("gitlab");
  const gitlab = new Gitlab({ host: fake.forge.url, token: TOKEN });
  await gitlab.MergeRequests.create(PROJECT, "maint/one", "main", "Repair");
  await assert.rejects(gitlab.MergeRequests.create(PROJECT, "maint/one", "main", "Repair"), /already exists/);
  await assert.rejects(gitlab.MergeRequests.show(PROJECT, 99), /Not found/i);
  const stranger = new Gitlab({ host: fake.forge.url, token: "another" });
  await assert.rejects(stranger.Projects.show(PROJECT));
});
