/**
 * One epoch of one run, until its final message is acknowledged, the run is given back, or another epoch fences it off. Then its processes
 * are killed and its tree is removed.
 */
import { randomUUID } from "node:crypto";
import type { WorkerFrame } from "@triptych/contracts";
import { endProcessesOf } from "../process/end-processes.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";
import { frameText } from "./frames.ts";
import { runFolder, type RunLease, type Report, type RunFolder } from "./run-folder.ts";
import type { ReportedState } from "./wire.ts";

export interface RunSession {
  readonly lease: RunLease;
  /** Takes a slot until its final message is sent. */
  readonly isWorking: boolean;
  /** The last event number. */
  readonly spooledTo: number;
  /** On a new connection: the panel has events up to this number. Null: unknown. */
  resume(eventsUpto: number | null): void;
  pause(): void;
  eventsAcked(upto: number): void;
  /** False where the message belongs to another run. */
  stateAcked(mid: string, result: "ok" | "duplicate" | "rejected"): boolean;
  /** Repeats the acceptance. */
  accept(): void;
  /** Cancelled by the panel: ends and reports it. */
  cancel(graceS: number): void;
  /** Ends its work silently; `leave` selects what stays on disk. Resolves when no process is left. */
  stop(leave: "mark" | "nothing"): Promise<void>;
  readonly gone: Promise<void>;
}

/** The interface for the work of the run. */
export interface RunReporter {
  readonly folder: RunFolder;
  readonly stream: EventStream;
  /** Aborted when the work must end, for any reason. */
  readonly signal: AbortSignal;
  enter(state: ReportedState, data: Readonly<Record<string, unknown>>): void;
}

/** The final message; null: another epoch is responsible. */
export type Work = (run: RunReporter) => Promise<FinalReport | null>;
export type FinalReport = Pick<Report, "state" | "data">;

export interface HoldOptions {
  /** The folder of all runs. */
  readonly runs: string;
  readonly send: (text: string) => void;
  /** The state for hello and heartbeats has changed. */
  readonly onChange: () => void;
  readonly log: (text: string) => void;
  readonly now: () => Date;
}

type Why = "cancelled" | "stopped";

export function holdRun(lease: RunLease, work: Work, options: HoldOptions): RunSession {
  return hold(lease, options, { work, report: null });
}

/** Of an earlier process: only its final message is left to send. */
export function holdReport(lease: RunLease, report: Report, options: HoldOptions): RunSession {
  return hold(lease, options, { work: null, report });
}

interface Beginning {
  readonly work: Work | null;
  readonly report: Report | null;
}

function hold(lease: RunLease, options: HoldOptions, { work, report: earlier }: Beginning): RunSession {
  const { send, log, onChange } = options;
  const folder = runFolder(options.runs, lease);
  const ending = new AbortController();
  const states = [...(earlier?.before ?? [])];
  let stream: EventStream | undefined;
  let report = earlier;
  let why: Why | null = null;
  let leaves: "mark" | "nothing" = "nothing";
  let isUp = false;
  let isAcknowledged = false;
  let isReportSent = false;
  let resumeAt: number | null = null;
  let grace: NodeJS.Timeout | undefined;
  let finish = () => {};
  const gone = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const worked = live();

  const run: RunSession = {
    lease,
    get isWorking() {
      return report === null;
    },
    get spooledTo() {
      return stream?.lastNumber ?? 0;
    },
    resume(eventsUpto) {
      isUp = true;
      isReportSent = false;
      resumeAt = eventsUpto;
      if (!isAcknowledged && work !== null) accept();
      for (const { text } of states) send(text);
      stream?.resume(eventsUpto ?? 0);
      sayReport();
    },
    pause() {
      isUp = false;
      stream?.pause();
    },
    eventsAcked(upto) {
      isAcknowledged = true;
      stream?.acked(upto);
    },
    stateAcked(mid, result) {
      const at = states.findIndex((state) => state.mid === mid);
      if (at === -1 && report?.mid !== mid) return false;
      isAcknowledged = true;
      if (result === "rejected") {
        log(`run ${lease.run_id} lease lost; stopping`);
        void run.stop("nothing");
      } else if (at >= 0) states.splice(0, at + 1);
      else void end();
      return true;
    },
    accept,
    cancel(graceS) {
      if (report !== null || why !== null) return;
      why = "cancelled";
      ending.abort();
      grace = setTimeout(() => void endProcessesOf(folder.path), graceS * 1000);
    },
    async stop(leave) {
      // An unacknowledged final message stays on disk for the next process.
      if (leave === "mark" && report !== null) return;
      leaves = leave;
      why = "stopped";
      ending.abort();
      await worked;
      if (leave === "mark" && report !== null) return;
      await end();
    },
    gone,
  };
  return run;

  async function live(): Promise<void> {
    if (work === null) {
      stream = openStream();
      return;
    }
    const last = await begin(work).catch((error: unknown) => internal(error));
    clearTimeout(grace);
    // Processes that left their group, or outlived a killed parent.
    await endProcessesOf(folder.path);
    if (why === "stopped") return;
    if (why === "cancelled") await keep({ state: "cancelled", data: {} });
    else if (last === null) await end();
    else await keep(last);
  }

  async function begin(work: Work): Promise<FinalReport | null> {
    await folder.begin(lease);
    stream = openStream();
    if (isUp) stream.resume(resumeAt ?? 0);
    // Stopped while its folder was created: no process exists yet.
    if (ending.signal.aborted) return null;
    return work({ folder, stream, signal: ending.signal, enter });
  }

  function openStream(): EventStream {
    const { run_id, epoch } = lease;
    const head = `{"t":"events","run_id":${JSON.stringify(run_id)},"epoch":${epoch},"items":`;
    return createEventStream({
      path: folder.events,
      send: (items) => send(`${head}${items}}`),
      onSent: sayReport,
      now: options.now,
    });
  }

  function accept(): void {
    isUp = true;
    send(frameText({ t: "accept", ...lease }));
  }

  function enter(state: ReportedState, data: Readonly<Record<string, unknown>>): void {
    if (why !== null) return;
    const message = { mid: randomUUID(), text: "" };
    message.text = stateText(message.mid, state, data);
    states.push(message);
    if (isUp) send(message.text);
  }

  function stateText(mid: string, state: ReportedState, data: Readonly<Record<string, unknown>>): string {
    const frame: WorkerFrame = { t: "state", mid, ...lease, state, data };
    return frameText(frame);
  }

  /** On disk first: a restart may lose the work, never the final message. */
  async function keep(last: FinalReport): Promise<void> {
    const made = { ...last, mid: randomUUID(), before: [...states] };
    stream?.settle();
    await folder.keep(made);
    if (why === "stopped" && leaves === "nothing") return;
    report = made;
    onChange();
    sayReport();
  }

  /** After all events: the panel ignores later ones of this epoch. */
  function sayReport(): void {
    if (report === null || isReportSent || !isUp || stream?.isSent !== true) return;
    isReportSent = true;
    send(stateText(report.mid, report.state, report.data));
  }

  function internal(error: unknown): FinalReport {
    const why = error instanceof Error ? error.message : String(error);
    log(`run ${lease.run_id} internal worker error: ${why}`);
    return { state: "failed", data: { code: "internal", message: "internal worker error" } };
  }

  async function end(): Promise<void> {
    stream?.close();
    stream = undefined;
    await (leaves === "mark" ? folder.mark() : folder.remove());
    finish();
  }
}
