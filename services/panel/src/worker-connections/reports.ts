/**
 * Handles a worker's frames about its runs: accept, refuse, heartbeat and state reports. Each carries run and epoch; a stale one changes
 * nothing and is answered with a cancel.
 */
import { WORKER_CLOSES, type ReportData, type ReportedState, type WorkerFrame } from "@triptych/contracts";
import type { Redactor } from "@triptych/redaction";
import type { Judgement } from "../domain/delivery.ts";
import { waitAfter } from "../domain/effects.ts";
import type { ApplyContext } from "../domain/candidates/candidates.ts";
import { exploreMessage, applyScoutReport } from "../domain/candidates/scout-report.ts";
import { isLeasedAt } from "../domain/leases.ts";
import { CANCELLED, requeue, transitionRun, type Step } from "../domain/create-run.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { RunFacts, RunRecord } from "../domain/records.ts";
import type { RunAgent } from "../domain/run-agents.ts";
import type { WorkerAgent } from "../domain/workers.ts";
import { eventOfReport, type RunEvent, isLeased } from "../domain/run-states.ts";
import { logsOfReport } from "../domain/check-logs.ts";
import { verifyOfReport } from "../domain/run-verify.ts";
import type { Connection } from "./connection-registry.ts";
import { REFUSAL_PAUSE_MS } from "../queue/dispatch.ts";
import { foundPolicy, notePolicy } from "./note-policy.ts";
import { readReport } from "./frames.ts";
import { WORKER_UNABLE } from "../queue/lease-run.ts";
import { requestCancel, type RunLease, type ChannelContext } from "./channel-context.ts";

type Frame<T extends WorkerFrame["t"]> = Extract<WorkerFrame, { readonly t: T }>;

export interface Reports {
  accept(connection: Connection, frame: Frame<"accept">): Promise<void>;
  refuse(connection: Connection, frame: Frame<"refuse">): Promise<void>;
  report(connection: Connection, frame: Frame<"state">): Promise<void>;
}

export function createReports(context: ChannelContext): Reports {
  const { store, connections, timers, metrics, secrets } = context;

  return {
    async accept(connection, frame) {
      const lease = leaseOf(frame);
      const offer = connection.runs.get(lease.runId);
      if (offer?.epoch === lease.epoch) offer.offeredAt = null;
      const run = await store.change(connection.owner, async (repositories) => {
        const run = await findLeasedRun(repositories, connection, lease);
        return run?.state === "leased" ? transitionRun(repositories, run, "accepted", { at: timers.now() }) : run;
      });
      if (run === null) requestCancel(context, connection, lease);
    },

    /** Refuses an offer, or any run of a worker that stops. */
    async refuse(connection, frame) {
      const lease = leaseOf(frame);
      const isStopping = frame.reason === "stopping";
      const now = timers.now();
      const lack = LACKS[frame.reason];
      const isUnable = lack !== undefined;
      // A permanent refusal: do not offer this run again. The worker stays available for other runs.
      if (isUnable) connection.refused.add(lease.runId);
      else connection.pausedUntil = now + REFUSAL_PAUSE_MS;
      connections.release(connection, lease.runId);
      const isBack = await store.change(connection.owner, async (repositories) => {
        const run = await findLeasedRun(repositories, connection, lease);
        if (run === null || (run.state !== "leased" && !isStopping)) return false;
        const { warnings } = run.facts;
        const facts = isUnable ? { ...run.facts, lack, warnings: [...warnings, WORKER_UNABLE] } : run.facts;
        await requeue(repositories, { ...run, facts }, now);
        return true;
      });
      if (isBack) metrics.leaseLost("refused");
    },

    async report(connection, frame) {
      const read = readReport(frame.state, frame.data);
      if (typeof read === "string") return connection.link.close(WORKER_CLOSES.badFrame, read);
      const lease = leaseOf(frame);
      const redactor = await secrets.redactorOf(connection.owner, lease.runId, lease.epoch);
      const data = frame.state === "pushing" ? cleaned(read as ReportData["pushing"], redactor) : read;
      const judgement =
        frame.state === "pushing"
          ? await judgeWithRetries(context, connection, frame, data as ReportData["pushing"])
          : null;
      // The worker has disconnected in the meantime and repeats the report on its next connection.
      if (judgement?.kind === "unreachable" && connections.find(connection.owner, connection.worker.id) !== connection)
        return;
      const report: StateReport = { lease, mid: frame.mid, state: frame.state, data, judgement, redactor };
      const { result, run } = await store.change(connection.owner, (repositories) =>
        settle(repositories, connection, report),
      );
      if (run !== null && !isLeased(run.state)) connections.release(connection, lease.runId);
      connection.link.answer({ t: "state_ack", mid: frame.mid, result });
    },
  };

  async function settle(repositories: Repositories, connection: Connection, report: StateReport): Promise<Outcome> {
    const { lease, mid, state, data, judgement, redactor } = report;
    if (await repositories.queue.knowsReport({ ...lease, mid })) return { result: "duplicate", run: null };
    const run = await findLeasedRun(repositories, connection, lease);
    const event = run === null ? null : eventOfReport(state, run);
    if (run === null || event === null) return { result: "rejected", run: null };
    await repositories.queue.noteReport({ ...lease, mid });
    const at = timers.now();
    const pushing = { data: data as ReportData["pushing"], available: connection.worker.agents };
    const judgedStep = event === "passed" ? judged(run, judgement, pushing) : null;
    const { event: last, step } = judgedStep ?? { event, step: stepOf(run, event, { state, data, at }) };
    const applyContext = { newId: context.newId, now: at, clean: (text: string) => redactor.text(text) };
    const explored = state === "succeeded" ? await explore(repositories, run, step, { data, applyContext }) : step;
    const moved = await transitionRun(repositories, run, last, { ...explored, at });
    await notePolicy(repositories, run, foundPolicy(report, at));
    // A run with a pending cancellation never reaches pushing; its worker drops the work.
    return { result: event === "cancelled" && state === "pushing" ? "rejected" : "ok", run: moved };
  }
}

