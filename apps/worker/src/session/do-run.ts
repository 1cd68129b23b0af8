/** Executes a run up to its final message. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { IsolationLevel } from "@triptych/contracts";
import type { Baselines } from "../phases/baselines.ts";
import type { DependencyTools } from "../dependencies/run-dependencies.ts";
import type { CreateSandbox } from "../sandbox/sandbox-factory.ts";
import { findBase, type Base } from "../git/base.ts";
import type { Mirrors } from "../git/clone.ts";
import { environmentOf } from "../process/environment.ts";
import { enforcesNetwork } from "../sandbox/enforcement.ts";
import { shortened, type BusItem, type Reporter, type StateChange } from "../run/reporter.ts";
import { RunError } from "../run/run-error.ts";
import type { CheckReport, RunOutcome } from "../run/run-request.ts";
import type { CommonRunTools } from "../phases/run-limits.ts";
import { runPhases } from "../phases/run-phases.ts";
import { agentsOf, type AgentSelection } from "./agent-selection.ts";
import { scoutFor } from "./do-explore.ts";
import type { WireItem } from "./event-queue.ts";
import type { RunReporter, Work } from "./run-session.ts";
import type { Clock } from "../run/clock.ts";
import { panelFetch, panelProxyFrom } from "../model-proxy/panel-proxy.ts";
import { createUploads, type Uploads } from "./uploads.ts";
import { baselineMembers, checkMembers, toRunRequest, sizeOf, type Assign } from "./wire.ts";

export interface WorkerTools {
  readonly panel: string;
  readonly mirrors: Mirrors;
  readonly baselines: Baselines;
  readonly dependencies: DependencyTools | null;
  readonly isolation: IsolationLevel;
  readonly createSandbox: CreateSandbox;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** All license keys of this worker, for redaction. */
  readonly secrets: () => ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly log: (text: string) => void;
}

/** Maximum on the bus; longer text becomes an artifact. */
const BUS_TEXT_BYTES_MAX = 16 * 1024;

/** The life of a run. `run.signal` is its only cancellation; without it, every error but an internal one becomes a final message. */
export function workOn(assign: Assign, selection: AgentSelection, worker: WorkerTools): Work {
  return async (run) => {
    let base: Base | null = null;
    const uploads = uploadsOf(assign, run, worker);
    const reporter = createReporter(run, { uploads, worker, base: () => base, assign });
    try {
      const folder = { path: run.folder.path, signal: run.signal };
      base = await findRunBase({ clone: assign.clone, token: assign.run_token }, folder, worker);
      const tools = toRunTools(worker, { folder, reporter });
      if (selection.kind === "scouts") {
        const report = await scoutFor(assign, { scouts: selection.scouts, base, tools });
        await uploads.settled();
        return report;
      }
      // Clone, setup, baseline, agents and checks, policy, bundle.
      const outcome = await runPhases(toRunRequest(assign, base), { ...tools, team: selection.team });
      const storeLog = (log: string) => uploads.artifact(log)?.sha256 ?? null;
      const details = { base, ...checkMembers(outcome.report, outcome.kind === "delivered" ? storeLog : undefined) };
      await uploads.settled();
      if (outcome.kind === "cancelled") return { state: "cancelled", data: {} };
      if (outcome.kind !== "delivered")
        return {
          state: outcome.kind,
          data: { code: outcome.code, message: outcome.message, ...details, ...aiPolicyOf(outcome) },
        };
      const uploaded = await uploads.bundle(outcome.bundle);
      if (uploaded.kind === "superseded") return null;
      if (uploaded.kind === "refused")
        return { state: "failed", data: { code: uploaded.code, message: uploaded.message, ...details } };
      const { isApproved: approved, comments } = outcome.review;
      const agents = agentsOf(selection.team);
      const warnings = [...warningsOf(assign, worker.isolation), ...outcome.warnings];
      const data = { ...details, head_sha: outcome.headSha, agents, approved, comments, warnings };
      return { state: "pushing", data };
    } catch (error) {
      if (run.signal.aborted) return null;
      if (!(error instanceof RunError)) throw error;
      return { state: "failed", data: { code: error.code, message: error.message, ...(base && { base }) } };
    }
  };
}

