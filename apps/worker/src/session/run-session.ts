/**
 * One epoch of one run, until its final message is acknowledged, the run is given back, or another epoch fences it off. Then its processes
 * are killed and its tree is removed. Performs the effects of `run-state.ts`.
 */
import { randomUUID } from "node:crypto";
import { endProcessesOf } from "../process/end-processes.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";
import { runFolder, type Report, type RunFolder, type RunLease } from "./run-folder.ts";
import {
  initialState,
  reduce,
  stateText,
  type FinalReport,
  type RunEffect,
  type RunEvent,
  type RunState,
} from "./run-state.ts";
import type { ReportedState } from "./wire.ts";

export interface RunSession {
  readonly state: RunState;
  /** The last event number. */
  readonly spooledTo: number;
  dispatch(event: RunEvent): void;
  /** Resolves when the work has ended, and what the last event closed is removed. */
  settled(): Promise<void>;
  readonly closed: Promise<void>;
}

/** The interface for the work of the run. */
export interface RunReporter {
  readonly folder: RunFolder;
  readonly stream: EventStream;
  /** Aborted when the work must end, for any reason. */
  readonly signal: AbortSignal;
  enter(state: ReportedState, data: Readonly<Record<string, unknown>>): void;
}

/** The final message; null if another epoch is responsible. */
export type Work = (run: RunReporter) => Promise<FinalReport | null>;

export interface SessionOptions {
  /** The folder of all runs. */
  readonly runs: string;
  readonly send: (text: string) => void;
  /** The state for hello and heartbeats has changed. */
  readonly onChange: () => void;
  readonly log: (text: string) => void;
  readonly now: () => Date;
}

/** `start`: the work, or the final message of an earlier process, which is then all that is left to send. */
export function openRunSession(lease: RunLease, start: Work | Report, options: SessionOptions): RunSession {
  let state = initialState(lease, typeof start === "function" ? null : start);
  const run: OpenRun = {
    ...options,
    lease,
    folder: runFolder(options.runs, lease),
    ending: new AbortController(),
    closed: Promise.withResolvers(),
    stream: undefined,
    grace: undefined,
    stored: Promise.resolve(),
    log: (text) => options.log(`run ${lease.run_id} ${text}`),
    dispatch,
    state: () => state,
  };
  const worked = typeof start === "function" ? live(start, run) : reopen(run);
  return {
    get state() {
      return state;
    },
    get spooledTo() {
      return run.stream?.lastNumber ?? 0;
    },
    dispatch,
    async settled() {
      await worked;
      if (state.phase === "closed") await run.closed.promise;
    },
    closed: run.closed.promise,
  };

  function dispatch(event: RunEvent): void {
    const step = reduce(state, event);
    state = step.state;
    for (const effect of step.effects) perform(effect, run);
  }
}

/** What the effects work on. */
interface OpenRun extends Pick<SessionOptions, "send" | "onChange" | "log" | "now"> {
  readonly lease: RunLease;
  readonly folder: RunFolder;
  readonly ending: AbortController;
  readonly closed: PromiseWithResolvers<void>;
  /** Open while its folder exists. */
  stream: EventStream | undefined;
  grace: NodeJS.Timeout | undefined;
  stored: Promise<void>;
  readonly dispatch: (event: RunEvent) => void;
  readonly state: () => RunState;
}

function perform(effect: RunEffect, run: OpenRun): void {
  switch (effect.kind) {
    case "send":
      return run.send(effect.text);
    case "resume_events":
      return run.stream?.resume(effect.upto);
    case "pause_events":
      return run.stream?.pause();
    case "release_events":
      return run.stream?.acked(effect.upto);
    case "check_events_sent":
      return checkEventsSent(run);
    case "abort_work":
      return run.ending.abort();
    case "kill_after":
      run.grace = setTimeout(() => void endProcessesOf(run.folder.path), effect.graceS * 1000);
      return;
    case "store":
      run.stored = store(effect.report, run);
      return;
    case "update_status":
      return run.onChange();
    case "log":
      return run.log(effect.text);
    case "close":
      void close(effect.leaves, run);
  }
}

/** The whole life: the work, the end of its processes, its final message on disk. */
async function live(work: Work, run: OpenRun): Promise<void> {
  const last = await begin(work, run).catch((error: unknown) => internalError(error, run));
  clearTimeout(run.grace);
  // Processes that left their group, or outlived a killed parent.
  await endProcessesOf(run.folder.path);
  run.dispatch({ kind: "ended", last, mid: randomUUID() });
  await run.stored;
}

async function begin(work: Work, run: OpenRun): Promise<FinalReport | null> {
  const { lease, folder, ending, dispatch } = run;
  await folder.begin(lease);
  const stream = openStream(run);
  const { isUp, eventsUpto } = run.state();
  if (isUp) stream.resume(eventsUpto);
  // Stopped while its folder was being created, so no process exists yet.
  if (ending.signal.aborted) return null;
  const enter: RunReporter["enter"] = (state, data) => {
    const mid = randomUUID();
    dispatch({ kind: "entered", message: { mid, text: stateText(lease, { mid, state, data }) } });
  };
  return work({ folder, stream, signal: ending.signal, enter });
}

async function reopen(run: OpenRun): Promise<void> {
  openStream(run);
}

function openStream(run: OpenRun): EventStream {
  const { lease, folder, send, now } = run;
  const head = `{"t":"events","run_id":${JSON.stringify(lease.run_id)},"epoch":${lease.epoch},"items":`;
  run.stream = createEventStream({
    path: folder.events,
    send: (items) => send(`${head}${items}}`),
    onSent: () => checkEventsSent(run),
    now,
  });
  return run.stream;
}

function checkEventsSent({ stream, dispatch }: OpenRun): void {
  if (stream?.isSent === true) dispatch({ kind: "events_sent" });
}

async function store(report: Report, { stream, folder, dispatch }: OpenRun): Promise<void> {
  stream?.settle();
  await folder.keep(report);
  dispatch({ kind: "stored", report });
}

async function close(leaves: RunState["leaves"], run: OpenRun): Promise<void> {
  run.stream?.close();
  run.stream = undefined;
  await (leaves === "mark" ? run.folder.mark() : run.folder.remove());
  run.closed.resolve();
}

function internalError(error: unknown, { log }: OpenRun): FinalReport {
  log(`internal worker error: ${error instanceof Error ? error.message : String(error)}`);
  return { state: "failed", data: { code: "internal", message: "internal worker error" } };
}
