import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { missingPart, readCurl, transcriptsIn } from "@triptych/server/testing/transcripts";
import { createFixture } from "../support/create-fixture.ts";

const REPO = { url: "https://git.example.org/acme/sum.git" };
const DEFAULTS = { min_release_age_days: 7, group: "minor" };

test("a repo has a minimum release age of 7 days and groups minor updates; PATCH merges, null restores", async () => {
  await using fixture = await createFixture();
  const token = fixture.pro.access_token;
  const made = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  assert.deepEqual(made.deps, DEFAULTS);
  const patch = async (body: unknown) => fixture.ask("PATCH", `/api/repos/${made.id}`, { token, body });
  assert.deepEqual((await patch({ deps: { min_release_age_days: 90 } })).json().deps, {
    min_release_age_days: 90,
    group: "minor",
  });
  assert.deepEqual((await patch({ deps: { group: "all", min_release_age_days: null } })).json().deps, {
    min_release_age_days: 7,
    group: "all",
  });
  assert.deepEqual((await patch({ deps: null })).json().deps, DEFAULTS);

  const bad = await patch({ deps: { min_release_age_days: 91, group: "major", other: 1 }, focus: "" });
  const paths: string[] = bad.json().errors.map(({ path }: { path: string }) => path);
  assert.deepEqual(
    [bad.statusCode, [...new Set(paths)].toSorted()],
    [400, ["/deps/group", "/deps/min_release_age_days", "/deps/other", "/focus"]],
    bad.body,
  );
  assert.deepEqual((await fixture.ask("GET", `/api/repos/${made.id}`, { token })).json().deps, DEFAULTS);
});

test("PATCH says that the URL of a repo cannot be changed, and what to do instead", async () => {
  await using fixture = await createFixture();
  const token = fixture.pro.access_token;
  const { id } = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  const url = "https://git.example.org/acme/other.git";
  const refused = await fixture.ask("PATCH", `/api/repos/${id}`, { token, body: { url } });
  assert.deepEqual(
    [refused.statusCode, refused.json().errors],
    [
      400,
      [
        {
          path: "/url",
          reason: "unknown_field",
          message: "`url` cannot be changed. Add the other repository, and delete this one.",
        },
      ],
    ],
  );
});

test("a repo of version 0.2 gets the default of `deps`", async () => {
  await using fixture = await createFixture();
  const token = fixture.pro.access_token;
  const { id } = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  await fixture.store.change(fixture.pro.account_id, async ({ repos }) => {
    const repo = await repos.find(id);
    assert.ok(repo !== null);
    const { deps: _, ...settings } = repo.settings;
    await repos.save({ ...repo, settings: settings as typeof repo.settings });
  });
  assert.deepEqual((await fixture.ask("GET", `/api/repos/${id}`, { token })).json().deps, DEFAULTS);
});

test("docs/panel-first-run.md shows every issue of an invalid repository", async () => {
  await using fixture = await createFixture();
  const document = await readFile(new URL("../../../../docs/panel-first-run.md", import.meta.url), "utf8");
  const transcript = transcriptsIn(document).find(({ command }) => command.includes("not a url"));
  assert.ok(transcript);
  const { path, body } = readCurl(transcript.command.replace("api /", "curl -s localhost:7001/"));
  const answer = await fixture.ask("POST", path, { token: fixture.pro.access_token, body: JSON.parse(body ?? "") });
  assert.equal(missingPart(transcript.output, answer.body), null, answer.body);
});
