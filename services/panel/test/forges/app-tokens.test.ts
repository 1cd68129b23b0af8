/** Installation tokens against the fake GitHub. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startForge, type GitHubAppOptions } from "@triptych/fake-forge";
import { createAppTokens, isAppKey } from "../../src/forges/app-tokens.ts";
import { openAppCallWith } from "../../src/forges/forge-access.ts";

const MINUTE_MS = 60_000;
const pair = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { format: "pem", type: "spki" },
    // As GitHub generates it.
    privateKeyEncoding: { format: "pem", type: "pkcs1" },
  });
const { publicKey, privateKey } = pair();
const APP = { kind: "github_app" as const, app_id: 12, private_key: privateKey };

async function createAppFixture(options: Partial<GitHubAppOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "app-tokens-"));
  const start = Date.parse("2026-11-26T10:00:00Z");
  // The host may have another clock.
  const clock = { panel: start, host: start };
  const app = { id: 12, publicKey, installationId: 7, ...options };
  const forge = await startForge({ folder, token: "unused", app, now: () => clock.host });
  const open = openAppCallWith({ resolve: async () => null, timeoutMs: 5_000, onAnswer: () => {} });
  const tokens = createAppTokens({ open, now: () => clock.panel });
  const repo = { owner: "acc_1", id: "rep_1", url: `${forge.url}/acme/sum.git`, provider: "github" as const, app: APP };
  assert.ok(forge.app);
  return {
    forge,
    app: forge.app,
    clock,
    tokens,
    repo,
    async [Symbol.asyncDispose]() {
      await forge[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test("finds the installation by the repository, and uses its token until 20 minutes before the end", async () => {
  await using fixture = await createAppFixture();
  const { tokens, repo, app, clock, forge } = fixture;
  const first = await tokens.tokenOf(repo);
  assert.ok(app.isToken(first));
  assert.deepEqual(forge.calls, [
    "GET /api/v3/repos/acme/sum/installation",
    "POST /api/v3/app/installations/7/access_tokens",
  ]);
  clock.panel = clock.host += 39 * MINUTE_MS;
  assert.equal(await tokens.tokenOf(repo), first);
  clock.panel = clock.host += 2 * MINUTE_MS;
  const second = await tokens.tokenOf(repo);
  assert.notEqual(second, first);
  assert.equal(app.issued(), 2);
});

test("requests one token for concurrent callers", async () => {
  await using fixture = await createAppFixture();
  const { tokens, repo, app, clock } = fixture;
  const all = await Promise.all(Array.from({ length: 20 }, () => tokens.tokenOf(repo)));
  assert.deepEqual([new Set(all).size, app.issued()], [1, 1]);
  clock.panel = clock.host += 50 * MINUTE_MS;
  await Promise.all(Array.from({ length: 20 }, () => tokens.tokenOf(repo)));
  assert.equal(app.issued(), 2);
});

test("uses the named installation without a search, and a new token after a refusal", async () => {
  await using fixture = await createAppFixture();
  const { tokens, app, forge } = fixture;
  const repo = { ...fixture.repo, app: { ...APP, installation_id: 7 } };
  const first = await tokens.tokenOf(repo);
  assert.deepEqual(forge.calls, ["POST /api/v3/app/installations/7/access_tokens"]);
  tokens.forget(repo);
  assert.notEqual(await tokens.tokenOf(repo), first);
  assert.equal(app.issued(), 2);
});

test("shares no token between accounts, repos or credentials", async () => {
  await using fixture = await createAppFixture();
  const { tokens, repo, app } = fixture;
  const others = [
    { ...repo, owner: "acc_2" },
    { ...repo, id: "rep_2" },
    { ...repo, app: { ...APP, installation_id: 7 } },
  ];
  for (const each of [repo, ...others]) await tokens.tokenOf(each);
  assert.equal(app.issued(), 4);
});

test("tolerates a clock that is 50 seconds fast, and names the clock beyond a minute", async () => {
  await using fixture = await createAppFixture();
  const { tokens, repo, clock } = fixture;
  clock.panel = clock.host + 50_000;
  assert.ok(await tokens.tokenOf(repo));
  tokens.forget(repo);
  clock.panel = clock.host + 2 * MINUTE_MS;
  await assert.rejects(tokens.tokenOf(repo), { name: "ForgeError", status: 401, message: /clock of the panel/ });
});

test("says what is wrong with app, key or installation, and never the key", async () => {
  await using fixture = await createAppFixture();
  const { tokens, repo, app } = fixture;
  const messageOf = async (of: Partial<typeof APP> & { readonly installation_id?: number } = {}) => {
    const error: unknown = await tokens.tokenOf({ ...repo, app: { ...APP, ...of } }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof Error);
    assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /PRIVATE KEY|eyJ/);
    return error.message;
  };
  const key = "The forge rejected the key of GitHub App 12. Check app_id, private_key and the clock of the panel.";
  assert.equal(await messageOf({ private_key: pair().privateKey }), key);
  assert.equal(await messageOf({ app_id: 13 }), key.replace("12", "13"));
  assert.equal(
    await messageOf({ installation_id: 8 }),
    "GitHub App 12 has no installation 8; it may have been removed.",
  );
  app.setInstallation("removed");
  assert.equal(await messageOf(), "GitHub App 12 is not installed on acme/sum.");
  app.setInstallation("suspended");
  assert.equal(await messageOf(), "The installation of GitHub App 12 is suspended.");
  app.setInstallation("other_repository");
  assert.equal(
    await messageOf({ installation_id: 7 }),
    "Installation 7 of GitHub App 12 has no access to acme/sum; add the repository there.",
  );
  app.setInstallation("installed");
  assert.ok(await tokens.tokenOf(repo));
});

test("accepts RSA keys of 2,048 bits in both PEM forms only", () => {
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "pem", type: "pkcs8" });
  const pkcs8 = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "pem", type: "pkcs8" });
  const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
  assert.deepEqual([privateKey, String(pkcs8)].map(isAppKey), [true, true]);
  for (const bad of [String(short), String(ed25519), publicKey, "x", ""]) assert.equal(isAppKey(bad), false);
});
