/** The run sessions of this worker, and the runs of an earlier process that it returns to the panel. */
import type { PanelFrame } from "@triptych/contracts";
import { runFolder, type LeftRun, type RunLease } from "./run-folder.ts";
import { openRunSession, type RunSession, type SessionOptions, type Work } from "./run-session.ts";
import { ownsMessage, type RunEvent } from "./run-state.ts";

export interface RunSessions {
  /** Runs that take a slot. */
  countWorking(): number;
  /** As reported in hello. */
  holding(): (RunLease & { readonly spooled_to: number })[];
  /** False if this run has no session. */
  dispatch(lease: RunLease, event: RunEvent): boolean;
  dispatchToAll(event: RunEvent): void;
  has(lease: RunLease): boolean;
  open(lease: RunLease, work: Work): void;
  acknowledgeState(ack: Extract<PanelFrame, { readonly t: "state_ack" }>): void;
  /** On a new connection. Returns the runs that the panel expects here, and that no session continues. */
  resume(welcome: Pick<Extract<PanelFrame, { readonly t: "welcome" }>, "resume" | "drop">): readonly RunLease[];
  /** Drops sessions of older epochs, because the panel has reassigned the run. */
  dropOtherEpochs(runId: string): void;
  /** Removes what is left of a run without a session. */
  remove(lease: RunLease): Promise<void>;
  /** Gives unfinished runs back; returns those that did not finish in the meantime. */
  giveBack(): Promise<readonly RunLease[]>;
  /** The panel has dismissed this worker: stored final messages stay on disk. */
  dropUnfinished(): Promise<void>;
  whenEmpty(): Promise<void>;
}

export interface RunSessionsOptions extends SessionOptions {
  readonly left: readonly LeftRun[];
  readonly onClosed: (isLast: boolean) => void;
}

export function createRunSessions(options: RunSessionsOptions): RunSessions {
  const { log } = options;
  const sessions = new Map<string, RunSession>();
  const working = () => [...sessions.values()].filter(isWorking);
  /** Runs that an earlier process stopped and could not give back: returned when the panel lists them. */
  const stopped = new Map<string, RunLease>();
  for (const { lease, report, wasStopped } of options.left) {
    if (report !== null) add(openRunSession(lease, report, options));
    else if (wasStopped) stopped.set(nameOf(lease), lease);
    else {
      // Absent from hello: the panel counts an attempt, so a run that kills its workers is not retried forever.
      log(`run ${lease.run_id} was interrupted when the previous process was killed; the panel requeues it`);
      void remove(lease);
    }
  }

  return {
    dispatch,
    dispatchToAll: (event) => sessions.forEach((run) => run.dispatch(event)),
    remove,
    countWorking: () => working().length,
    holding: () => [
      ...[...sessions.values()].map(({ state, spooledTo }) => ({ ...state.lease, spooled_to: spooledTo })),
      ...[...stopped.values()].map((lease) => ({ ...lease, spooled_to: 0 })),
    ],
    has: (lease) => sessions.has(nameOf(lease)),
    open: (lease, work) => add(openRunSession(lease, work, options)),
    acknowledgeState({ mid, result }) {
      const owner = [...sessions.values()].find(({ state }) => ownsMessage(state, mid));
      owner?.dispatch({ kind: "state_acked", mid, result });
    },
    resume({ resume, drop }) {
      for (const { run_id, epoch, reason } of drop) {
        if (dispatch({ run_id, epoch }, { kind: "drop" })) log(`run ${run_id} dropped: ${reason}`);
        else void remove({ run_id, epoch });
      }
      const dropped = new Set(drop.map(nameOf));
      const resumed = new Map(resume.map((entry) => [nameOf(entry), entry.events_upto]));
      for (const [name, run] of sessions)
        if (!dropped.has(name)) run.dispatch({ kind: "up", eventsUpto: resumed.get(name) ?? null });
      return resume.filter((entry) => !sessions.has(nameOf(entry)));
    },
    dropOtherEpochs(runId) {
      for (const run of sessions.values()) if (run.state.lease.run_id === runId) run.dispatch({ kind: "drop" });
    },
    async giveBack() {
      const stopping = await endAll(working(), { kind: "give_back" });
      return stopping.filter(isWorking).map(({ state }) => state.lease);
    },
    dropUnfinished: async () => void (await endAll(working(), { kind: "drop" })),
    async whenEmpty() {
      while (sessions.size > 0) await Promise.all([...sessions.values()].map(({ closed }) => closed));
    },
  };

  function dispatch(lease: RunLease, event: RunEvent): boolean {
    const run = sessions.get(nameOf(lease));
    run?.dispatch(event);
    return run !== undefined;
  }

  function add(run: RunSession): void {
    sessions.set(nameOf(run.state.lease), run);
    void removeClosed(run);
  }

  async function removeClosed({ closed, state: { lease } }: RunSession): Promise<void> {
    await closed;
    sessions.delete(nameOf(lease));
    log(`run ${lease.run_id} finished`);
    options.onClosed(sessions.size === 0);
  }

  async function remove(lease: RunLease): Promise<void> {
    stopped.delete(nameOf(lease));
    await runFolder(options.runs, lease).remove();
  }
}

function isWorking({ state }: RunSession): boolean {
  return state.report === null;
}

async function endAll(runs: readonly RunSession[], event: RunEvent): Promise<readonly RunSession[]> {
  for (const run of runs) run.dispatch(event);
  await Promise.all(runs.map((run) => run.settled()));
  return runs;
}

function nameOf({ run_id, epoch }: RunLease): string {
  return `${run_id} ${epoch}`;
}
