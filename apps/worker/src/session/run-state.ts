/**
 * The state machine of one epoch of one run: a table of phases, and one function that applies an event. Pure: `run-session.ts` performs
 * the effects.
 */
import { frameText } from "./frames.ts";
import type { Report, RunLease } from "./run-folder.ts";
import type { ReportedState } from "./wire.ts";

/**
 * `storing`: the work has ended, and its final message is not on disk yet. `reporting`: it is, and the panel has not acknowledged it.
 * `stopping`: the work ends without a final message.
 */
export type RunPhase = "working" | "cancelling" | "stopping" | "storing" | "reporting" | "closed";

type Trigger = "cancel" | "give_back" | "drop" | "finished" | "superseded" | "stored" | "acknowledged";

/** If an entry is missing, the event changes nothing. */
export const TRANSITIONS: Readonly<Record<RunPhase, Readonly<Partial<Record<Trigger, RunPhase>>>>> = {
  working: {
    cancel: "cancelling",
    give_back: "stopping",
    drop: "stopping",
    finished: "storing",
    superseded: "closed",
  },
  // The panel waits for the confirmation, whatever the work returned.
  cancelling: { give_back: "stopping", drop: "stopping", finished: "storing", superseded: "storing" },
  // A drop after `give_back`: nothing is left to give back.
  stopping: { drop: "stopping", finished: "closed", superseded: "closed", stored: "closed" },
  // Not given back: the next process sends the stored message.
  storing: { drop: "stopping", stored: "reporting" },
  reporting: { drop: "closed", acknowledged: "closed" },
  closed: {},
};

export interface StateMessage {
  readonly mid: string;
  readonly text: string;
}

/** The final message, before it has an id. */
export type FinalReport = Pick<Report, "state" | "data">;

export interface RunState {
  readonly lease: RunLease;
  readonly phase: RunPhase;
  readonly isUp: boolean;
  /** The panel has acknowledged a message of this epoch, so it knows of the acceptance. */
  readonly isAccepted: boolean;
  /** On the current connection. */
  readonly isReportSent: boolean;
  /** The panel's last event number at the last connection. */
  readonly eventsUpto: number;
  /** Unacknowledged state messages, oldest first. */
  readonly states: readonly StateMessage[];
  /** Null until it is on disk: the run takes a slot until then. */
  readonly report: Report | null;
  /** What stays on disk at the end: a mark lets the next process give the run back. */
  readonly leaves: "mark" | "nothing";
}

export type RunEvent =
  /** A new connection. `eventsUpto`: the panel has events up to this number; null: unknown. */
  | { readonly kind: "up"; readonly eventsUpto: number | null }
  | { readonly kind: "down" }
  /** The order arrived, for the first time or again. */
  | { readonly kind: "assigned" }
  | { readonly kind: "entered"; readonly message: StateMessage }
  | { readonly kind: "events_acked"; readonly upto: number }
  /** All events are sent on this connection. */
  | { readonly kind: "events_sent" }
  | { readonly kind: "state_acked"; readonly mid: string; readonly result: "ok" | "duplicate" | "rejected" }
  | { readonly kind: "cancel"; readonly graceS: number }
  /** The worker stops. */
  | { readonly kind: "give_back" }
  /** Another epoch is responsible. */
  | { readonly kind: "drop" }
  /** The work has ended, and its processes are dead. `last` is null if another epoch is responsible; `mid`: for the final message. */
  | { readonly kind: "ended"; readonly last: FinalReport | null; readonly mid: string }
  | { readonly kind: "stored"; readonly report: Report };

export type RunEffect =
  | { readonly kind: "send"; readonly text: string }
  | { readonly kind: "resume_events"; readonly upto: number }
  | { readonly kind: "pause_events" }
  | { readonly kind: "release_events"; readonly upto: number }
  /** Dispatches `events_sent` now where no event waits; the stream does so later. */
  | { readonly kind: "check_events_sent" }
  | { readonly kind: "abort_work" }
  | { readonly kind: "kill_after"; readonly graceS: number }
  | { readonly kind: "store"; readonly report: Report }
  | { readonly kind: "update_status" }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "close"; readonly leaves: RunState["leaves"] };

export interface Step {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
}

/** `report`: the final message of an earlier process; null if the work begins now. */
export function initialState(lease: RunLease, report: Report | null): RunState {
  return {
    lease,
    phase: report === null ? "working" : "reporting",
    isUp: false,
    isAccepted: report !== null,
    isReportSent: false,
    eventsUpto: 0,
    states: report?.before ?? [],
    report,
    leaves: "nothing",
  };
}

