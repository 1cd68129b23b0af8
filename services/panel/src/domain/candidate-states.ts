/**
 * The life of a candidate: one table of state x event -> state, section 7.1 of the contract. Every candidate is in exactly one of the
 * four states, so their counts partition all of them.
 */
import type { CandidateState } from "@triptych/contracts";
import type { RunRecord } from "./records.ts";

export const CANDIDATE_EVENTS = [
  /** A run was made of it. */
  "selected",
  "rejected",
  /** Its run was pushed. */
  "delivered",
  /** Its gate is green without us: found so by its run, or by the next scout. */
  "already_fixed",
  /** Its run ended without it. */
  "came_back",
  /** A scout says it again, and its gate is red. */
  "red_again",
  /** The same where it was rejected, and the rejection does not cover it any more. */
  "rejection_over",
] as const;
export type CandidateEvent = (typeof CANDIDATE_EVENTS)[number];

const TABLE: Readonly<Record<CandidateState, Partial<Record<CandidateEvent, CandidateState>>>> = {
  proposed: { selected: "selected", rejected: "rejected", already_fixed: "done" },
  selected: { delivered: "done", already_fixed: "done", came_back: "proposed" },
  rejected: { rejection_over: "proposed" },
  done: { red_again: "proposed" },
};

/** Null where the event means nothing to a candidate in this state. */
export function candidateAfter(state: CandidateState, event: CandidateEvent): CandidateState | null {
  return TABLE[state][event] ?? null;
}

/** What a step of its run means to a candidate; null while the run goes on. */
export function meaningOf({ state, result }: Pick<RunRecord, "state" | "result">): CandidateEvent | null {
  switch (state) {
    case "pushed":
    case "pr_open":
      return "delivered";
    case "no_change":
      return result?.code === "gate_not_red" ? "already_fixed" : "came_back";
    case "failed":
    case "cancelled":
    case "expired":
    case "lost":
      return "came_back";
    case "queued":
    case "leased":
    case "preparing":
    case "running":
    case "verifying":
    case "pushing":
    case "succeeded":
      return null;
  }
}
