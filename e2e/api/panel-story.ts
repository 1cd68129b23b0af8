/** The operations of the panel, with a fake Git host and a worker that is driven here. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { git } from "../../test/support/panel-api.ts";
import type { Call, Reply } from "./calls.ts";
import { connectWorker, type WorkerClient } from "./worker-client.ts";

export interface PanelStoryOptions {
  /** The URL of the panel itself: a worker connects by WebSocket, which an HTTP proxy cannot check. */
  readonly url: string;
  readonly account: {
    readonly email: string;
    readonly password: string;
    readonly access_token: string;
    readonly license_key: string;
  };
  readonly signInToken: string;
  readonly forge: { readonly url: string; readonly bare: string; readonly token: string };
  /** A folder for temporary files. */
  readonly folder: string;
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const GREEN = { exit_code: 0, duration_ms: 1_200 };
const RED = { exit_code: 1, duration_ms: 1_200 };
const SUM = "export const sum = (a, b) => a - b;\n";
const TEST = 'import { sum } from "./sum.mjs";\nif (sum(2, 3) !== 5) throw new Error("the sum is wrong");\n';

export async function panelStory(call: Call, options: PanelStoryOptions): Promise<void> {
  const { url, account, forge, folder } = options;
  await sessionStory(call, options);
  await accountStory(call);
  const tree = join(folder, "tree");
  await createTree(tree, forge.bare);
  await using worker = await connectWorker(url, account.license_key);
  await worker.next("welcome");
  await workerStory(call);
  const repo = await repoStory(call, { forge, worker });
  await memoryStory(call, repo);
  await runStory(call, { repo, worker, tree });
  await candidateStory(call, { repo, worker, tree });
  await endStory(call, { repo });
}

async function sessionStory(call: Call, { account, signInToken }: PanelStoryOptions): Promise<void> {
  await call("signInOnce", { body: { token: signInToken } });
  const { headers, json } = await call("login", { body: { email: account.email, password: account.password } });
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  const session = { Cookie: cookie, Authorization: "" };
  await call("getSession", { headers: session });
  await call("logout", { headers: { ...session, "X-CSRF-Token": json.csrf_token }, body: {} });
}

async function accountStory(call: Call): Promise<void> {
  await call("getAccount");
  await call("getLicense");
  const body = { name: "dashboard of the team", scopes: ["read"], expires_in_days: 30 };
  const created = (await call("createToken", { body })).json;
  await call("listTokens");
  await call("deleteToken", { params: { id: created.id } });
}

async function createTree(tree: string, bare: string): Promise<void> {
  await git(join(tree, ".."), "init", "--quiet", "--initial-branch=main", tree);
  await writeFile(join(tree, "sum.mjs"), SUM);
  await writeFile(join(tree, "test.mjs"), TEST);
  await git(tree, "add", "--all");
  await git(tree, "commit", "--quiet", "--message=First");
  await git(tree, "push", "--quiet", bare, "main");
}

async function workerStory(call: Call): Promise<void> {
  await call("probeWorker", { body: { cli: "codex", model: "gpt-x" } });
  const { workers } = (await call("workerStatus")).json;
  const params = { id: workers[0].id };
  await call("updateWorker", { params, body: { enabled: true } });
  await call("listWorkerModels", { query: "?cli=codex" });
}

interface RepoParts {
  readonly forge: PanelStoryOptions["forge"];
  readonly worker: WorkerClient;
}

async function repoStory(call: Call, { forge, worker }: RepoParts): Promise<string> {
  const body = {
    url: `${forge.url}/acme/sum.git`,
    provider: "github",
    credential: { kind: "token", token: forge.token },
    verify_cmd: "node test.mjs",
    pr: { auto: false, labels: ["maintenance"] },
  };
  const { id } = (await call("createRepo", { body })).json;
  const params = { id: String(id) };
  await until(async () => (await call("getRepo", { params, isExample: false })).json.status === "active");
  await call("getRepo", { params });
  await call("listRepos", { query: "?q=sum" });
  await call("updateRepo", { params, body: { focus: "Repair failing tests.", schedule: "@weekly" } });
  await call("checkRepo", { params });
  const check = await worker.next("check");
  worker.say({ t: "ack", cid: check.cid });
  const headers = bearer(check.token);
  const checkParams = { id: check.check_id };
  const refs = await call("listCheckRefs", { headers, params: checkParams, query: "?service=git-upload-pack" });
  await call("fetchCheckPack", { headers: { ...headers, ...PACK }, params: checkParams, body: wantOf(refs) });
  const { check_id } = check;
  worker.say({ t: "checked", check_id, setup: null, verify: RED, unavailable: false, message: "the sum is wrong" });
  await worker.next("checked_ack");
  await call("listFires", { params });
  return params.id;
}

