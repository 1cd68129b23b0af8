/**
 * State machine of candidates (section 7.1 of the contract): one table of state x event -> state. Each candidate is in one of the four
 * states.
 */
import type { CandidateState } from "@triptych/contracts";
import type { RunRecord } from "../records.ts";
import type { Repositories } from "../repositories.ts";

export const CANDIDATE_EVENTS = [
  "selected",
  "rejected",
  "delivered",
  /** Its gate passes without our change, as its run or the next scout found. */
  "already_fixed",
  /** Its run ended without delivering it. */
  "came_back",
  /** A scout reports it again, with a failing gate. */
  "red_again",
  /** Like `red_again`, for a candidate whose rejection no longer covers it. */
  "rejection_over",
] as const;
export type CandidateEvent = (typeof CANDIDATE_EVENTS)[number];

const TABLE: Readonly<Record<CandidateState, Partial<Record<CandidateEvent, CandidateState>>>> = {
  proposed: { selected: "selected", rejected: "rejected", already_fixed: "done" },
  selected: { delivered: "done", already_fixed: "done", came_back: "proposed" },
  rejected: { rejection_over: "proposed" },
  done: { red_again: "proposed" },
};

export function candidateAfter(state: CandidateState, event: CandidateEvent): CandidateState | null {
  return TABLE[state][event] ?? null;
}

/** Maps a step of its run to a candidate event; null while the run continues. */
export function candidateEventOf({ state, result }: Pick<RunRecord, "state" | "result">): CandidateEvent | null {
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

/** Only the last selected run changes it; an older one that ends late is ignored. */
export async function settleCandidate({ candidates }: Pick<Repositories, "candidates">, run: RunRecord): Promise<void> {
  const { candidateId } = run.spec.trigger;
  const event = candidateEventOf(run);
  if (candidateId === null || event === null) return;
  const candidate = await candidates.find(candidateId);
  if (candidate === null || candidate.state !== "selected" || candidate.runId !== run.id) return;
  const state = candidateAfter(candidate.state, event);
  if (state === null) return;
  const isDelivered = event === "delivered";
  await candidates.save({
    ...candidate,
    state,
    attempts: candidate.attempts + (event === "came_back" ? 1 : 0),
    outcome: event === "came_back" ? null : isDelivered ? "delivered" : "already_fixed",
    was: { ...candidate.was, delivered: candidate.was.delivered || isDelivered },
  });
}
