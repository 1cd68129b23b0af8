/** The environment of every run, scout and check: clone, sandbox, timeout, cancellation, redaction, and an empty folder at the end. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createRedactor, type Redactor } from "@triptych/redaction";
import type { AiFinding } from "@triptych/change-policy";
import { createRunDependencies, type DependencyTools } from "../dependencies/run-dependencies.ts";
import { createSpending } from "../agents/usage-tracker.ts";
import { borrowedObjects } from "../git/check-repository.ts";
import type { Mirrors } from "../git/clone.ts";
import { workerGit } from "../git/git.ts";
import { createSnapshots } from "../git/snapshots.ts";
import { environmentOf, secretsOf } from "../process/environment.ts";
import { removeFolder } from "../process/folders.ts";
import { networkSecretsOf, setupNetworkOf } from "../process/network-environment.ts";
import { redacted, type Reporter } from "../run/reporter.ts";
import { PolicyError, RunError } from "../run/run-error.ts";
import type { RunCode, RunRequest } from "../run/run-request.ts";
import type { CreateSandbox } from "../sandbox/sandbox-factory.ts";
import type { Baselines } from "./baselines.ts";
import type { RunContext } from "./run-context.ts";
import { readGuidelines } from "./guidelines.ts";
import { savePartialWork } from "./save-partial-work.ts";

export interface CommonRunTools {
  /** Created for this run, and emptied at its end except for the bundle. */
  readonly folder: string;
  readonly mirrors: Mirrors;
  readonly baselines: Baselines;
  /** The dependency cache; null to run setup commands in every run. */
  readonly dependencies: DependencyTools | null;
  readonly createSandbox: CreateSandbox;
  readonly reporter: Reporter;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** Secret values by name, besides those of the environment and the request. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Cancels the run. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly elapsed: () => number;
}

export type Ended<T> =
  | { readonly kind: "done"; readonly value: T }
  | {
      readonly kind: "failed";
      readonly code: RunCode;
      readonly message: string;
      readonly finding?: AiFinding | undefined;
    }
  | { readonly kind: "cancelled" };

/** The signal of the context ends everything in it: it aborts on cancellation, after the timeout, and when the sandbox exceeds a limit. */
export async function underLimits<T>(
  request: RunRequest,
  tools: CommonRunTools,
  act: (context: RunContext) => Promise<T>,
): Promise<Ended<T>> {
  const ending = new AbortController();
  const end = (why: RunError) => ending.abort(why);
  const { timeoutS } = request.limits;
  const deadline = setTimeout(
    () => end(new RunError("timeout", `the run timed out after ${timeoutS} s`)),
    timeoutS * 1000,
  );
  // The first abort decides: `signal.reason` is its reason.
  const signal = AbortSignal.any([tools.signal, ending.signal]);
  const redactor = createRedactor(secretsIn(request, tools));
  const reporter = redacted(tools.reporter, redactor);
  const folders = foldersIn(tools.folder);
  try {
    reporter.enter({ state: "preparing" });
    const context = await prepare(request, { ...tools, reporter, redactor, signal, end });
    await using _ = context.sandbox;
    return { kind: "done", value: await act(context) };
  } catch (error) {
    const why: unknown = signal.aborted ? signal.reason : error;
    if (tools.signal.aborted && why === tools.signal.reason) return { kind: "cancelled" };
    if (!(why instanceof RunError)) throw error;
    const environment = environmentOf(tools.hostEnvironment, folders);
    const { gitFolder, tree } = folders;
    await savePartialWork(why.code, {
      baseSha: request.clone.sha,
      gitContext: { gitFolder, tree, environment },
      reporter,
    });
    const finding = why instanceof PolicyError ? why.finding : undefined;
    return { kind: "failed", code: why.code, message: redactor.text(why.message), finding };
  } finally {
    clearTimeout(deadline);
    for (const folder of Object.values(folders)) await removeFolder(folder);
  }
}

function foldersIn(folder: string) {
  const pathOf = (name: string) => join(folder, name);
  return {
    tree: pathOf("tree"),
    gitFolder: pathOf("repository.git"),
    notes: pathOf("notes"),
    home: pathOf("home"),
    temporary: pathOf("tmp"),
    copies: scratchFolderOf(folder),
  };
}

/** Folder for copies of the tree. */
export function scratchFolderOf(folder: string): string {
  return join(folder, "copies");
}

interface Preparation extends CommonRunTools {
  readonly redactor: Redactor;
  readonly end: (why: RunError) => void;
}

/** Clones the repository, and creates its sandbox. */
async function prepare(request: RunRequest, preparation: Preparation): Promise<RunContext> {
  const { hostEnvironment, mirrors, createSandbox, signal, end } = preparation;
  const { tree, gitFolder, notes, home, temporary } = foldersIn(preparation.folder);
  for (const folder of [home, temporary, notes]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const environment = environmentOf(hostEnvironment, { home, temporary });
  const { diskMb, timeoutS } = request.limits;
  const bytes = diskMb === null ? null : diskMb * 1024 * 1024;
  const target = { gitFolder, tree, environment, signal, timeoutMs: timeoutS * 1000, bytes };
  const git = await mirrors.checkOut(request.clone, target);
  const { sha: base } = request.clone;
  const isEnforced = request.isPolicyEnforced === true;
  const conventions = await readGuidelines(git, { sha: base, redactor: preparation.redactor, isEnforced });
  const objects = await borrowedObjects(gitFolder);
  const sandboxFolders = { tree, objects, gitFolder, notes, home, temporary };
  const sandbox = await createSandbox(sandboxFolders, { ...request, onBroken: end });
  const { branch, sha } = request.clone;
  const setupEnvironment = { ...setupNetworkOf(hostEnvironment), ...variables(request, { sealed: true }) };
  const cached = preparation.dependencies;
  return {
    ...preparation,
    request,
    folder: notes,
    tree,
    treeOnDisk: tree,
    home,
    checkRepository: { gitFolder, objects, branch, sha },
    // The worker's variables take precedence, because a repository must not set PATH or HOME.
    environment: { ...variables(request, { sealed: false }), ...environment },
    setupEnvironment,
    dependencies:
      cached === null
        ? null
        : createRunDependencies({ ...cached, request, git, gitFolder, environment: setupEnvironment }),
    sandbox,
    git,
    gitFolder,
    comparedWith: sha,
    snapshots: createSnapshots(git, sha, gitFolder),
    gitIn: (other) => workerGit({ gitFolder, tree: other, environment, signal }),
    conventions,
    spent: createSpending(sandbox.modelProxy, request.usdEur),
    proposed: new Set(),
  };
}

function variables({ environment = [] }: RunRequest, { sealed }: { readonly sealed: boolean }): Record<string, string> {
  return Object.fromEntries(
    environment.filter((variable) => variable.sealed === sealed).map(({ name, value }) => [name, value]),
  );
}

function secretsIn(request: RunRequest, { hostEnvironment, secrets }: CommonRunTools): ReadonlyMap<string, string> {
  const { bearer } = request.clone;
  return new Map([
    ...secretsOf(hostEnvironment),
    ...networkSecretsOf(hostEnvironment),
    ...secrets,
    ...(bearer === null ? [] : ([["run_token", bearer]] as const)),
    ...Object.entries(variables(request, { sealed: true })),
  ]);
}
