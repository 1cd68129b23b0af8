/**
 * One run from request to bundle: clone, setup, baseline, team rounds, policy and secrets, commit, bundle. The first failing phase ends the
 * run. Only the bundle remains on disk.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createSpending } from "../agents/usage-tracker.ts";
import type { Baselines } from "./baselines.ts";
import type { CreateSandbox } from "../sandbox/sandbox-factory.ts";
import { removeFolder } from "../process/folders.ts";
import { bundle, branchOf, commit } from "../git/deliver.ts";
import { borrowedObjects } from "../git/check-repository.ts";
import { workerGit } from "../git/git.ts";
import type { Mirrors } from "../git/clone.ts";
import { createSnapshots } from "../git/snapshots.ts";
import { checkBaseline } from "./checks.ts";
import { inspect } from "./check-policy.ts";
import type { RunContext } from "./run-context.ts";
import { savePartialWork } from "./save-partial-work.ts";
import { setUp } from "./setup.ts";
import { environmentOf, secretsOf } from "../process/environment.ts";
import { networkSecretsOf, setupNetworkOf } from "../process/network-environment.ts";
import { createRedactor } from "@triptych/redaction";
import { redacted, type Reporter } from "../run/reporter.ts";
import { RunError } from "../run/run-error.ts";
import type { RunCode, RunRequest, RunOutcome } from "../run/run-request.ts";
import { repair } from "./team/repair.ts";
import type { Team } from "../agents/team-members.ts";
import { reportOf, type RunSummary } from "../run/run-summary.ts";

export interface RunTools {
  /** Created for this run, and emptied at its end except for the bundle. */
  readonly folder: string;
  readonly mirrors: Mirrors;
  readonly baselines: Baselines;
  readonly team: Team;
  readonly createSandbox: CreateSandbox;
  readonly reporter: Reporter;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** Secret values by name, besides those of the environment and the request. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly elapsed: () => number;
}

/** Rejects only on an internal error; everything else is an outcome. */
export async function runPhases(request: RunRequest, tools: RunTools): Promise<RunOutcome> {
  const summary: RunSummary = { baseline: null, attempts: [], verdict: null };
  const ended = await underLimits(request, tools, (prepared, reporter) =>
    follow(prepared, { ...tools, reporter }, summary),
  );
  return ended.kind === "done" ? ended.value : { ...ended, report: reportOf(summary) };
}

/** Common to runs of every kind: folders, reporter, and the abort signal. */
export type CommonRunTools = Omit<RunTools, "team">;

export type Ended<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly code: RunCode; readonly message: string }
  | { readonly kind: "cancelled" };

/** Applies the timeout and cancellation, cleans the disk, and redacts. */
export async function underLimits<T>(
  request: RunRequest,
  tools: CommonRunTools,
  act: (prepared: PreparedRun, reporter: Reporter) => Promise<T>,
): Promise<Ended<T>> {
  const ending = new AbortController();
  const cancel = () => ending.abort(new Cancelled());
  const deadline = setTimeout(
    () => ending.abort(new RunError("timeout", `the run timed out after ${request.limits.timeoutS} s`)),
    request.limits.timeoutS * 1000,
  );
  tools.signal.addEventListener("abort", cancel, { once: true });
  if (tools.signal.aborted) cancel();
  const secrets = new Map([
    ...secretsOf(tools.hostEnvironment),
    ...networkSecretsOf(tools.hostEnvironment),
    ...tools.secrets,
    ...bearerOf(request),
    ...sealedOf(request),
  ]);
  const redactor = createRedactor(secrets);
  const pathOf = (name: string) => join(tools.folder, name);
  const folders = { home: pathOf(HOME), temporary: pathOf(TEMPORARY) };
  try {
    const end = (why: RunError) => ending.abort(why);
    const prepared = { request, redactor, signal: ending.signal, end };
    return { kind: "done", value: await act(prepared, redacted(tools.reporter, redactor)) };
  } catch (error) {
    const why: unknown = ending.signal.aborted ? ending.signal.reason : error;
    if (why instanceof Cancelled) return { kind: "cancelled" };
    if (!(why instanceof RunError)) throw error;
    await savePartialWork(why.code, {
      baseSha: request.clone.sha,
      gitContext: {
        gitFolder: pathOf(REPOSITORY),
        tree: pathOf(TREE),
        environment: environmentOf(tools.hostEnvironment, folders),
      },
      reporter: redacted(tools.reporter, redactor),
    });
    return { kind: "failed", code: why.code, message: redactor.text(why.message) };
  } finally {
    clearTimeout(deadline);
    tools.signal.removeEventListener("abort", cancel);
    for (const name of LEFT_BEHIND) await removeFolder(pathOf(name));
  }
}

