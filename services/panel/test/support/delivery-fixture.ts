/** A panel on loopback, a forge with one repository, and a worker's real git client and fetch. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RunVerify } from "@triptych/contracts";
import { startForge, type Dialect, type GitHubAppOptions } from "@triptych/fake-forge";
import { runProgram } from "@triptych/process-spawner";
import { transitionRun, type Step } from "../../src/domain/create-run.ts";
import type { RunRecord } from "../../src/domain/records.ts";
import type { RunEvent } from "../../src/domain/run-states.ts";
import { createFixture } from "./create-fixture.ts";
import type { DeliveryOverrides } from "./start-test-background.ts";

export const FORGE_TOKEN = "forge-token-of-the-test";

export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test", "-c", "core.fsync=none"];
  const ended = await runProgram({
    program: "git",
    args: [...identity, ...args],
    folder,
    environment: {
      PATH: process.env["PATH"] ?? "",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_TERMINAL_PROMPT: "0",
      HOME: folder,
    },
    timeoutMs: 60_000,
    outputBytes: 1 << 20,
  });
  assert.ok(ended.how === "exited" && ended.code === 0, `git ${args[0]}: ${ended.stderr}`);
  return ended.printed.toString().trim();
}

export interface Made {
  readonly path: string;
  readonly bytes: Buffer;
  readonly headSha: string;
}

interface DeliveryFixtureOptions {
  readonly dialect?: Dialect;
  readonly app?: GitHubAppOptions;
  readonly deliveryOverrides?: DeliveryOverrides;
}

interface LaterStep {
  readonly change: Partial<Step>;
  readonly dueInMs: number;
}

export async function createDeliveryFixture(options: DeliveryFixtureOptions = {}) {
  const { dialect = "github", app, deliveryOverrides } = options;
  const folder = mkdtempSync(join(tmpdir(), "handover-"));
  // The forge has the clock of the panel, which opens later.
  let now = Date.now;
  const forge = await startForge({
    folder: join(folder, "forge"),
    token: FORGE_TOKEN,
    dialect,
    ...(app && { app }),
    now: () => now(),
  });
  const bare = join(folder, "forge", "acme", "sum.git");
  const local = join(folder, "local");
  await git(folder, "init", "--quiet", "--template=", "--initial-branch=main", "local");
  write(local, { "sum.js": "export const sum = (a, b) => a - b;\n", "README.md": "# Sum\n" });
  await git(local, "add", "--all");
  await git(local, "commit", "--quiet", "--message=First");
  await git(local, "push", "--quiet", bare, "main", "main:secret-branch");
  const fixture = await createFixture({
    privateHosts: true,
    ...(deliveryOverrides !== undefined && { deliveryOverrides }),
  });
  now = fixture.panel.now;
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const address = fixture.server.fastify.server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : ""}`;
  const token = fixture.pro.access_token;
  const owner = fixture.pro.account_id;
  const made = await fixture.ask("POST", "/api/repos", {
    token,
    body: {
      url: `${forge.url}/acme/sum.git`,
      provider: dialect,
      credential: { kind: "token", token: FORGE_TOKEN },
      verify_cmd: "node test.js",
      limits: { max_changed_files: 3 },
      pr: { auto: false, draft: false, labels: ["maintenance"] },
    },
  });
  const repo = made.json<{ id: string }>();
  const { store } = fixture.panel;
  const runOf = async (id: string) => {
    const record = await store.of(owner).runs.find(id);
    if (record === null) throw new Error(`there is no run ${id}`);
    return record;
  };
  const step = async (id: string, event: RunEvent, change: Partial<Step> = {}) => {
    const before = await runOf(id);
    return store.change(owner, (repositories) =>
      transitionRun(repositories, before, event, { at: fixture.panel.now(), ...change }),
    );
  };

  /** A step with a delayed effect, so that a test can act before it. */
  const stepLater = async (id: string, event: RunEvent, { change, dueInMs }: LaterStep) => {
    const before = await runOf(id);
    await store.change(owner, async (repositories) => {
      const run = await transitionRun(repositories, before, event, { at: fixture.panel.now(), ...change });
      const effect = await repositories.effects.find(id, run.state === "pushing" ? "push" : "pr");
      if (effect !== null) await repositories.effects.save({ ...effect, nextAt: fixture.panel.now() + dueInMs });
    });
  };

  let placed = 0;

  return {
    ...fixture,
    forge,
    bare,
    local,
    url,
    token,
    owner,
    repo,
    runOf,
    step,
    stepLater,
    baseSha: await git(local, "rev-parse", "main"),
    /** A run leased to a worker, based on the head of main. */
    async leasedRun(body: object = {}): Promise<{ run: RunRecord; runToken: string }> {
      const started = await fixture.ask("POST", `/api/repos/${repo.id}/run`, {
        token,
        body: { parallel: true, ...body },
      });
      const { id } = started.json<{ id: string }>();
      const leased = { epoch: 1, attempt: 1, leaseUntil: fixture.panel.now() + 45_000, workerId: "wrk_1" };
      await step(id, "leased", leased);
      await step(id, "accepted");
      const base = { branch: "main", sha: await git(local, "rev-parse", "main") };
      const verify = { baseline: null, attempts: [], gate: null, verdict: "passed" as const };
      await step(id, "ready", { facts: { base, verify } });
      const run = await step(id, "agent_ended");
      const runToken = fixture.deliveryServices.tokens.mint(
        { owner, runId: id, epoch: 1 },
        fixture.panel.now() + 3_600_000,
      );
      return { run, runToken };
    },
    /** A commit of these files on the base, as a worker's bundle. */
    async bundleOf(id: string, files: Readonly<Record<string, string>>, from = "main"): Promise<Made> {
      await git(local, "checkout", "--quiet", "-B", `maint/${id}`, from);
      write(local, files);
      await git(local, "add", "--all");
      await git(local, "commit", "--quiet", "--message=Repair");
      return this.pack(id, [`refs/heads/maint/${id}`, "^main"]);
    },
    async pack(id: string, range: readonly string[]): Promise<Made> {
      const path = join(folder, `${id}.bundle`);
      await git(local, "bundle", "create", "--quiet", "--version=2", path, ...range);
      return { path, bytes: readFileSync(path), headSha: await git(local, "rev-parse", "HEAD") };
    },
    upload(
      id: string,
      { runToken, bytes, epoch = 1, digest }: { runToken: string; bytes: Buffer; epoch?: number; digest?: string },
    ) {
      const contentDigest = digest ?? `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
      return fetch(`${url}/api/worker/runs/${id}/bundle?epoch=${epoch}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${runToken}`, "content-digest": contentDigest },
        body: new Uint8Array(bytes),
      });
    },
    /** Moves a run from a verified change to pushing. */
    async handOver(
      files: Readonly<Record<string, string>>,
      body: object = {},
    ): Promise<{ run: RunRecord; made: Made }> {
      const { run, runToken } = await this.leasedRun(body);
      const made = await this.bundleOf(run.id, files);
      const uploaded = await this.upload(run.id, { runToken, bytes: made.bytes });
      if (uploaded.status !== 200) throw new Error(await uploaded.text());
      const judged = await fixture.deliveryServices.delivery.judge(owner, await runOf(run.id), {
        headSha: made.headSha,
      });
      if (judged.kind !== "accepted") throw new Error(judged.message);
      return { run: await step(run.id, "passed", { facts: judged.facts }), made };
    },
    /** Pushed without an automatic pull request. */
    async pushedRun(files: Readonly<Record<string, string>>): Promise<RunRecord> {
      const { run } = await this.handOver(files);
      await fixture.deliveryServices.effects.poll();
      return runOf(run.id);
    },
    /** The same with an existing branch, as after an unrecorded push: faster, without a bundle. Every change is unique. */
    async placedRun(verdict: RunVerify["verdict"] = "passed", facts: object = {}): Promise<RunRecord> {
      const { run } = await this.leasedRun();
      const headSha = await git(bare, "commit-tree", "-p", "main", "-m", `Repair ${++placed}`, "main^{tree}");
      await git(bare, "update-ref", `refs/heads/maint/${run.id}`, headSha);
      const bundle = { sha256: createHash("sha256").update(headSha).digest("hex"), bytes: 1 };
      const diff = { files: 1, insertions: 1, deletions: 1, patch_id: `${placed}`.padStart(40, "0") };
      const verify = { ...run.facts.verify, verdict };
      await step(run.id, "passed", { facts: { headSha, bundle, diff, verify, ...facts } });
      await fixture.deliveryServices.effects.poll();
      return runOf(run.id);
    },
    openPr: (id: string, body: object = {}) => fixture.ask("POST", `/api/runs/${id}/pr`, { token, body }),
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]();
      await forge[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
