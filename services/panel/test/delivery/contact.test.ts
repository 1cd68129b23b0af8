import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openContacts } from "../../src/repo-reachability/reachability-checks.ts";
import type { DeliveryOverrides } from "../support/start-test-background.ts";
import { FORGE_TOKEN, git, createDeliveryFixture } from "../support/delivery-fixture.ts";

const NO_TIMERS = { after: () => () => {} };

async function createContactFixture(options: DeliveryOverrides = {}) {
  const fixture = await createDeliveryFixture({ deliveryOverrides: options });
  const { panel, deliveryServices, errors } = fixture;
  const onError = (error: unknown) => void errors.push(error);
  const contacts = await openContacts({
    store: panel.store,
    check: deliveryServices.checkRepo,
    now: panel.now,
    timers: NO_TIMERS,
    onError,
  });
  const read = async (id = fixture.repo.id) =>
    (await fixture.ask("GET", `/api/repos/${id}`, { token: fixture.token })).json();
  return {
    ...fixture,
    contacts,
    read,
    async [Symbol.asyncDispose]() {
      await contacts[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

test("activates a reachable repo, with its default branch and the rights of its credential", async () => {
  await using fixture = await createContactFixture();
  assert.equal((await fixture.read()).status, "checking");
  await fixture.contacts.poll();
  assert.deepEqual(fixture.errors, []);
  const repo = await fixture.read();
  assert.deepEqual([repo.status, repo.default_branch, repo.verify_cmd], ["active", "main", "node test.js"]);
  assert.deepEqual([repo.credential.push, repo.credential.open_pr], [true, true]);
  assert.ok(repo.credential.checked_at !== null);
});

test("marks a repository above the size limit as unreachable, with the reason", async () => {
  await using fixture = await createContactFixture({ mirrorLimits: { bytesMax: 64, reserveBytes: 0 } });
  await fixture.contacts.poll();
  assert.deepEqual(fixture.errors, []);
  const repo = await fixture.read();
  assert.equal(repo.status, "unreachable");
  assert.match(repo.status_reason, /^the repository exceeds the panel's size limit of [\d.]+ MB$/);
});

test("marks a repo as unreachable with the reason, and retries after ten minutes or on a new credential", async () => {
  await using fixture = await createContactFixture();
  const at = `/api/repos/${fixture.repo.id}`;
  const credential = (token: string) =>
    fixture.ask("PATCH", at, { token: fixture.token, body: { credential: { kind: "token", token } } });
  await credential("wrong-token-of-the-test");
  await fixture.contacts.poll();
  const repo = await fixture.read();
  assert.equal(repo.status, "unreachable");
  assert.ok(typeof repo.status_reason === "string" && !repo.status_reason.includes("wrong-token-of-the-test"));
  const run = await fixture.ask("POST", `${at}/run`, { token: fixture.token, body: {} });
  assert.deepEqual([run.statusCode, run.json().code], [409, "repo_unreachable"]);
  const calls = (await fixture.read()).credential.checked_at;
  await fixture.contacts.poll();
  assert.equal((await fixture.read()).credential.checked_at, calls);
  fixture.pass(10 * 60_000 + 1);
  await fixture.contacts.poll();
  assert.ok((await fixture.read()).credential.checked_at > calls);
  const choose = async (status: string) => {
    const chosen = await fixture.ask("PATCH", at, { token: fixture.token, body: { status } });
    return [chosen.json().status, chosen.json().status_reason];
  };
  assert.deepEqual(await choose("paused"), ["paused", null]);
  assert.deepEqual(await choose("active"), ["active", null]);
  await fixture.contacts.poll();
  assert.equal((await fixture.read()).status, "unreachable");
  await credential("forge-token-of-the-test");
  await fixture.contacts.poll();
  assert.equal((await fixture.read()).status, "active");
});

test("checks the credential's permissions again after a change of provider", async () => {
  await using fixture = await createContactFixture();
  const readContact = async (provider: string) => {
    await fixture.ask("PATCH", `/api/repos/${fixture.repo.id}`, { token: fixture.token, body: { provider } });
    await fixture.contacts.poll();
    return (await fixture.read()).credential.open_pr;
  };
  assert.deepEqual([await readContact("git"), await readContact("github")], [null, true]);
});

test("detects setup and test command at the first contact, until the owner names their own", async () => {
  await using fixture = await createContactFixture();
  const { ask, token, local, bare, forge, contacts } = fixture;
  await ask("DELETE", `/api/repos/${fixture.repo.id}`, { token });
  const manifest = { scripts: { test: "node --test" }, devDependencies: { tape: "5" } };
  writeFileSync(join(local, "package.json"), JSON.stringify(manifest));
  const lock = { packages: { "node_modules/tape": { resolved: "https://npm.acme.example/tape/-/tape-5.0.0.tgz" } } };
  writeFileSync(join(local, "package-lock.json"), JSON.stringify(lock, null, 2));
  await git(local, "add", "--all");
  await git(local, "commit", "--quiet", "--message=Package");
  await git(local, "push", "--quiet", bare, "main");
  const add = async (settings: object) => {
    const url = `${forge.url}/acme/sum.git`;
    const credential = { kind: "token", token: FORGE_TOKEN };
    const made = await ask("POST", "/api/repos", { token, body: { url, provider: "github", credential, ...settings } });
    assert.equal(made.statusCode, 201);
    assert.deepEqual(made.json().detected, []);
    await contacts.poll();
    return fixture.read(made.json().id);
  };
  const patch = async (id: string, body: object) => (await ask("PATCH", `/api/repos/${id}`, { token, body })).json();
  const commands = (repo: Awaited<ReturnType<typeof add>>) => [
    repo.verify.setup_cmd,
    repo.verify_cmd,
    repo.detected.join(),
  ];

  const repo = await add({});
  assert.deepEqual(commands(repo), ["npm ci", "npm test", "setup_cmd,verify_cmd"]);
  assert.deepEqual(repo.detected_hosts, ["npm.acme.example"]);
  assert.deepEqual((await patch(repo.id, { focus: "Other work." })).detected, ["setup_cmd", "verify_cmd"]);
  assert.deepEqual((await patch(repo.id, { verify: { setup_cmd: "make deps" } })).detected, ["verify_cmd"]);
  assert.deepEqual((await patch(repo.id, { verify_cmd: null })).detected, []);
  assert.deepEqual(commands(await fixture.read(repo.id)), ["make deps", null, ""]);
  await ask("DELETE", `/api/repos/${repo.id}`, { token });

  const named = await add({ verify: { setup_cmd: null }, verify_cmd: "node --test" });
  assert.deepEqual(commands(named), [null, "node --test", ""]);
  assert.deepEqual(named.detected_hosts, ["npm.acme.example"]);
});

test("requests a check of detected commands unless the owner named one or checks are disabled", async () => {
  for (const [settings, checksRepos, isChecked] of [
    [{}, true, true],
    [{}, false, false],
    [{ verify_cmd: "node --test" }, true, false],
    [{ verify: { setup_cmd: null } }, true, false],
  ] as const) {
    await using fixture = await createContactFixture({ checksRepos });
    const { ask, token, forge, contacts, local, bare } = fixture;
    await ask("DELETE", `/api/repos/${fixture.repo.id}`, { token });
    writeFileSync(join(local, "package.json"), JSON.stringify({ scripts: { test: "node --test" } }));
    await git(local, "add", "--all");
    await git(local, "commit", "--quiet", "--message=Package");
    await git(local, "push", "--quiet", bare, "main");
    const credential = { kind: "token", token: FORGE_TOKEN };
    const body = { url: `${forge.url}/acme/sum.git`, provider: "github", credential, ...settings };
    const { id } = (await ask("POST", "/api/repos", { token, body })).json();
    await contacts.poll();
    assert.equal((await fixture.read(id)).check?.state ?? null, isChecked ? "pending" : null);
  }
});
