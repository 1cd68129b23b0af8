/**
 * What a worker says of its runs: that it takes or gives one back, that it still has it, where it is, and what goes on in it. Every
 * word carries run and epoch; where they are not the worker's own any more, the word changes nothing and the worker is told to stop.
 */
import { WORKER_CLOSES, type ReportData, type ReportedState, type WorkerFrame } from "@triptych/contracts";
import type { Redactor } from "@triptych/redaction";
import type { Judgement } from "../domain/delivery.ts";
import { waitAfter } from "../domain/effects.ts";
import type { Hearing } from "../domain/candidates.ts";
import { exploreMessage } from "../domain/explore-result.ts";
import { hearScout } from "../domain/apply-scout-report.ts";
import { isHeard } from "../domain/leases.ts";
import { CANCELLED, giveBack, moveRun, type Step } from "../domain/create-run.ts";
import type { Books } from "../domain/repositories.ts";
import type { RunFacts, RunRecord } from "../domain/records.ts";
import { eventOfReport } from "../domain/report-events.ts";
import type { RunEvent } from "../domain/run-states.ts";
import { isHeld } from "../domain/run-states.ts";
import { verifyOfReport } from "../domain/run-verify.ts";
import type { Live } from "./connection-registry.ts";
import { REST_MS } from "./dispatch.ts";
import { readReport } from "./frames.ts";
import { WORKER_UNABLE } from "./lease-run.ts";
import { tellToStop, type Held, type Room } from "./channel-context.ts";

type Frame<T extends WorkerFrame["t"]> = Extract<WorkerFrame, { readonly t: T }>;

export interface Reports {
  accept(live: Live, frame: Frame<"accept">): Promise<void>;
  refuse(live: Live, frame: Frame<"refuse">): Promise<void>;
  report(live: Live, frame: Frame<"state">): Promise<void>;
}

