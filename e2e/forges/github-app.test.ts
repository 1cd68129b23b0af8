/** An app on our fake GitHub, used by GitHub's client and the panel's. Validates each exchange against GitHub's OpenAPI document. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { createAppTokens } from "../../services/panel/src/forges/app-tokens.ts";
import { createForgeCall, type ForgeCall } from "../../services/panel/src/forges/call.ts";
import { checkRunsOf } from "../../services/panel/src/forges/check-runs.ts";
import { openFake } from "./fake.ts";
import { assertAsPublished, recorder, statusOf } from "./exchanges.ts";
import { type HttpExchange } from "./published.ts";

const AT = { owner: "acme", repo: "sum" };
const APP_ID = 12;
const pair = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { format: "pem", type: "spki" },
    privateKeyEncoding: { format: "pem", type: "pkcs1" },
  });
const { publicKey, privateKey } = pair();
const openAppFake = (canWriteChecks = true) =>
  openFake("github", { id: APP_ID, publicKey, installationId: 7, canWriteChecks });

function octokitOf(url: string, auth: { readonly privateKey?: string; readonly installationId?: number } = {}) {
  const baseUrl = `${url}/api/v3`;
  const { exchanges, fetch } = recorder(baseUrl);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const octokit = new Octokit({
    baseUrl,
    authStrategy: createAppAuth,
    auth: { appId: APP_ID, privateKey, ...auth },
    request: { fetch },
    log,
  });
  return { exchanges, octokit };
}

test("lets @octokit/auth-app find the installation, get a token and write a check run, in GitHub's schema", async () => {
  await using fake = await openAppFake();
  const app = octokitOf(fake.forge.url);
  const { data: installation } = await app.octokit.rest.apps.getRepoInstallation(AT);
  assert.deepEqual([installation.id, installation.app_id, installation.suspended_at], [7, APP_ID, null]);
  // Not listInstallations: its published schema wants an account to be a user and an enterprise at once.
  const { data: same } = await app.octokit.rest.apps.getInstallation({ installation_id: 7 });
  assert.equal(same.app_slug, "triptych");
  const { octokit, exchanges } = octokitOf(fake.forge.url, { installationId: installation.id });
  const { data: repository } = await octokit.rest.repos.get(AT);
  assert.equal(repository.permissions?.push, true);
  const made = await octokit.rest.checks.create({
    ...AT,
    name: "triptych",
    head_sha: fake.head,
    status: "completed",
    conclusion: "success",
    output: { title: "The checks pass", summary: "All of them." },
  });
  assert.deepEqual([made.data.conclusion, made.data.output.title], ["success", "The checks pass"]);
  const { data: found } = await octokit.rest.checks.listForRef({ ...AT, ref: fake.head, check_name: "triptych" });
  assert.equal(found.total_count, 1);
  assertAsPublished([...app.exchanges, ...exchanges]);
});

test("returns GitHub's documented errors to @octokit/auth-app", async () => {
  await using fake = await openAppFake(false);
  const wrongKey = octokitOf(fake.forge.url, { privateKey: pair().privateKey });
  assert.equal(await statusOf(wrongKey.octokit.rest.apps.getInstallation({ installation_id: 7 })), 401);
  const installed = octokitOf(fake.forge.url, { installationId: 7 });
  const check = { ...AT, name: "triptych", head_sha: fake.head };
  assert.equal(await statusOf(installed.octokit.rest.checks.create(check)), 403);
  fake.forge.app?.setInstallation("suspended");
  const suspended = octokitOf(fake.forge.url, { installationId: 7 });
  assert.equal(await statusOf(suspended.octokit.rest.repos.get(AT)), 403);
  fake.forge.app?.setInstallation("removed");
  const removed = octokitOf(fake.forge.url);
  assert.equal(await statusOf(removed.octokit.rest.apps.getRepoInstallation(AT)), 404);
  assertAsPublished([...suspended.exchanges, ...removed.exchanges]);
});

test("sends only app requests that GitHub documents, and the panel's check run is one", async () => {
  await using fake = await openAppFake();
  const exchanges: HttpExchange[] = [];
  const recorded = (authorization: string): ForgeCall => {
    const direct = createForgeCall({
      base: `${fake.forge.url}/api/v3`,
      headers: { Authorization: authorization },
      resolve: async () => null,
      timeoutMs: 5_000,
      onAnswer: () => {},
    });
    return async (method, path, sent) => {
      const answer = await direct(method, path, sent);
      const [at = "", query] = path.split("?");
      exchanges.push({ method, path: at, query: new URLSearchParams(query), sent, ...answer });
      return answer;
    };
  };
  const open = (_repo: unknown, authorization: string) => ({ call: recorded(authorization), path: "acme/sum" });
  const tokens = createAppTokens({ open, now: Date.now });
  const app = { kind: "github_app" as const, app_id: APP_ID, private_key: privateKey };
  const url = `${fake.forge.url}/acme/sum.git`;
  const token = await tokens.tokenOf({ owner: "acc_1", id: "rep_1", url, provider: "github", app });
  const checkRuns = checkRunsOf(recorded(`Bearer ${token}`), "acme/sum");
  const input = {
    runId: "run_1",
    headSha: fake.head,
    conclusion: "neutral" as const,
    title: "Nothing was checked",
    summary: "No test command.",
    detailsUrl: "https://panel.example/runs/run_1",
    completedAt: Date.now(),
  };
  await checkRuns.report(input);
  await checkRuns.report(input);
  assert.equal(fake.forge.app?.checkRuns.length, 1);
  assert.equal(exchanges.length, 5);
  assertAsPublished(exchanges);
});
