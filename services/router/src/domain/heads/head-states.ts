/**
 * States of a head version, as one table of state x event -> state. Events that are not in the table are impossible.
 * `rejected` is final.
 */
import type { HeadState } from "@triptych/contracts";

export type HeadEvent =
  /** Training succeeded for the first version of the name, or for a later one. */
  | "trained_first"
  | "trained_later"
  | "rejected"
  | "failed"
  | "shadow_begun"
  | "shadow_ended"
  | "promoted"
  /** Another version became live. */
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

export function stateAfter(state: HeadState, event: HeadEvent): HeadState | null {
  return TABLE[state][event] ?? null;
}

const USABLE: ReadonlySet<HeadState> = new Set(["live", "shadow", "ready", "retired"]);

/** Whether requests may refer to the version by ID. */
export function isUsable(state: HeadState): boolean {
  return USABLE.has(state);
}
