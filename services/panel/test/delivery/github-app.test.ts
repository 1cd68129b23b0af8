/** A repository whose credential is a GitHub App: clone, push, pull request and check run over HTTP. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { GitHubAppOptions } from "@triptych/fake-forge";
import { createDeliveryFixture } from "../support/delivery-fixture.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { format: "pem", type: "spki" },
  privateKeyEncoding: { format: "pem", type: "pkcs1" },
});
const CHANGE = { "sum.js": "export const sum = (a, b) => a + b;\n" };

async function createGithubAppFixture(options: Partial<GitHubAppOptions> = {}) {
  const notices: { readonly fields: Readonly<Record<string, unknown>>; readonly message: string }[] = [];
  const fixture = await createDeliveryFixture({
    app: { id: 12, publicKey, installationId: 7, ...options },
    deliveryOverrides: { onNotice: (fields, message) => void notices.push({ fields, message }) },
  });
  const at = `/api/repos/${fixture.repo.id}`;
  const patch = (body: object) => fixture.ask("PATCH", at, { token: fixture.token, body });
  const credential = { kind: "github_app", app_id: 12, private_key: privateKey };
  const changed = await patch({ credential });
  assert.equal(changed.statusCode, 200, changed.body);
  const { app } = fixture.forge;
  assert.ok(app);
  return { ...fixture, app, notices, credential, patch, read: () => fixture.ask("GET", at, { token: fixture.token }) };
}

test("shows the kind of the credential, and never its key", async () => {
  await using fixture = await createGithubAppFixture();
  const answer = await fixture.read();
  assert.equal(answer.json().credential.kind, "github_app");
  assert.doesNotMatch(answer.body, /PRIVATE|app_id/);
  const stored = await fixture.store.of(fixture.owner).repos.find(fixture.repo.id);
  assert.doesNotMatch(JSON.stringify(stored), /PRIVATE|app_id/);
});

test("pushes, opens a pull request and writes a check run with tokens of the installation", async () => {
  await using fixture = await createGithubAppFixture();
  const { id } = await fixture.pushedRun(CHANGE);
  const run = await fixture.runOf(id);
  assert.equal(run.state, "pushed");
  const [check, ...others] = fixture.app.checkRuns;
  assert.deepEqual(others, []);
  assert.deepEqual(
    [check?.name, check?.head_sha, check?.external_id, check?.status, check?.conclusion, check?.title],
    ["triptych", run.facts.headSha, id, "completed", "success", "The checks pass"],
  );
  assert.match(check?.summary ?? "", /^The checks pass\.\n/);
  const opened = await fixture.openPr(id);
  assert.equal(opened.statusCode, 201, opened.body);
  assert.equal(fixture.app.checkRuns.length, 1);
  assert.equal(fixture.app.issued(), 1);
  assert.deepEqual([fixture.errors, fixture.notices], [[], []]);
  const lines = fixture.lines.join("\n");
  assert.doesNotMatch(lines, /PRIVATE KEY|ghs_/);
});

test("writes a neutral check run for an unproved change", async () => {
  await using fixture = await createGithubAppFixture();
  await fixture.placedRun("gate_only");
  assert.deepEqual(
    fixture.app.checkRuns.map(({ conclusion, title }) => [conclusion, title]),
    [["neutral", "The gate passes, the repository's checks fail as before"]],
  );
});

test("pushes without a check run if the app may not write checks, and logs it once", async () => {
  await using fixture = await createGithubAppFixture({ canWriteChecks: false });
  const { id } = await fixture.placedRun();
  assert.equal((await fixture.runOf(id)).state, "pushed");
  const [notice] = fixture.notices;
  assert.deepEqual(
    [notice?.message, notice?.fields["run_id"], notice?.fields["why"]],
    ["check run skipped", id, "the app may not write checks"],
  );
  assert.equal((await fixture.openPr(id)).statusCode, 201);
  assert.equal(fixture.notices.length, 1);
});

test("gets a new token for the next attempt when the forge revokes one", async () => {
  await using fixture = await createGithubAppFixture();
  const { run } = await fixture.handOver(CHANGE);
  assert.equal(fixture.app.issued(), 1);
  fixture.app.expireTokens();
  await fixture.deliveryServices.effects.poll();
  assert.equal((await fixture.runOf(run.id)).state, "pushing");
  fixture.pass(2_000);
  await fixture.deliveryServices.effects.poll();
  assert.equal((await fixture.runOf(run.id)).state, "pushed");
  assert.equal(fixture.app.issued(), 2);
});

test("finishes a run with tokens that expire after three seconds: each use gets a valid token", async () => {
  await using fixture = await createGithubAppFixture({ tokenLifetimeMs: 3_000 });
  // More than a lifetime passes before each step.
  const { run } = await fixture.handOver(CHANGE);
  const atClone = fixture.app.issued();
  fixture.pass(60_000);
  await fixture.deliveryServices.effects.poll();
  assert.equal((await fixture.runOf(run.id)).state, "pushed");
  const atPush = fixture.app.issued();
  fixture.pass(60_000);
  const opened = await fixture.openPr(run.id);
  assert.equal(opened.statusCode, 201, opened.body);
  assert.equal((await fixture.runOf(run.id)).state, "pr_open");
  assert.ok(atClone >= 1 && atPush > atClone && fixture.app.issued() > atPush, `${atClone}, ${atPush}`);
  assert.equal(fixture.app.checkRuns.length, 1);
  assert.deepEqual([fixture.errors, fixture.notices], [[], []]);
});

test("answers 502 with the reason if the installation is suspended", async () => {
  await using fixture = await createGithubAppFixture();
  const { id } = await fixture.placedRun();
  fixture.app.setInstallation("suspended");
  const refused = await fixture.openPr(id);
  assert.equal(refused.statusCode, 502, refused.body);
  assert.match(refused.json().detail, /The installation of GitHub App 12 is suspended\./);
});

test("assumes that an unknown host with an app is a GitHub server", async () => {
  await using fixture = await createGithubAppFixture();
  const { credential, token } = fixture;
  const add = (url: string) => fixture.ask("POST", "/api/repos", { token, body: { url, credential } });
  const own = await add("https://code.example/acme/sum.git");
  assert.deepEqual([own.statusCode, own.json().provider], [201, "github"], own.body);
  assert.equal((await add("https://gitlab.com/acme/sum.git")).statusCode, 400);
});

test("shows the reason in the repo when the installation is removed between two uses", async () => {
  await using fixture = await createGithubAppFixture();
  const contact = async () => {
    const found = await fixture.store.of(fixture.owner).contacts.find(fixture.repo.id);
    assert.ok(found);
    await fixture.deliveryServices.checkRepo(fixture.owner, found);
    return (await fixture.read()).json();
  };
  assert.equal((await contact()).status, "active");
  fixture.app.setInstallation("removed");
  const repo = await contact();
  assert.deepEqual([repo.status, repo.status_reason], ["unreachable", "GitHub App 12 is not installed on acme/sum."]);
});

test("rejects a credential that cannot work with 400", async () => {
  await using fixture = await createGithubAppFixture();
  const { credential, patch } = fixture;
  const pathsOf = async (body: object) => {
    const answer = await patch(body);
    assert.equal(answer.statusCode, 400, answer.body);
    assert.doesNotMatch(answer.body, /PRIVATE/);
    return answer.json().errors.map(({ path }: { readonly path: string }) => path);
  };
  assert.deepEqual(await pathsOf({ credential: { ...credential, private_key: "no key" } }), [
    "/credential/private_key",
  ]);
  assert.deepEqual(await pathsOf({ provider: "gitlab" }), ["/credential/kind"]);
  const wrongId = await patch({ credential: { ...credential, app_id: "12" } });
  assert.equal(wrongId.statusCode, 400, wrongId.body);
  const elsewhere = await fixture.ask("POST", "/api/repos", {
    token: fixture.token,
    body: { url: "git@github.com:acme/other.git", credential },
  });
  assert.deepEqual([elsewhere.statusCode, elsewhere.json().errors[0].path], [400, "/credential/kind"], elsewhere.body);
});