const PACK = { "Content-Type": "application/x-git-upload-pack-request" };

/** The request of a clone for the first listed commit, in git's protocol version 0. */
function wantOf({ text }: Reply): Uint8Array {
  const sha = /[0-9a-f]{40}/.exec(text)?.[0] ?? "";
  return Buffer.from(`0032want ${sha}\n00000009done\n`);
}

async function memoryStory(call: Call, repo: string): Promise<void> {
  const params = { id: repo };
  const memory = (await call("addMemory", { params, body: { text: "Use tabs.", pinned: true } })).json;
  await call("listMemories", { params });
  const named = { id: repo, mid: String(memory.id) };
  const changes = call("watchChanges", { firstEvent: true, headers: { Accept: "text/event-stream" } });
  // The stream does not say when it begins, and omits earlier changes.
  let isOver = false;
  void changes.finally(() => (isOver = true));
  await until(async () => {
    await call("updateMemory", { params: named, body: { pinned: false } });
    return isOver;
  });
  await changes;
  await call("deleteMemory", { params: named });
}

interface RunParts {
  readonly repo: string;
  readonly worker: WorkerClient;
  /** A working tree of the repository. */
  readonly tree: string;
}

interface Lease {
  readonly run_id: string;
  readonly epoch: number;
  readonly run_token: string;
}

async function lease(worker: WorkerClient, id: string): Promise<Lease> {
  for (;;) {
    const { cid, run_id, epoch, run_token } = await worker.next("assign");
    worker.say({ t: "ack", cid });
    // The demo's own runs are not for this worker.
    worker.say(run_id === id ? { t: "accept", run_id, epoch } : { t: "refuse", run_id, epoch, reason: "no_slot" });
    if (run_id === id) return { run_id, epoch, run_token };
  }
}

/** Sends a state, and waits until the panel has stored it. */
async function report(worker: WorkerClient, { run_id, epoch }: Lease, state: string, data: object): Promise<void> {
  worker.say({ t: "state", mid: `${run_id}-${state}`, run_id, epoch, state, data });
  const { result } = await worker.next("state_ack");
  if (result !== "ok") throw new Error(`The panel answered ${result} to ${state}.`);
}

async function runStory(call: Call, { repo, worker, tree }: RunParts): Promise<void> {
  const params = { id: repo };
  const started = (await call("startRun", { params, body: { focus: "Repair the sum.", priority: 1 } })).json;
  const held = await lease(worker, started.id);
  const run = { id: held.run_id };
  const headers = bearer(held.run_token);
  const refs = await call("listGitRefs", { headers, params: run, query: "?service=git-upload-pack" });
  await call("fetchGitPack", { headers: { ...headers, ...PACK }, params: run, body: wantOf(refs) });
  const base = { branch: "main", sha: await git(tree, "rev-parse", "main") };
  const baseline = { ...RED, cached: false };
  await report(worker, held, "running", { base, baseline });
  const item = { wseq: 1, at: new Date().toISOString(), from: { role: "coder", cli: "codex" }, round: 1, data: {} };
  const { run_id, epoch } = held;
  worker.say({ t: "events", run_id, epoch, items: [{ ...item, kind: "message", text: "`sum` subtracts." }] });
  await worker.next("events_ack");
  await report(worker, held, "verifying", { changed_files: 1, insertions: 1, deletions: 1 });
  await uploadStory(call, { run: held, tree });
  const verify = { baseline, attempts: [{ n: 1, ...GREEN }], gate: null, verdict: "passed" };
  await report(worker, held, "pushing", { verify, head_sha: await git(tree, "rev-parse", "HEAD") });
  await until(async () => (await call("getRun", { params: run, isExample: false })).json.state === "pushed");
  await call("getRunDiff", { params: run });
  await call("getRunStatement", { params: run });
  await call("getStatementKeys");
  await call("openPr", { params: run, body: { draft: false } });
  await call("getRun", { params: run });
  await call("readBus", { params: run, query: "?limit=3" });
  await call("readBus", { params: run, query: "?kind=message", headers: { Accept: "text/event-stream" } });
  await call("listRuns", { query: "?state=pr_open&limit=1" });
  await call("listRunsOfRepo", { params, query: "?limit=1" });
  const log = Buffer.from(OUTPUT);
  await call("getRunArtifact", { params: { ...run, sha256: createHash("sha256").update(log).digest("hex") } });
  await until(async () => (await call("getRun", { params: run, isExample: false })).json.pr?.state === "open");
  const followUp = (await call("followUpRun", { params: run, body: { cause: "review" } })).json;
  await call("cancelRun", { params: { id: followUp.id }, isExample: false });
}