/** The run, if this worker owns it in this epoch; otherwise sends a cancel. */
async function findLeasedRun(
  repositories: Pick<Repositories, "runs">,
  connection: Connection,
  { runId, epoch }: RunLease,
): Promise<RunRecord | null> {
  const run = await repositories.runs.find(runId);
  const isOwn = run !== null && run.workerId === connection.worker.id && isLeasedAt(run, epoch);
  return isOwn ? run : null;
}

/** Retries while the forge is unreachable and the worker is connected. A worker that reconnects repeats its report. */
async function judgeWithRetries(
  context: ChannelContext,
  connection: Connection,
  frame: Frame<"state">,
  data: ReportData["pushing"],
): Promise<Judgement | null> {
  const { connections, timers } = context;
  const startedAt = timers.now();
  for (let tries = 1; ; tries++) {
    const judgement = await judge(context, connection, frame, data);
    if (judgement?.kind !== "unreachable" || timers.now() - startedAt >= JUDGE_TIMEOUT_MS) return judgement;
    await new Promise<void>((resolve) => timers.after(Math.min(waitAfter(tries), RETRY_DELAY_MAX_MS), resolve));
    if (connections.find(connection.owner, connection.worker.id) !== connection) return judgement;
  }
}

/** Outside the transaction, because it reads a bundle. The result applies only if the run has not changed. */
async function judge(
  context: ChannelContext,
  connection: Connection,
  frame: Frame<"state">,
  data: ReportData["pushing"],
): Promise<Judgement | null> {
  const { store, delivery } = context;
  const repositories = store.of(connection.owner);
  const run = await findLeasedRun(repositories, connection, leaseOf(frame));
  if (run === null || eventOfReport("pushing", run) !== "passed") return null;
  if (await repositories.queue.knowsReport({ runId: run.id, epoch: run.epoch, mid: frame.mid })) return null;
  return delivery.judge(connection.owner, run, { headSha: data.head_sha });
}

interface StateReport {
  readonly lease: RunLease;
  readonly mid: string;
  readonly state: ReportedState;
  readonly data: ReportData[ReportedState];
  readonly judgement: Judgement | null;
  readonly redactor: Redactor;
}

/** If the forge is unreachable for longer, the run fails and can be retried. The worker keeps its work for this long. */
const JUDGE_TIMEOUT_MS = 10 * 60_000;
/** Upper bound for noticing that the worker has disconnected. */
const RETRY_DELAY_MAX_MS = 15_000;

const LACKS: Readonly<Partial<Record<Frame<"refuse">["reason"], "cli" | "isolation">>> = {
  unknown_cli: "cli",
  isolation: "isolation",
};

interface ExploreUpdate {
  readonly data: ReportData[ReportedState];
  readonly applyContext: ApplyContext;
}

/** Candidates first: their counts are part of the run's result. */
async function explore(
  repositories: Repositories,
  run: RunRecord,
  step: Change,
  { data, applyContext }: ExploreUpdate,
): Promise<Change> {
  const facts = { ...run.facts, ...step.facts };
  const explored = await applyScoutReport(
    repositories,
    { ...run, facts },
    data as ReportData["succeeded"],
    applyContext,
  );
  const message = exploreMessage(explored).slice(0, MESSAGE_LENGTH_MAX);
  return { ...step, facts: { ...step.facts, explore: explored }, result: { code: "ok", message } };
}