export function createReports(room: Room): Reports {
  const { store, crew, timers, delivery, metrics, secrets } = room;

  /** The run, where this worker is heard about it in this epoch; otherwise the worker is told to stop. */
  async function heard(books: Pick<Books, "runs">, live: Live, { runId, epoch }: Held): Promise<RunRecord | null> {
    const run = await books.runs.find(runId);
    const isOwn = run !== null && run.workerId === live.worker.id && isHeard(run, epoch);
    return isOwn ? run : null;
  }

  return {
    async accept(live, frame) {
      const held = heldOf(frame);
      const offer = live.runs.get(held.runId);
      if (offer?.epoch === held.epoch) offer.offeredAt = null;
      const run = await store.change(live.owner, async (books) => {
        const run = await heard(books, live, held);
        return run?.state === "leased" ? moveRun(books, run, "accepted", { at: timers.now() }) : run;
      });
      if (run === null) tellToStop(room, live, held);
    },

    /** An offer, or any run of a worker that stops. */
    async refuse(live, frame) {
      const held = heldOf(frame);
      const isStopping = frame.reason === "stopping";
      const now = timers.now();
      const lack = LACKS[frame.reason];
      const isUnable = lack !== undefined;
      // What it cannot do now it cannot do in five seconds; everything else it can.
      if (isUnable) live.refused.add(held.runId);
      else live.restsUntil = now + REST_MS;
      crew.release(live, held.runId);
      const isBack = await store.change(live.owner, async (books) => {
        const run = await heard(books, live, held);
        if (run === null || (run.state !== "leased" && !isStopping)) return false;
        const { warnings } = run.facts;
        const facts = isUnable ? { ...run.facts, lack, warnings: [...warnings, WORKER_UNABLE] } : run.facts;
        await giveBack(books, { ...run, facts }, now);
        return true;
      });
      if (isBack) metrics.leaseLost("refused");
    },

    async report(live, frame) {
      const read = readReport(frame.state, frame.data);
      if (typeof read === "string") return live.link.close(WORKER_CLOSES.badFrame, read);
      const held = heldOf(frame);
      const redactor = await secrets.redactorOf(live.owner, held.runId, held.epoch);
      const data = frame.state === "pushing" ? cleaned(read as ReportData["pushing"], redactor) : read;
      const judgement =
        frame.state === "pushing" ? await judgePatiently(live, frame, data as ReportData["pushing"]) : null;
      // Gone in the midst of it: the same word comes with its next connection.
      if (judgement?.kind === "unreachable" && crew.find(live.owner, live.worker.id) !== live) return;
      const said: Said = { held, mid: frame.mid, state: frame.state, data, judgement, redactor };
      const { result, run } = await store.change(live.owner, (books) => settle(books, live, said));
      if (run !== null && !isHeld(run.state)) crew.release(live, held.runId);
      live.link.answer({ t: "state_ack", mid: frame.mid, result });
    },
  };

  /** A worker that has gone meanwhile says it again where it comes back: its answer is lost, nothing else. */
  async function judgePatiently(
    live: Live,
    frame: Frame<"state">,
    data: ReportData["pushing"],
  ): Promise<Judgement | null> {
    const begun = timers.now();
    for (let tries = 1; ; tries++) {
      const judgement = await judge(live, frame, data);
      if (judgement?.kind !== "unreachable" || timers.now() - begun >= PATIENCE_MS) return judgement;
      await new Promise<void>((resolve) => timers.after(Math.min(waitAfter(tries), LOOK_AGAIN_MS), resolve));
      if (crew.find(live.owner, live.worker.id) !== live) return judgement;
    }
  }

  /** Before the change, because it reads a bundle; what it finds is settled only where the run is still the same then. */
  async function judge(live: Live, frame: Frame<"state">, data: ReportData["pushing"]): Promise<Judgement | null> {
    const books = store.of(live.owner);
    const run = await heard(books, live, heldOf(frame));
    if (run === null || eventOfReport("pushing", run) !== "passed") return null;
    if (await books.queue.knowsReport({ runId: run.id, epoch: run.epoch, mid: frame.mid })) return null;
    return delivery.judge(live.owner, run, { headSha: data.head_sha });
  }

  interface Said {
    readonly held: Held;
    readonly mid: string;
    readonly state: ReportedState;
    readonly data: ReportData[ReportedState];
    readonly judgement: Judgement | null;
    readonly redactor: Redactor;
  }

  async function settle(books: Books, live: Live, said: Said): Promise<Settled> {
    const { held, mid, state, data, judgement, redactor } = said;
    if (await books.queue.knowsReport({ ...held, mid })) return { result: "duplicate", run: null };
    const run = await heard(books, live, held);
    const event = run === null ? null : eventOfReport(state, run);
    if (run === null || event === null) return { result: "rejected", run: null };
    await books.queue.noteReport({ ...held, mid });
    const at = timers.now();
    const asked = event === "passed" ? judged(run, judgement, data as ReportData["pushing"]) : null;
    const { event: last, step } = asked ?? { event, step: stepOf(run, event, { state, data, at }) };
    const hearing = { newId: room.newId, now: at, clean: (text: string) => redactor.text(text) };
    const explored = state === "succeeded" ? await explore(books, run, step, { data, hearing }) : step;
    const moved = await moveRun(books, run, last, { ...explored, at });
    // A run that was to be cancelled never reaches pushing, and its worker drops the work.
    return { result: event === "cancelled" && state === "pushing" ? "rejected" : "ok", run: moved };
  }
}

/** A forge that is away for longer fails the run, which can be tried again; the worker holds it so long. */
const PATIENCE_MS = 10 * 60_000;
/** Whether the worker is still there, at the latest. */
const LOOK_AGAIN_MS = 15_000;

/** What a worker cannot do at all. */
const LACKS: Readonly<Partial<Record<Frame<"refuse">["reason"], "cli" | "isolation">>> = {
  unknown_cli: "cli",
  isolation: "isolation",
};

interface Exploring {
  readonly data: ReportData[ReportedState];
  readonly hearing: Hearing;
}