export function reduce(state: RunState, event: RunEvent): Step {
  switch (event.kind) {
    case "up":
      return reconnect({ ...state, isUp: true, isReportSent: false, eventsUpto: event.eventsUpto ?? 0 });
    case "down":
      return step({ ...state, isUp: false }, { kind: "pause_events" });
    case "assigned":
      return step({ ...state, isUp: true }, acceptance(state));
    case "entered":
      if (state.phase !== "working") return step(state);
      return step(
        { ...state, states: [...state.states, event.message] },
        ...(state.isUp ? [send(event.message.text)] : []),
      );
    case "events_acked":
      return step({ ...state, isAccepted: true }, { kind: "release_events", upto: event.upto });
    case "events_sent":
      return sendReport(state);
    case "state_acked":
      return acknowledge({ ...state, isAccepted: true }, event);
    case "cancel":
      return move(state, "cancel", {}, { kind: "abort_work" }, { kind: "kill_after", graceS: event.graceS });
    case "give_back":
      return move(state, "give_back", { leaves: "mark" }, { kind: "abort_work" });
    case "drop":
      return move(state, "drop", { leaves: "nothing" }, { kind: "abort_work" });
    case "ended":
      return endWork(state, event);
    case "stored":
      if (state.phase !== "storing") return move(state, "stored");
      return move(state, "stored", { report: event.report }, { kind: "update_status" }, { kind: "check_events_sent" });
  }
}

/** Whether the message is one of this run. */
export function ownsMessage({ states, report }: RunState, mid: string): boolean {
  return report?.mid === mid || states.some((message) => message.mid === mid);
}

function move(
  state: RunState,
  trigger: Trigger,
  change: Partial<RunState> = {},
  ...effects: readonly RunEffect[]
): Step {
  const phase = TRANSITIONS[state.phase][trigger];
  if (phase === undefined) return step(state);
  const next = { ...state, ...change, phase };
  return phase === "closed" ? step(next, ...effects, { kind: "close", leaves: next.leaves }) : step(next, ...effects);
}

const CANCELLED: FinalReport = { state: "cancelled", data: {} };

/** On disk first: a restart may lose the work, never the final message. */
function endWork(state: RunState, { last, mid }: Extract<RunEvent, { readonly kind: "ended" }>): Step {
  const moved = move(state, last === null ? "superseded" : "finished");
  if (moved.state === state || moved.state.phase !== "storing") return moved;
  const final = last === null || state.phase === "cancelling" ? CANCELLED : last;
  return step(moved.state, { kind: "store", report: { ...final, mid, before: [...state.states] } });
}

function reconnect(state: RunState): Step {
  if (state.phase === "closed") return step(state);
  return step(
    state,
    ...(state.isAccepted ? [] : [acceptance(state)]),
    ...state.states.map(({ text }) => send(text)),
    { kind: "resume_events", upto: state.eventsUpto },
    { kind: "check_events_sent" },
  );
}

/** After all events: the panel ignores later ones of this epoch. */
function sendReport(state: RunState): Step {
  const { lease, phase, report, isUp, isReportSent } = state;
  if (phase !== "reporting" || report === null || !isUp || isReportSent) return step(state);
  return step({ ...state, isReportSent: true }, send(stateText(lease, report)));
}

function acknowledge(state: RunState, { mid, result }: Extract<RunEvent, { readonly kind: "state_acked" }>): Step {
  if (result === "rejected") {
    const dropped = reduce(state, { kind: "drop" });
    return step(dropped.state, { kind: "log", text: "lease lost; stopping" }, ...dropped.effects);
  }
  const at = state.states.findIndex((message) => message.mid === mid);
  if (at === -1) return move(state, "acknowledged");
  return step({ ...state, states: state.states.slice(at + 1) });
}

export function stateText(
  lease: RunLease,
  { mid, state, data }: Pick<Report, "mid" | "data"> & { readonly state: ReportedState },
): string {
  return frameText({ t: "state", mid, ...lease, state, data });
}

function acceptance({ lease }: RunState): RunEffect {
  return send(frameText({ t: "accept", ...lease }));
}

function send(text: string): RunEffect {
  return { kind: "send", text };
}

function step(state: RunState, ...effects: readonly RunEffect[]): Step {
  return { state, effects };
}