/** The policy to report, because the panel then refuses further runs of the repository. */
function aiPolicyOf(outcome: RunOutcome) {
  const finding = outcome.kind === "failed" ? outcome.finding : undefined;
  if (finding === undefined) return {};
  return { ai_policy: { stance: finding.stance, source: finding.source ?? "", quote: finding.quote ?? "" } };
}

/** The folder of a run or check, until `signal` aborts. */
export interface RunScope {
  readonly path: string;
  readonly signal: AbortSignal;
}

interface CloneOrder {
  readonly clone: Assign["clone"];
  readonly token: string;
}

/** The commit to work on. */
export async function findRunBase({ clone, token }: CloneOrder, scope: RunScope, worker: WorkerTools): Promise<Base> {
  const home = join(scope.path, "home");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const environment = environmentOf(worker.hostEnvironment, { home, temporary: home });
  const proxy = panelProxyFrom(worker.hostEnvironment)(clone.url);
  return findBase({ ...clone, bearer: token, proxy, environment, signal: scope.signal, clock: worker.clock });
}

export function toRunTools(
  worker: WorkerTools,
  { folder, reporter }: { readonly folder: RunScope; readonly reporter: Reporter },
): CommonRunTools {
  const { mirrors, baselines, dependencies, createSandbox, hostEnvironment, clock } = worker;
  return {
    folder: join(folder.path, "work"),
    mirrors,
    baselines,
    dependencies,
    createSandbox,
    reporter,
    hostEnvironment,
    secrets: worker.secrets(),
    signal: folder.signal,
    now: () => worker.now().getTime(),
    elapsed: clock.now,
  };
}

function uploadsOf({ run_id, epoch, run_token }: Assign, { signal }: RunReporter, worker: WorkerTools): Uploads {
  const onError = (text: string) => worker.log(`run ${run_id}: ${text}`);
  return createUploads({
    panel: worker.panel,
    fetch: panelFetch(panelProxyFrom(worker.hostEnvironment)(worker.panel)),
    runId: run_id,
    epoch,
    token: run_token,
    clock: worker.clock,
    signal,
    onError,
  });
}

/** Without a sandbox an agent's network is open: the run gets a warning. */
function warningsOf({ isolation }: Assign, level: IsolationLevel): readonly string[] {
  return isolation.network === "open" || enforcesNetwork(level) ? [] : ["network_not_enforced"];
}

interface ReporterOptions {
  readonly uploads: Uploads;
  readonly worker: WorkerTools;
  readonly base: () => Base | null;
  readonly assign: Assign;
}

function createReporter({ stream, enter }: RunReporter, { uploads, worker, base, assign }: ReporterOptions): Reporter {
  const level = worker.isolation;
  const isolation = { level, network: enforcesNetwork(level) ? assign.isolation.network : "open" };
  const warnings = warningsOf(assign, level);
  return {
    say: (item) => stream.say(wireItem(item, uploads, worker.now())),
    enter(change) {
      // Acceptance is the first message of a run.
      if (change.state === "preparing") return;
      enter(change.state, {
        ...dataOf(change),
        base: base(),
        isolation,
        warnings,
      });
    },
  };
}

function dataOf(change: Exclude<StateChange, { readonly state: "preparing" }>): Readonly<Record<string, unknown>> {
  if (change.state === "verifying") return sizeOf(change.diff);
  const verify: CheckReport | null = change.verify;
  return verify === null ? baselineMembers(change.baseline) : { ...checkMembers(verify) };
}

function wireItem({ from, kind, text, data, round }: BusItem, uploads: Uploads, at: Date): WireItem {
  const isLong = Buffer.byteLength(text) > BUS_TEXT_BYTES_MAX;
  const artifact = isLong ? uploads.artifact(text) : null;
  const by = "cli" in from ? from : { cli: null, model: null };
  return {
    at: at.toISOString(),
    from: {
      role: from.role,
      agent: by.cli,
      cli: by.cli,
      model: by.model,
    },
    kind,
    text: shortened(text, BUS_TEXT_BYTES_MAX),
    data: { ...data, ...(artifact !== null && { artifact }) },
    round,
  };
}
