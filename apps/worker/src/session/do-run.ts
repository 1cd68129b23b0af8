/** Runs an order to its final message: finds the base, runs the phases, uploads the bundle. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { IsolationLevel } from "@triptych/contracts";
import type { Baselines } from "../phases/baselines.ts";
import type { CreateSandbox } from "../sandbox/sandbox-factory.ts";
import { findBase, type Base } from "../git/base.ts";
import type { Mirrors } from "../git/clone.ts";
import { environmentOf } from "../process/environment.ts";
import { holdsNetwork } from "../sandbox/enforcement.ts";
import { shortened, type BusItem, type Reporter, type StateChange } from "../run/reporter.ts";
import { RunError } from "../run/run-error.ts";
import type { AgentName, CheckReport, RunOutcome } from "../run/run-request.ts";
import { runPhases, type CommonRunTools } from "../phases/run-phases.ts";
import { agentsOf, type AgentSelection } from "./agent-selection.ts";
import { scoutFor } from "./do-explore.ts";
import type { WireItem } from "./event-stream.ts";
import type { RunReporter, Work } from "./run-session.ts";
import type { FinalReport } from "./run-state.ts";
import type { Clock } from "../run/clock.ts";
import { createUploads, type Uploads } from "./uploads.ts";
import { baselineMembers, checkMembers, toRunRequest, sizeOf, type Assign } from "./wire.ts";

export interface WorkerTools {
  readonly panel: string;
  readonly mirrors: Mirrors;
  readonly baselines: Baselines;
  readonly isolation: IsolationLevel;
  readonly createSandbox: CreateSandbox;
  readonly hostEnvironment: Readonly<Record<string, string | undefined>>;
  /** All licence keys of this worker, for redaction. */
  readonly secrets: () => ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly log: (text: string) => void;
}

/** Maximum on the bus; longer text becomes an artefact. */
const LONGEST_TEXT = 16 * 1024;

export function workOn(assign: Assign, selection: AgentSelection, worker: WorkerTools): Work {
  return async (run) => {
    const { signal, folder } = run;
    const uploads = createUploads({
      panel: worker.panel,
      runId: assign.run_id,
      epoch: assign.epoch,
      token: assign.run_token,
      clock: worker.clock,
      signal,
      onError: (text) => worker.log(`run ${assign.run_id}: ${text}`),
    });
    const context = { base: null as Base | null };
    const reporter = createReporter(run, { uploads, worker, base: () => context.base, assign });
    try {
      context.base = await baseOf(assign, run, worker);
      const tools: CommonRunTools = {
        folder: folder.work,
        mirrors: worker.mirrors,
        baselines: worker.baselines,
        createSandbox: worker.createSandbox,
        reporter,
        hostEnvironment: worker.hostEnvironment,
        secrets: worker.secrets(),
        signal,
        now: () => worker.now().getTime(),
        elapsed: worker.clock.now,
      };
      if (selection.kind === "scouts") {
        const report = await scoutFor(assign, { scouts: selection.scouts, base: context.base, tools });
        await uploads.settled();
        return report;
      }
      const outcome = await runPhases(toRunRequest(assign, context.base), { ...tools, team: selection.team });
      await uploads.settled();
      const agents = agentsOf(selection.team);
      return await toFinalReport(outcome, { assign, uploads, base: context.base, level: worker.isolation, agents });
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof RunError)) throw error;
      return {
        state: "failed",
        data: { code: error.code, message: error.message, ...(context.base && { base: context.base }) },
      };
    }
  };
}

async function baseOf(
  { clone, run_token }: Assign,
  { folder, signal }: RunReporter,
  worker: WorkerTools,
): Promise<Base> {
  const home = join(folder.path, "home");
  await mkdir(home, { recursive: true });
  const environment = environmentOf(worker.hostEnvironment, { home, temporary: home });
  return findBase({ ...clone, bearer: run_token, environment, signal, clock: worker.clock });
}

interface Ending {
  readonly assign: Assign;
  readonly uploads: Uploads;
  readonly base: Base;
  readonly level: IsolationLevel;
  readonly agents: readonly AgentName[];
}

async function toFinalReport(outcome: RunOutcome, ending: Ending): Promise<FinalReport | null> {
  const { assign, uploads, base, level, agents } = ending;
  const details = { base, ...checkMembers(outcome.report) };
  switch (outcome.kind) {
    case "cancelled":
      return { state: "cancelled", data: {} };
    case "no_change":
    case "failed":
      return { state: outcome.kind, data: { code: outcome.code, message: outcome.message, ...details } };
    case "delivered": {
      const uploaded = await uploads.bundle(outcome.bundle);
      if (uploaded.kind === "superseded") return null;
      if (uploaded.kind === "refused") {
        const { code, message } = uploaded;
        return { state: "failed", data: { code, message, ...details } };
      }
      const { headSha } = outcome;
      const warnings = [...warningsOf(assign, level), ...outcome.warnings];
      const { isApproved: approved, comments } = outcome.review;
      return { state: "pushing", data: { ...details, head_sha: headSha, agents, approved, comments, warnings } };
    }
  }
}

/** Below a sandbox an agent's network is open: the run gets a warning. */
function warningsOf({ isolation }: Assign, level: IsolationLevel): readonly string[] {
  return isolation.network === "open" || holdsNetwork(level) ? [] : ["network_not_enforced"];
}

interface ReporterOptions {
  readonly uploads: Uploads;
  readonly worker: WorkerTools;
  readonly base: () => Base | null;
  readonly assign: Assign;
}

function createReporter({ stream, enter }: RunReporter, { uploads, worker, base, assign }: ReporterOptions): Reporter {
  const level = worker.isolation;
  const isolation = { level, network: holdsNetwork(level) ? assign.isolation.network : "open" };
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
  const isLong = Buffer.byteLength(text) > LONGEST_TEXT;
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
    text: shortened(text, LONGEST_TEXT),
    data: { ...data, ...(artifact !== null && { artifact }) },
    round,
  };
}