class Cancelled extends Error {}

const TREE = "tree";
const REPOSITORY = "repository.git";
const NOTES = "notes";
const HOME = "home";
const TEMPORARY = "tmp";
export const SCRATCH_FOLDER = "copies";
const LEFT_BEHIND = [TREE, REPOSITORY, NOTES, HOME, TEMPORARY, SCRATCH_FOLDER];

export type PreparedRun = Pick<RunContext, "request" | "redactor" | "signal"> & {
  readonly end: (why: RunError) => void;
};

async function follow(prepared: PreparedRun, tools: RunTools, summary: RunSummary): Promise<RunOutcome> {
  tools.reporter.enter({ state: "preparing" });
  const context = await prepare(prepared, tools);
  await using _ = context.sandbox;
  await setUp(context);
  const { baseline, judged } = await checkBaseline(context);
  summary.baseline = baseline.run;
  if (judged === "gate_not_red") return noChange("gate_not_red", "the gate already passes", summary);
  if (judged === "baseline_broken") throw new RunError("baseline_broken", "the gate fails before any change");
  const repaired = await repair(context, { team: tools.team, baseline, summary });
  if (repaired === null) return noChange("ok", "the agent changed nothing", summary);
  const { treeId, review } = repaired;
  const { diff, paths, warnings } = await inspect(context, treeId);
  const headSha = await commit(context.git, { request: context.request, treeId, atMs: tools.now(), paths });
  const made = await bundle(context.git, context.request, join(tools.folder, "run.bundle"));
  const branch = branchOf(context.request);
  return { kind: "delivered", headSha, branch, bundle: made, diff, warnings, review, report: reportOf(summary) };
}

export async function prepare(prepared: PreparedRun, tools: CommonRunTools): Promise<RunContext> {
  const { request, signal } = prepared;
  const pathOf = (name: string) => join(tools.folder, name);
  for (const name of [HOME, TEMPORARY, NOTES]) await mkdir(pathOf(name), { recursive: true, mode: 0o700 });
  const folders = { home: pathOf(HOME), temporary: pathOf(TEMPORARY) };
  const environment = environmentOf(tools.hostEnvironment, folders);
  const tree = pathOf(TREE);
  const git = await tools.mirrors.checkOut(request.clone, {
    gitFolder: pathOf(REPOSITORY),
    tree,
    environment,
    signal,
    timeoutMs: request.limits.timeoutS * 1000,
    bytes: request.limits.diskMb === null ? null : request.limits.diskMb * 1024 * 1024,
  });
  const objects = await borrowedObjects(pathOf(REPOSITORY));
  const sandboxFolders = { tree, objects, gitFolder: pathOf(REPOSITORY), notes: pathOf(NOTES), ...folders };
  const sandbox = await tools.createSandbox(sandboxFolders, { ...request, onBroken: prepared.end });
  const baseSha = request.clone.sha;
  return {
    ...prepared,
    folder: pathOf(NOTES),
    tree,
    treeOnDisk: tree,
    checkRepository: { gitFolder: pathOf(REPOSITORY), objects, branch: request.clone.branch, sha: baseSha },
    // The worker's variables win: a repository must not set PATH or HOME.
    environment: { ...variables(request, { sealed: false }), ...environment },
    setupEnvironment: { ...setupNetworkOf(tools.hostEnvironment), ...variables(request, { sealed: true }) },
    sandbox,
    git,
    snapshots: createSnapshots(git, baseSha, pathOf(REPOSITORY)),
    gitIn: (other) => workerGit({ gitFolder: pathOf(REPOSITORY), tree: other, environment, signal }),
    baselines: tools.baselines,
    spent: createSpending(sandbox.modelProxy, request.usdEur),
    proposed: new Set(),
    reporter: tools.reporter,
    elapsed: tools.elapsed,
  };
}

function noChange(code: "ok" | "gate_not_red", message: string, summary: RunSummary): RunOutcome {
  return { kind: "no_change", code, message, report: reportOf(summary) };
}

function variables({ environment = [] }: RunRequest, { sealed }: { readonly sealed: boolean }) {
  return Object.fromEntries(
    environment.filter((variable) => variable.sealed === sealed).map(({ name, value }) => [name, value]),
  );
}

function sealedOf({ environment = [] }: RunRequest): [string, string][] {
  return environment.filter(({ sealed }) => sealed).map(({ name, value }) => [name, value]);
}

function bearerOf({ clone }: RunRequest): [string, string][] {
  return clone.bearer === null ? [] : [["run_token", clone.bearer]];
}
