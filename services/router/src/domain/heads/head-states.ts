/**
 * The life of a version of a head: one table of state x event -> state. What is not in it cannot happen. A rejected head stays so,
 * whatever is asked: no event leads out of that state.
 */
import type { HeadState } from "@triptych/contracts";

export type HeadEvent =
  /** Its training succeeded, and it is the first version of its name, or a later one. */
  | "trained_first"
  | "trained_later"
  | "rejected"
  | "failed"
  | "shadow_begun"
  | "shadow_ended"
  | "promoted"
  /** Another version took its place. */
  | "superseded";

const TABLE: Readonly<Record<HeadState, Partial<Record<HeadEvent, HeadState>>>> = {
  training: { trained_first: "live", trained_later: "ready", rejected: "rejected", failed: "failed" },
  ready: { shadow_begun: "shadow", shadow_ended: "ready", promoted: "live" },
  shadow: { shadow_begun: "shadow", shadow_ended: "ready", promoted: "live" },
  live: { promoted: "live", superseded: "retired" },
  retired: { promoted: "live" },
  rejected: {},
  failed: {},
};

/** Null where the event cannot happen in this state. */
export function stateAfter(state: HeadState, event: HeadEvent): HeadState | null {
  return TABLE[state][event] ?? null;
}

const USABLE: ReadonlySet<HeadState> = new Set(["live", "shadow", "ready", "retired"]);

/** Whether it can be asked by its id. */
export function isUsable(state: HeadState): boolean {
  return USABLE.has(state);
}
