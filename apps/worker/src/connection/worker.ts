/**
 * Receives the panel's messages, assigns runs to slots, and keeps each until its final message is acknowledged. Lives until stopped,
 * dismissed by the panel, or done with its single run.
 */
import type { IsolationLevel, PanelFrame } from "@triptych/contracts";
import type { AvailableAgents } from "../agents/agent-registry.ts";
import { answerModels, answerProbe } from "./answers.ts";
import { selectAgents, namesOf, type AgentSelection } from "../session/agent-selection.ts";
import type { Workplace } from "../session/do-run.ts";
import { frameText } from "../session/frames.ts";
import { onTokenRejected, onTokenRotated } from "./key-changes.ts";
import { holdChecks } from "../session/worker-checks.ts";
import { holdReport, holdRun, type RunSession, type HoldOptions, type Work } from "../session/run-session.ts";
import type { LicenseKey } from "./license-key.ts";
import type { OnEvent, Connection, LineEvent, WorkerStatus } from "./connection.ts";
import { runFolder, type RunLease, type LeftRun } from "../session/run-folder.ts";
import { refusalOf } from "../session/refusal.ts";
import type { Assign, RefuseReason } from "../session/wire.ts";

export interface WorkerOptions {
  readonly openLine: (status: WorkerStatus, onEvent: OnEvent) => Connection;
  readonly key: LicenseKey;
  readonly slots: number;
  readonly offers: AvailableAgents;
  readonly isolation: IsolationLevel;
  readonly runs: string;
  readonly left: readonly LeftRun[];
  readonly workplace: Workplace;
  readonly work: (assign: Assign, selection: AgentSelection) => Work;
  readonly isOnce: boolean;
  /** Megabytes that are free for runs. */
  readonly diskFree: () => Promise<number>;
  readonly onNamed: (workerId: string) => void;
}

export interface Worker {
  /** Drains: takes no new orders; resolves when the current ones are done. */
  drain(): Promise<void>;
  /** Gives back unfinished runs and closes the connection. */
  stop(): Promise<void>;
  /** Why it ended by itself; not called after a stop. */
  readonly ended: Promise<Ended>;
}

export type Ended = { readonly kind: "done" } | { readonly kind: "dismissed"; readonly why: string };

