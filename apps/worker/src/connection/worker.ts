/**
 * The worker: hears the panel's commands, takes runs into its slots and answers for each of them until the panel has its last word.
 * It lives until it is stopped, dismissed by the panel, or done with its one run.
 */
import type { IsolationLevel, PanelFrame } from "@triptych/contracts";
import type { AgentOffers } from "../agents/agent-registry.ts";
import { answerModels, answerProbe } from "./answers.ts";
import { crewFor, namesOf, type Crew } from "./agent-selection.ts";
import type { Workplace } from "./do-run.ts";
import { frameText } from "./frames.ts";
import { hearRefusal, hearRotation } from "./key-changes.ts";
import { holdChecks } from "./held-checks.ts";
import { holdReport, holdRun, type HeldRun, type HoldOptions, type Work } from "./run-session.ts";
import type { LicenseKey } from "./license-key.ts";
import type { Hear, Line, LineEvent, Standing } from "./connection.ts";
import { runFolder, type Held, type LeftRun } from "./run-folder.ts";
import { refusalOf } from "./refusal.ts";
import type { Assign, RefuseReason } from "./wire.ts";

export interface WorkerOptions {
  readonly openLine: (standing: Standing, hear: Hear) => Line;
  readonly key: LicenseKey;
  readonly slots: number;
  readonly offers: AgentOffers;
  readonly isolation: IsolationLevel;
  /** The folder of all runs. */
  readonly runs: string;
  readonly left: readonly LeftRun[];
  readonly place: Workplace;
  readonly work: (assign: Assign, crew: Crew) => Work;
  /** Ends after one run. */
  readonly isOnce: boolean;
  /** Megabytes that are free for runs. */
  readonly diskFree: () => Promise<number>;
  /** The panel has given this worker its id. */
  readonly onNamed: (workerId: string) => void;
}

export interface Worker {
  /** Takes nothing new; resolves when what it holds is done. */
  drain(): Promise<void>;
  /** Gives back what is not done, and says goodbye. */
  stop(): Promise<void>;
  /** Why it ended by itself; never where it was stopped. */
  readonly ended: Promise<Ended>;
}

export type Ended = { readonly kind: "done" } | { readonly kind: "dismissed"; readonly why: string };