interface Outcome {
  readonly result: "ok" | "duplicate" | "rejected";
  readonly run: RunRecord | null;
}

function leaseOf({ run_id: runId, epoch }: { readonly run_id: string; readonly epoch: number }): RunLease {
  return { runId, epoch };
}

type Change = Omit<Step, "at">;

const DELIVERABLE: ReadonlySet<string | null> = new Set(["passed", "flaky", "gate_only", "skipped"]);

/** Pushing requires the worker's verdict and the panel's own check of the bundle. */
function judged(
  run: RunRecord,
  judgement: Judgement | null,
  { data, available }: { readonly data: ReportData["pushing"]; readonly available: readonly WorkerAgent[] },
): { readonly event: RunEvent; readonly step: Change } {
  const { verify, checks, approved, comments, agents } = data;
  const facts = { verify: verifyOfReport(run.spec, verify, checks) };
  const fail = (code: "verify_failed" | Extract<Judgement, { kind: "refused" }>["code"], message: string) => {
    return { event: "failed", step: { facts, result: { code, message } } } as const;
  };
  if (!DELIVERABLE.has(verify.verdict))
    return fail("verify_failed", "the verdict of the worker's checks does not allow a push");
  if (judgement === null) return fail("internal", "the bundle was not checked");
  if (judgement.kind === "refused") return fail(judgement.code, judgement.message);
  if (judgement.kind === "unreachable") return fail("push_refused", judgement.message);
  const review =
    approved === undefined || approved === null ? undefined : { approved, comments: (comments ?? []).map(commentOf) };
  const warnings = [...new Set([...run.facts.warnings, ...judgement.facts.warnings])];
  const named = agents?.map(({ role, cli, model }): RunAgent => {
    return { role, cli, model, version: available.find((agent) => agent.cli === cli)?.version || null };
  });
  const logs = logsOfReport(checks);
  const judgedFacts = { ...facts, ...judgement.facts, warnings, review, agents: named, ...(logs && { logs }) };
  return { event: "passed", step: { facts: judgedFacts } };
}

/** Reviewer comments and agent names appear in pull requests, so they are redacted. */
function cleaned(report: ReportData["pushing"], redactor: Redactor): ReportData["pushing"] {
  const { comments = [], agents = [], ...data } = report;
  const clean = ({ path, line, text }: (typeof comments)[number]) => {
    return { path: redactor.text(path), line, text: redactor.text(text) };
  };
  const named = agents.map(({ role, cli, model }) => {
    return { role, cli: redactor.text(cli), model: model === null ? null : redactor.text(model) };
  });
  return { ...data, comments: comments.map(clean), agents: named };
}

function commentOf({ path, line, text }: NonNullable<ReportData["pushing"]["comments"]>[number]) {
  return { path, line, text };
}

interface StateUpdate {
  readonly state: ReportedState;
  readonly data: ReportData[ReportedState];
  readonly at: number;
}

function stepOf(run: RunRecord, event: RunEvent, { state, data, at }: StateUpdate): Change {
  if (event === "cancelled") return { result: CANCELLED };
  const facts = factsOf(run, data);
  const startedAt = event === "ready" ? at : run.startedAt;
  if (state === "failed") {
    const { code, message } = data as ReportData["failed"];
    return {
      facts,
      result: { code: code === "ok" ? "internal" : code, message: message.slice(0, MESSAGE_LENGTH_MAX) },
    };
  }
  if (state === "no_change") {
    const { code = "ok", message = "" } = data as ReportData["no_change"];
    return { facts, result: { code, message: message.slice(0, MESSAGE_LENGTH_MAX) } };
  }
  return { facts, startedAt };
}

const MESSAGE_LENGTH_MAX = 2_000;

/** Members that reports share; each report has some of them. */
type ReportedFacts = Partial<ReportData["running"] & ReportData["verifying"]>;

function factsOf({ spec, facts }: RunRecord, data: ReportedFacts): Partial<RunFacts> {
  const { base, baseline, checks, changed_files: files, insertions = 0, deletions = 0 } = data;
  const reported =
    data.verify ?? (baseline === undefined ? null : { baseline, attempts: [], gate: null, verdict: null });
  return {
    // Set by the first report of an epoch: the base does not change afterwards.
    ...(base !== undefined && facts.base === null && { base: { branch: base.branch, sha: base.sha } }),
    ...(reported !== null && { verify: verifyOfReport(spec, reported, checks) }),
    ...(files !== undefined && { diff: { files, insertions, deletions, patch_id: null } }),
  };
}