/** Candidates first: how many there are is part of the run's result. */
async function explore(books: Books, run: RunRecord, step: Change, { data, hearing }: Exploring): Promise<Change> {
  const facts = { ...run.facts, ...step.facts };
  const found = await hearScout(books, { ...run, facts }, data as ReportData["succeeded"], hearing);
  const message = exploreMessage(found).slice(0, MESSAGE_MOST);
  return { ...step, facts: { ...step.facts, explore: found }, result: { code: "ok", message } };
}

interface Settled {
  readonly result: "ok" | "duplicate" | "rejected";
  readonly run: RunRecord | null;
}

function heldOf({ run_id: runId, epoch }: { readonly run_id: string; readonly epoch: number }): Held {
  return { runId, epoch };
}

type Change = Omit<Step, "at">;

const DELIVERABLE: ReadonlySet<string | null> = new Set(["passed", "flaky", "gate_only", "skipped"]);

/** What pushing comes to: the worker's own verdict must allow it, and the panel's look at the bundle. */
function judged(
  run: RunRecord,
  judgement: Judgement | null,
  { verify, checks, approved, comments, agents }: ReportData["pushing"],
): { readonly event: RunEvent; readonly step: Change } {
  const facts = { verify: verifyOfReport(run.order, verify, checks) };
  const fail = (code: "verify_failed" | Extract<Judgement, { kind: "refused" }>["code"], message: string) => {
    return { event: "failed", step: { facts, result: { code, message } } } as const;
  };
  if (!DELIVERABLE.has(verify.verdict)) return fail("verify_failed", "the worker's checks are no reason to push");
  if (judgement === null) return fail("internal", "the bundle was not judged");
  if (judgement.kind === "refused") return fail(judgement.code, judgement.message);
  if (judgement.kind === "unreachable") return fail("push_refused", judgement.message);
  const review =
    approved === undefined || approved === null ? undefined : { approved, comments: (comments ?? []).map(commentOf) };
  const warnings = [...new Set([...run.facts.warnings, ...judgement.facts.warnings])];
  const known = { ...facts, ...judgement.facts, warnings, review, agents: agents?.map(agentOf) };
  return { event: "passed", step: { facts: known } };
}

/** Comments of a reviewer and names of agents go into a pull request. */
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

function agentOf({ role, cli, model }: NonNullable<ReportData["pushing"]["agents"]>[number]) {
  return { role, cli, model };
}

interface Saying {
  readonly state: ReportedState;
  readonly data: ReportData[ReportedState];
  readonly at: number;
}

/** Facts and result that a report brings. */
function stepOf(run: RunRecord, event: RunEvent, { state, data, at }: Saying): Change {
  if (event === "cancelled") return { result: CANCELLED };
  const facts = factsOf(run, data);
  const startedAt = event === "ready" ? at : run.startedAt;
  if (state === "failed") {
    const { code, message } = data as ReportData["failed"];
    return { facts, result: { code: code === "ok" ? "internal" : code, message: message.slice(0, MESSAGE_MOST) } };
  }
  if (state === "no_change") {
    const { code = "ok", message = "" } = data as ReportData["no_change"];
    return { facts, result: { code, message: message.slice(0, MESSAGE_MOST) } };
  }
  return { facts, startedAt };
}

const MESSAGE_MOST = 2_000;

/** Members that reports have in common; each is in some. */
type Told = Partial<ReportData["running"] & ReportData["verifying"]>;

function factsOf({ order, facts }: RunRecord, data: Told): Partial<RunFacts> {
  const { base, baseline, checks, changed_files: files, insertions = 0, deletions = 0 } = data;
  const reported =
    data.verify ?? (baseline === undefined ? null : { baseline, attempts: [], gate: null, verdict: null });
  return {
    // Said once, in the first report of an epoch: where the run began does not change under it.
    ...(base !== undefined && facts.base === null && { base: { branch: base.branch, sha: base.sha } }),
    ...(reported !== null && { verify: verifyOfReport(order, reported, checks) }),
    ...(files !== undefined && { diff: { files, insertions, deletions, patch_id: null } }),
  };
}