export function startWorker(options: WorkerOptions): Worker {
  const { key, workplace } = options;
  const sessions = new Map<string, RunSession>();
  /** Runs that an earlier process stopped and could not give back: returned when the panel lists them. */
  const lost = new Map<string, RunLease>();
  let isEnabled = true;
  let isDraining = false;
  let isUp = false;
  let runsTaken = 0;
  let finish: (ended: Ended) => void = () => {};
  let drained = () => {};
  const ended = new Promise<Ended>((resolve) => {
    finish = resolve;
  });
  const holding: HoldOptions = {
    runs: options.runs,
    send: (text) => line.send(text),
    onChange: sendStatus,
    log: workplace.log,
    now: workplace.now,
  };
  const checks = holdChecks({
    runs: options.runs,
    place: workplace,
    send: (text) => line.send(text),
    onChange: sendStatus,
  });
  for (const { lease, report, wasStopped } of options.left) {
    if (report !== null) add(holdReport(lease, report, holding));
    else if (wasStopped) lost.set(nameOf(lease), lease);
    else forgetKilled(lease);
  }
  const line = options.openLine(currentStatus(), onEvent);

  return {
    ended,
    async drain() {
      isDraining = true;
      sendStatus();
      if (sessions.size === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    },
    async stop() {
      isDraining = true;
      const working = [...sessions.values()].filter(({ isWorking }) => isWorking);
      await Promise.all([...working.map((run) => run.stop("mark")), checks.stop()]);
      const cutShort = working.filter(({ isWorking }) => isWorking);
      for (const run of cutShort) refuse(run.lease, "stopping");
      const wasUp = isUp;
      await line.close();
      // From the message, or from the record of the earlier process.
      if (wasUp) for (const run of cutShort) await runFolder(options.runs, run.lease).remove();
    },
  };

  function onEvent(event: LineEvent): void {
    switch (event.kind) {
      case "frame":
        return handleFrame(event.frame);
      case "down":
        isUp = false;
        for (const run of sessions.values()) run.pause();
        return;
      case "refused":
        void onTokenRejected({ key, line, log: workplace.log });
        return;
      case "trouble":
        return workplace.log(event.text);
      case "dismissed":
        void dismissed(event.why);
    }
  }

  function handleFrame(frame: PanelFrame): void {
    switch (frame.t) {
      case "welcome":
        return welcome(frame);
      case "assign":
        acknowledge(frame);
        void consider(frame);
        return;
      case "check":
        acknowledge(frame);
        return checks.start(frame);
      case "checked_ack":
        return checks.acknowledged(frame.check_id);
      case "state_ack":
        for (const run of sessions.values()) if (run.stateAcked(frame.mid, frame.result)) return;
        return;
      case "events_ack":
        return sessionOf(frame)?.eventsAcked(frame.upto);
      case "cancel":
        acknowledge(frame);
        return sessionOf(frame)?.cancel(frame.grace_s);
      case "enable":
        isEnabled = frame.enabled;
        if (frame.enabled) isDraining = false;
        sendStatus();
        return acknowledge(frame);
      case "drain":
        isDraining = true;
        sendStatus();
        return acknowledge(frame);
      case "probe":
        acknowledge(frame);
        void answerProbe(frame, options.offers, workplace).then(line.send);
        return;
      case "models":
        acknowledge(frame);
        void answerModels(frame, options.offers).then(line.send);
        return;
      case "token_rotated":
        void onTokenRotated(frame, { key, line, log: workplace.log });
    }
  }

  function welcome({
    worker_id,
    resume,
    drop,
    enabled,
    generation,
  }: Extract<PanelFrame, { readonly t: "welcome" }>): void {
    isUp = true;
    isEnabled = enabled;
    key.confirm(generation);
    options.onNamed(worker_id);
    workplace.log(`connected to ${workplace.panel} as ${worker_id}`);
    for (const dropped of drop) {
      lost.delete(nameOf(dropped));
      const run = sessionOf(dropped);
      if (run === undefined) void runFolder(options.runs, dropped).remove();
      else {
        workplace.log(`run ${dropped.run_id} dropped: ${dropped.reason}`);
        void run.stop("nothing");
      }
    }
    checks.resend();
    const resumed = new Map(resume.map((entry) => [nameOf(entry), entry]));
    for (const run of sessions.values())
      if (!drop.some((entry) => nameOf(entry) === nameOf(run.lease)))
        run.resume(resumed.get(nameOf(run.lease))?.events_upto ?? null);
    // The panel expects runs of an earlier process here.
    for (const entry of resume) if (sessionOf(entry) === undefined) giveBack(entry);
  }

  /** Absent from hello: the panel counts an attempt, so a run that kills its workers is not retried for ever. */
  function forgetKilled(lease: RunLease): void {
    workplace.log(`run ${lease.run_id} was interrupted when the previous process was killed; the panel requeues it`);
    void runFolder(options.runs, lease).remove();
  }

  function giveBack(lease: RunLease): void {
    workplace.log(`run ${lease.run_id} was stopped with the previous process; returning it to the panel`);
    refuse(lease, "stopping");
    lost.delete(nameOf(lease));
    sendStatus();
    void runFolder(options.runs, lease).remove();
  }

  async function consider(assign: Assign): Promise<void> {
    const existing = sessionOf(assign);
    if (existing !== undefined) return existing.accept();
    // An older epoch of the same run: the panel has reassigned it here.
    for (const run of sessions.values()) if (run.lease.run_id === assign.run_id) void run.stop("nothing");
    const selection = selectAgents(assign, options.offers);
    const reason = refusalOf(assign, {
      isStopping: isDraining || !isEnabled || (options.isOnce && runsTaken > 0),
      freeSlots: options.slots - working(),
      hasAgent: selection !== null,
      isolation: options.isolation,
      diskFreeMb: await options.diskFree(),
    });
    if (reason !== null || selection === null) return refuse(assign, reason ?? "unknown_cli");
    // The same order may have arrived again during the disk check.
    if (sessionOf(assign) !== undefined) return;
    if (options.slots - working() < 1) return refuse(assign, "no_slot");
    runsTaken++;
    const run = holdRun({ run_id: assign.run_id, epoch: assign.epoch }, options.work(assign, selection), holding);
    add(run);
    run.accept();
    workplace.log(`run ${assign.run_id} started (epoch ${assign.epoch}, ${namesOf(selection)})`);
    sendStatus();
  }

  function add(run: RunSession): void {
    const name = nameOf(run.lease);
    sessions.set(name, run);
    void forget(name, run);
  }

  async function forget(name: string, run: RunSession): Promise<void> {
    await run.gone;
    sessions.delete(name);
    workplace.log(`run ${run.lease.run_id} finished`);
    sendStatus();
    if (sessions.size > 0) return;
    drained();
    if (!options.isOnce || runsTaken === 0) return;
    await line.close();
    finish({ kind: "done" });
  }

  async function dismissed(why: string): Promise<void> {
    const stopping = [...sessions.values()].map((run) => run.stop(run.isWorking ? "nothing" : "mark"));
    await Promise.all([...stopping, checks.stop()]);
    await line.close();
    finish({ kind: "dismissed", why });
  }

  function acknowledge({ cid }: { readonly cid: string }): void {
    line.send(frameText({ t: "ack", cid }));
  }

  function refuse({ run_id, epoch }: RunLease, reason: RefuseReason): void {
    line.send(frameText({ t: "refuse", run_id, epoch, reason }));
  }

  function sessionOf(lease: RunLease): RunSession | undefined {
    return sessions.get(nameOf(lease));
  }

  function working(): number {
    return [...sessions.values()].filter(({ isWorking }) => isWorking).length + checks.running;
  }

  function currentStatus(): WorkerStatus {
    const isOpen = isEnabled && !isDraining && !(options.isOnce && runsTaken > 0);
    return {
      holding: [
        ...[...sessions.values()].map(({ lease, spooledTo }) => ({ ...lease, spooled_to: spooledTo })),
        ...[...lost.values()].map((lease) => ({ ...lease, spooled_to: 0 })),
      ],
      checking: checks.ids,
      freeSlots: isOpen ? Math.max(0, options.slots - working()) : 0,
    };
  }

  function sendStatus(): void {
    line.stand(currentStatus());
  }
}

function nameOf({ run_id, epoch }: RunLease): string {
  return `${run_id} ${epoch}`;
}
