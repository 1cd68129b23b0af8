/**
 * The product on real projects, through its public HTTP API alone: `npm run e2e:real-repos [-- name ...]`. Needs a registry and git; uses
 * a sandbox where one can be built. Prints progress, each candidate, and a table; leaves nothing behind.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallation } from "../../test/support/product.ts";
import { startWorker } from "../processes.ts";
import { createClient, type AddedRepo, type Candidate, type FinishedRun, type Variable } from "./client.ts";
import { judge, tableOf, UNAVAILABLE, type Fix, type Verdict } from "./judge.ts";
import { makeRepository } from "./make-repository.ts";
import { PROJECTS, type Project } from "./projects.ts";
import { inspectBranch } from "./pushed-branch.ts";
import { openPrivateRegistry, type PrivateRegistry } from "./registry-proxy.ts";

const REGISTRY = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
/** Variables of this machine that tell programs how to reach the registry. */
const PASSED_ON = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
const PROJECT_MS = 900_000;
/** Candidates that are fixed per project. Each one takes two installations and two runs of the checks. */
const FIXES_MAX = 2;
/** The number of projects at the same time: the worker's slots. */
const LANES = 2;

const chosen = PROJECTS.filter(({ name }) => process.argv.length < 3 || process.argv.includes(name));
if (!(await isReachable(REGISTRY)))
  process.stdout.write(`Skipped: no registry responds at ${new URL(REGISTRY).origin}.\n`);
else process.exitCode = await main();

interface Bench {
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  readonly registry: PrivateRegistry;
}

async function main(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "real-repos-"));
  try {
    await using registry = await openPrivateRegistry(REGISTRY);
    await using installation = await openInstallation();
    const panel = await installation.startPanel({ PANEL_ALLOW_LOCAL_REPOS: "1" });
    const { panel: account } = JSON.parse(
      await readFile(join(installation.folder, "data", "credentials.json"), "utf8"),
    );
    const passed = Object.fromEntries(
      PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    );
    const args = ["--panel", panel.url, "--allow-root", "--slots", String(LANES), "--work-dir", join(folder, "worker")];
    await using _worker = await startWorker(args, { ...passed, PANEL_TOKEN: account.pro.license_key });
    const bench = { folder, url: panel.url, token: account.pro.access_token, registry };
    const verdicts = await tryAll(bench);
    process.stdout.write(`\n${tableOf(verdicts)}\n\n`);
    return judge(verdicts);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryAll(bench: Bench): Promise<readonly Verdict[]> {
  const waiting = [...chosen];
  const verdicts: Verdict[] = [];
  const lane = async () => {
    for (let project = waiting.shift(); project !== undefined; project = waiting.shift())
      verdicts.push(await tryProject(bench, project));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return verdicts.toSorted((candidate, other) => orderOf(candidate) - orderOf(other));
}

function orderOf({ name }: Verdict): number {
  return chosen.findIndex((project) => project.name === name);
}

async function tryProject({ folder, url, token, registry }: Bench, project: Project): Promise<Verdict> {
  const { name, hasPrivateRegistry = false } = project;
  const begun = performance.now();
  const secondsSince = () => Math.round((performance.now() - begun) / 1000);
  const report = (text: string) => process.stdout.write(`[${String(secondsSince()).padStart(3)} s] ${name}: ${text}\n`);
  const deadline = begun + PROJECT_MS;
  const found = { setup: null as string | null, baseline: "not run", candidates: [] as readonly Candidate[] };
  const fixes: Fix[] = [];
  const problems: string[] = [];
  let isPushed = false;
  try {
    const bare = await makeRepository(project, { folder: join(folder, name), registry: registry.url });
    report("repository made");
    const client = createClient({ url, token, deadline, report });
    const sealed: Readonly<Record<string, Variable>> = hasPrivateRegistry
      ? { NPM_TOKEN: { value: registry.token, sealed: true } }
      : {};
    const repo = await client.add(`file://${bare}`, sealed);
    found.setup = repo.setup;
    report(`added: setup ${repo.setup ?? "none"}, verify ${repo.verify ?? "none"}`);
    const environment: Readonly<Record<string, string>> = hasPrivateRegistry ? { NPM_TOKEN: registry.token } : {};
    const inspect = (run: FinishedRun) =>
      inspectPushed(run, { bare, repo, environment, hasRedTests: project.hasRedTests === true });
    const { candidates, skipped } = await client.explore(repo.id);
    found.candidates = candidates;
    for (const reason of skipped) report(`not checked: ${reason}`);
    for (const result of candidates) report(describe(result));
    const command = await client.runCommand(repo.id);
    found.baseline = command.baseline;
    const pushed = command.isPushed ? await inspect(command) : command.result;
    isPushed = pushed === null;
    report(`run: baseline ${command.baseline}, ${pushed ?? "pushed and checked"}`);
    if (pushed !== null) problems.push(`run: ${pushed}`);
    for (const candidate of candidates.filter(({ mendable }) => mendable).slice(0, FIXES_MAX)) {
      if (performance.now() > deadline) {
        problems.push(`no time left to run ${candidate.title}`);
        continue;
      }
      const problem = await inspect(await client.runCandidate(candidate.id));
      fixes.push({ title: candidate.title, isPushed: problem === null });
      report(`fix: ${candidate.title}: ${problem ?? "pushed and checked"}`);
      if (problem !== null) problems.push(`${candidate.title}: ${problem}`);
    }
    if (hasPrivateRegistry) report(`private registry: ${registry.counts.accepted} requests with the token`);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  for (const problem of problems) report(`PROBLEM ${problem}`);
  const { toolchain } = project;
  const kind = toolchain === undefined ? "npm" : "other";
  const expected = toolchain !== undefined && isOnPath(toolchain) ? ["green", UNAVAILABLE] : [UNAVAILABLE];
  return {
    name,
    kind,
    expected,
    hasRedTests: project.hasRedTests === true,
    ...found,
    fixes,
    isPushed,
    problems,
    seconds: secondsSince(),
  };
}

function isOnPath(program: string): boolean {
  return spawnSync("which", [program]).status === 0;
}

interface InspectOptions {
  readonly bare: string;
  readonly repo: AddedRepo;
  readonly environment: Readonly<Record<string, string>>;
  readonly hasRedTests: boolean;
}

/** What is wrong with what a run pushed; null if it is as it should be. */
async function inspectPushed(
  run: FinishedRun,
  { bare, repo, environment, hasRedTests }: InspectOptions,
): Promise<string | null> {
  if (!run.isPushed) return run.result;
  // Tests that were red before stay red: the gate alone was to become green.
  const commands = hasRedTests ? { ...repo, verify: null } : repo;
  return (await inspectBranch({ bare, branch: run.branch, commands, environment })).problem;
}

function describe({ title, category, mendable, evidence, rationale }: Candidate): string {
  const places = evidence.map(({ path, line }) => (line === null ? path : `${path}:${line}`)).join(", ");
  return `candidate [${category}${mendable ? ", auto-fixable" : ""}] ${title} | ${places || "whole repository"} | ${rationale}`;
}

async function isReachable(registry: string): Promise<boolean> {
  const answer = await fetch(new URL("minimist/1.2.8", registry)).catch(() => null);
  return answer?.ok === true;
}
