/**
 * One run from its order to a bundle: clone, setup, baseline, then the rounds of the team, then policy and secrets, commit,
 * bundle. The first phase that cannot go on ends the run; whatever the end, it is one of the outcomes, and everything but the bundle
 * is removed.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createSpending } from "./agents/usage-tracker.ts";
import type { Baselines } from "./baselines.ts";
import type { OpenEnclosure } from "./sandbox/sandbox-factory.ts";
import { removeFolder } from "./folders.ts";
import { bundle, branchOf, commit } from "./git/deliver.ts";
import { borrowedObjects } from "./git/check-repository.ts";
import { createGit } from "./git/git.ts";
import type { Mirrors } from "./git/clone.ts";
import { createSnapshots } from "./git/snapshots.ts";
import { checkBaseline } from "./phases/checks.ts";
import { inspect } from "./phases/check-policy.ts";
import type { Scene } from "./phases/run-context.ts";
import { keepWork } from "./phases/save-partial-work.ts";
import { setUp } from "./phases/setup.ts";
import { environmentOf, secretsOf } from "./process/environment.ts";
import { networkSecretsOf, setupNetworkOf } from "./process/network-environment.ts";
import { createRedactor } from "@triptych/redaction";
import { redacted, type Reporter } from "./reporter.ts";
import { RunFault } from "./run-error.ts";
import type { RunCode, RunOrder, RunOutcome } from "./run-request.ts";
import { repair } from "./team/repair.ts";
import type { Team } from "./team/team-members.ts";
import { reportOf, type Told } from "./run-summary.ts";

export interface RunTools {
  /** A folder for this run alone: it is made, and emptied at the end but for the bundle. */
  readonly folder: string;
  readonly mirrors: Mirrors;
  readonly baselines: Baselines;
  readonly team: Team;
  readonly openEnclosure: OpenEnclosure;
  readonly reporter: Reporter;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** Values that must never be said, by name, besides those of the environment and the order. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly elapsed: () => number;
}

/** Rejects only for a fault of our own; everything that can happen to a run is an outcome. */
export async function runPhases(order: RunOrder, tools: RunTools): Promise<RunOutcome> {
  const told: Told = { baseline: null, attempts: [], verdict: null };
  const ended = await underLimits(order, tools, (begun, reporter) => follow(begun, { ...tools, reporter }, told));
  return ended.kind === "done" ? ended.value : { ...ended, report: reportOf(told) };
}

/** What every run has, whatever it is for: where it happens, who hears of it, and what ends it. */
export type RunPlace = Omit<RunTools, "team">;

export type Ended<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly code: RunCode; readonly message: string }
  | { readonly kind: "cancelled" };

/** Within the run's time and until it is cancelled; what is left behind on the disk is removed, and nothing secret is said. */
export async function underLimits<T>(
  order: RunOrder,
  tools: RunPlace,
  act: (begun: Begun, reporter: Reporter) => Promise<T>,
): Promise<Ended<T>> {
  const ending = new AbortController();
  const cancel = () => ending.abort(new Cancelled());
  const deadline = setTimeout(
    () => ending.abort(new RunFault("timeout", `the run took longer than ${order.limits.timeoutS} s`)),
    order.limits.timeoutS * 1000,
  );
  tools.signal.addEventListener("abort", cancel, { once: true });
  if (tools.signal.aborted) cancel();
  const known = new Map([
    ...secretsOf(tools.hostEnvironment),
    ...networkSecretsOf(tools.hostEnvironment),
    ...tools.secrets,
    ...bearerOf(order),
    ...sealedOf(order),
  ]);
  const redactor = createRedactor(known);
  const place = (name: string) => join(tools.folder, name);
  const folders = { home: place(HOME), temporary: place(TEMPORARY) };
  try {
    const end = (why: RunFault) => ending.abort(why);
    const begun = { order, redactor, signal: ending.signal, end };
    return { kind: "done", value: await act(begun, redacted(tools.reporter, redactor)) };
  } catch (error) {
    const why: unknown = ending.signal.aborted ? ending.signal.reason : error;
    if (why instanceof Cancelled) return { kind: "cancelled" };
    if (!(why instanceof RunFault)) throw error;
    await keepWork(why.code, {
      baseSha: order.clone.sha,
      place: {
        gitFolder: place(REPOSITORY),
        tree: place(TREE),
        environment: environmentOf(tools.hostEnvironment, folders),
      },
      reporter: redacted(tools.reporter, redactor),
    });
    return { kind: "failed", code: why.code, message: redactor.text(why.message) };
  } finally {
    clearTimeout(deadline);
    tools.signal.removeEventListener("abort", cancel);
    for (const name of LEFT_BEHIND) await removeFolder(place(name));
  }
}