const OUTPUT = "> node test.mjs\nok\n";

async function uploadStory(call: Call, { run, tree }: { readonly run: Lease; readonly tree: string }): Promise<void> {
  const branch = `maint/${run.run_id}`;
  await git(tree, "checkout", "--quiet", "-b", branch);
  await writeFile(join(tree, "sum.mjs"), SUM.replace("a - b", "a + b"));
  await git(tree, "commit", "--quiet", "--all", "--message=Repair the sum");
  const path = join(tree, "..", "run.bundle");
  await git(tree, "bundle", "create", "--quiet", path, branch, "^main");
  const params = { id: run.run_id };
  const upload = (bytes: Buffer) => ({
    "Content-Digest": `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`,
    "Content-Type": "application/octet-stream",
    ...bearer(run.run_token),
  });
  const log = Buffer.from(OUTPUT);
  const sha256 = createHash("sha256").update(log).digest("hex");
  await call("uploadArtifact", { params: { ...params, sha256 }, headers: upload(log), body: log });
  const bundle = await readFile(path);
  await call("uploadBundle", { params, headers: upload(bundle), query: `?epoch=${run.epoch}`, body: bundle });
}

async function candidateStory(call: Call, { repo, worker, tree }: RunParts): Promise<void> {
  const params = { id: repo };
  const started = (await call("startExplore", { params, body: { checks: ["missing_file"] } })).json;
  const held = await lease(worker, started.id);
  const base = { branch: "main", sha: await git(tree, "rev-parse", "main") };
  await report(worker, held, "running", { base, baseline: null });
  await report(worker, held, "verifying", { changed_files: 0, insertions: 0, deletions: 0 });
  const scan = { checks: [{ name: "missing_file", skipped: null }], unproved: 0 };
  const candidates = ["license", "readme"].map((file, index) => candidate(file, index));
  await report(worker, held, "succeeded", { candidates, scan });
  const [first, second] = (await call("listCandidates", { params })).json.items;
  await call("getExploreStats", { params });
  await call("rejectCandidate", { params: { id: first.id }, body: { reason: "not for this repository" } });
  await call("updateWorker", { params: { id: await workerId(call) }, body: { enabled: false } });
  const run = (await call("runCandidate", { params: { id: second.id }, body: {} })).json;
  await call("cancelRun", { params: { id: run.id } });
  await call("retryRun", { params: { id: run.id }, body: {} });
}

function candidate(file: string, index: number) {
  return {
    title: `Add a ${file}`,
    focus: `Add the missing ${file} file.`,
    gate: { cmd: `triptych gate has ${file}`, timeout_s: 60 },
    gate_proof: { ...RED, output: `There is no ${file}.` },
    category: "docs",
    rationale: `Users look for a ${file} first.`,
    evidence: [{ path: "sum.mjs", line: 1, sha: null, excerpt: SUM.trim() }],
    score: 0.9 - index / 10,
    effort: "s",
    risk: "low",
    fingerprint: `sha256:${String(index).padStart(64, "0")}`,
    source: "scan",
    mendable: false,
  };
}

async function workerId(call: Call): Promise<string> {
  return (await call("workerStatus")).json.workers[0].id;
}

async function endStory(call: Call, { repo }: { readonly repo: string }): Promise<void> {
  await call("deleteWorker", { params: { id: await workerId(call) } });
  await call("rotateLicense");
  await call("deleteRepo", { params: { id: repo } });
}

/** Polls, because the panel works in the background. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); await wait(50))
    if (Date.now() > end) throw new Error("The panel did not finish in 60 s.");
}