export function startWorker(options: WorkerOptions): Worker {
  const { key, place } = options;
  const held = new Map<string, HeldRun>();
  /** Runs that an earlier process has stopped and could not give back: given back as soon as the panel asks for them. */
  const lost = new Map<string, Held>();
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
    onChange: tellStanding,
    log: place.log,
    now: place.now,
  };
  const checks = holdChecks({
    runs: options.runs,
    place,
    send: (text) => line.send(text),
    onChange: tellStanding,
  });
  for (const { held: one, report, wasStopped } of options.left) {
    if (report !== null) add(holdReport(one, report, holding));
    else if (wasStopped) lost.set(nameOf(one), one);
    else forgetKilled(one);
  }
  const line = options.openLine(standing(), hear);

  return {
    ended,
    async drain() {
      isDraining = true;
      tellStanding();
      if (held.size === 0) return;
      await new Promise<void>((resolve) => {
        drained = resolve;
      });
    },
    async stop() {
      isDraining = true;
      const working = [...held.values()].filter(({ isWorking }) => isWorking);
      await Promise.all([...working.map((run) => run.stop("mark")), checks.stop()]);
      const cutShort = working.filter(({ isWorking }) => isWorking);
      for (const run of cutShort) refuse(run.held, "stopping");
      const isTold = isUp;
      await line.close();
      // Told, or known from the mark to the next process on this folder.
      if (isTold) for (const run of cutShort) await runFolder(options.runs, run.held).remove();
    },
  };

  function hear(event: LineEvent): void {
    switch (event.kind) {
      case "frame":
        return hearFrame(event.frame);
      case "down":
        isUp = false;
        for (const run of held.values()) run.pause();
        return;
      case "refused":
        void hearRefusal({ key, line, log: place.log });
        return;
      case "trouble":
        return place.log(event.text);
      case "dismissed":
        void dismissed(event.why);
    }
  }

  function hearFrame(frame: PanelFrame): void {
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
        for (const run of held.values()) if (run.stateAcked(frame.mid, frame.result)) return;
        return;
      case "events_ack":
        return heldAs(frame)?.eventsAcked(frame.upto);
      case "cancel":
        acknowledge(frame);
        return heldAs(frame)?.cancel(frame.grace_s);
      case "enable":
        isEnabled = frame.enabled;
        if (frame.enabled) isDraining = false;
        tellStanding();
        return acknowledge(frame);
      case "drain":
        isDraining = true;
        tellStanding();
        return acknowledge(frame);
      case "probe":
        acknowledge(frame);
        void answerProbe(frame, options.offers, place).then(line.send);
        return;
      case "models":
        acknowledge(frame);
        void answerModels(frame, options.offers).then(line.send);
        return;
      case "token_rotated":
        void hearRotation(frame, { key, line, log: place.log });
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
    place.log(`connected to ${place.panel} as ${worker_id}`);
    for (const one of drop) {
      lost.delete(nameOf(one));
      const run = heldAs(one);
      if (run === undefined) void runFolder(options.runs, one).remove();
      else {
        place.log(`run ${one.run_id} is dropped here: ${one.reason}`);
        void run.stop("nothing");
      }
    }
    checks.resend();
    const known = new Map(resume.map((one) => [nameOf(one), one]));
    for (const run of held.values())
      if (!drop.some((one) => nameOf(one) === nameOf(run.held)))
        run.resume(known.get(nameOf(run.held))?.events_upto ?? null);
    // What the panel believes to be here and is not: an earlier process had it.
    for (const one of resume) if (heldAs(one) === undefined) giveBack(one);
  }

  /** Not held any more, and said so by hello: the panel counts a try, so a run that kills its workers does not do it for ever. */
  function forgetKilled(one: Held): void {
    place.log(`run ${one.run_id} was cut short when an earlier process was killed: the panel gives it out again`);
    void runFolder(options.runs, one).remove();
  }

  function giveBack(one: Held): void {
    place.log(`run ${one.run_id} was stopped with an earlier process: it is given back`);
    refuse(one, "stopping");
    lost.delete(nameOf(one));
    tellStanding();
    void runFolder(options.runs, one).remove();
  }

  async function consider(assign: Assign): Promise<void> {
    const known = heldAs(assign);
    if (known !== undefined) return known.accept();
    // An older epoch of the same run: the panel has given it to us again, so the old one is over.
    for (const run of held.values()) if (run.held.run_id === assign.run_id) void run.stop("nothing");
    const crew = crewFor(assign, options.offers);
    const reason = refusalOf(assign, {
      isStopping: isDraining || !isEnabled || (options.isOnce && runsTaken > 0),
      freeSlots: options.slots - working(),
      hasAgent: crew !== null,
      isolation: options.isolation,
      diskFreeMb: await options.diskFree(),
    });
    if (reason !== null || crew === null) return refuse(assign, reason ?? "unknown_cli");
    // While the disk was looked at, the same order may have come again.
    if (heldAs(assign) !== undefined) return;
    if (options.slots - working() < 1) return refuse(assign, "no_slot");
    runsTaken++;
    const run = holdRun({ run_id: assign.run_id, epoch: assign.epoch }, options.work(assign, crew), holding);
    add(run);
    run.accept();
    place.log(`run ${assign.run_id} begins (epoch ${assign.epoch}, ${namesOf(crew)})`);
    tellStanding();
  }

  function add(run: HeldRun): void {
    const name = nameOf(run.held);
    held.set(name, run);
    void forget(name, run);
  }

  async function forget(name: string, run: HeldRun): Promise<void> {
    await run.gone;
    held.delete(name);
    place.log(`run ${run.held.run_id} is done here`);
    tellStanding();
    if (held.size > 0) return;
    drained();
    if (!options.isOnce || runsTaken === 0) return;
    await line.close();
    finish({ kind: "done" });
  }

  async function dismissed(why: string): Promise<void> {
    const stopping = [...held.values()].map((run) => run.stop(run.isWorking ? "nothing" : "mark"));
    await Promise.all([...stopping, checks.stop()]);
    await line.close();
    finish({ kind: "dismissed", why });
  }

  function acknowledge({ cid }: { readonly cid: string }): void {
    line.send(frameText({ t: "ack", cid }));
  }

  function refuse({ run_id, epoch }: Held, reason: RefuseReason): void {
    line.send(frameText({ t: "refuse", run_id, epoch, reason }));
  }

  function heldAs(one: Held): HeldRun | undefined {
    return held.get(nameOf(one));
  }

  function working(): number {
    return [...held.values()].filter(({ isWorking }) => isWorking).length + checks.running;
  }

  function standing(): Standing {
    const isOpen = isEnabled && !isDraining && !(options.isOnce && runsTaken > 0);
    return {
      holding: [
        ...[...held.values()].map(({ held: one, spooledTo }) => ({ ...one, spooled_to: spooledTo })),
        ...[...lost.values()].map((one) => ({ ...one, spooled_to: 0 })),
      ],
      checking: checks.ids,
      freeSlots: isOpen ? Math.max(0, options.slots - working()) : 0,
    };
  }

  function tellStanding(): void {
    line.stand(standing());
  }
}

function nameOf({ run_id, epoch }: Held): string {
  return `${run_id} ${epoch}`;
}