/** The user, or the panel in their place, asked for it. */
class Cancelled extends Error {}

const TREE = "tree";
const REPOSITORY = "repository.git";
const NOTES = "notes";
const HOME = "home";
const TEMPORARY = "tmp";
export const COPIES = "copies";
const LEFT_BEHIND = [TREE, REPOSITORY, NOTES, HOME, TEMPORARY, COPIES];

export type Begun = Pick<Scene, "order" | "redactor" | "signal"> & { readonly end: (why: RunFault) => void };

async function follow(begun: Begun, tools: RunTools, told: Told): Promise<RunOutcome> {
  tools.reporter.enter({ state: "preparing" });
  const scene = await prepare(begun, tools);
  await using _ = scene.enclosure;
  await setUp(scene);
  const { baseline, judged } = await checkBaseline(scene);
  told.baseline = baseline.run;
  if (judged === "gate_not_red") return noChange("gate_not_red", "the gate is green already", told);
  if (judged === "baseline_broken") throw new RunFault("baseline_broken", "the gate is red before any change");
  const repaired = await repair(scene, { team: tools.team, baseline, told });
  if (repaired === null) return noChange("ok", "the agent changed nothing", told);
  const { treeId, review } = repaired;
  const { diff, paths, warnings } = await inspect(scene, treeId);
  const headSha = await commit(scene.git, { order: scene.order, treeId, atMs: tools.now(), paths });
  const made = await bundle(scene.git, scene.order, join(tools.folder, "run.bundle"));
  const branch = branchOf(scene.order);
  return { kind: "delivered", headSha, branch, bundle: made, diff, warnings, review, report: reportOf(told) };
}

export async function prepare(begun: Begun, tools: RunPlace): Promise<Scene> {
  const { order, signal } = begun;
  const place = (name: string) => join(tools.folder, name);
  for (const name of [HOME, TEMPORARY, NOTES]) await mkdir(place(name), { recursive: true, mode: 0o700 });
  const folders = { home: place(HOME), temporary: place(TEMPORARY) };
  const environment = environmentOf(tools.hostEnvironment, folders);
  const tree = place(TREE);
  const git = await tools.mirrors.checkOut(order.clone, {
    gitFolder: place(REPOSITORY),
    tree,
    environment,
    signal,
    timeoutMs: order.limits.timeoutS * 1000,
    bytes: order.limits.diskMb === null ? null : order.limits.diskMb * 1024 * 1024,
  });
  const objects = await borrowedObjects(place(REPOSITORY));
  const enclosed = { tree, objects, gitFolder: place(REPOSITORY), notes: place(NOTES), ...folders };
  const enclosure = await tools.openEnclosure(enclosed, { ...order, onBroken: begun.end });
  const baseSha = order.clone.sha;
  return {
    ...begun,
    folder: place(NOTES),
    tree,
    treeOnDisk: tree,
    checkRepository: { gitFolder: place(REPOSITORY), objects, branch: order.clone.branch, sha: baseSha },
    // The worker's own names win: nothing of a repository decides what PATH or HOME is.
    environment: { ...variables(order, { sealed: false }), ...environment },
    setupEnvironment: { ...setupNetworkOf(tools.hostEnvironment), ...variables(order, { sealed: true }) },
    enclosure,
    git,
    snapshots: createSnapshots(git, baseSha, place(REPOSITORY)),
    gitIn: (other) => createGit({ gitFolder: place(REPOSITORY), tree: other, environment, signal }),
    baselines: tools.baselines,
    spent: createSpending(enclosure.door, order.usdEur),
    proposed: new Set(),
    reporter: tools.reporter,
    elapsed: tools.elapsed,
  };
}

function noChange(code: "ok" | "gate_not_red", message: string, told: Told): RunOutcome {
  return { kind: "no_change", code, message, report: reportOf(told) };
}

function variables({ environment = [] }: RunOrder, { sealed }: { readonly sealed: boolean }) {
  return Object.fromEntries(environment.filter((one) => one.sealed === sealed).map(({ name, value }) => [name, value]));
}

function sealedOf({ environment = [] }: RunOrder): [string, string][] {
  return environment.filter(({ sealed }) => sealed).map(({ name, value }) => [name, value]);
}

function bearerOf({ clone }: RunOrder): [string, string][] {
  return clone.bearer === null ? [] : [["run_token", clone.bearer]];
}
