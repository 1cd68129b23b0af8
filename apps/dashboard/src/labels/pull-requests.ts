/** Texts about pull requests and their follow-up runs. */
import {
  FOLLOW_UP_CAUSES,
  type ChecksState,
  type FollowUpCause,
  type ReviewState,
  type RunState,
} from "@triptych/contracts/plain";
import type { Repo, Run } from "@triptych/contracts";
import { money, percent } from "./format.ts";
import { STATE_LABELS, type Tone } from "./runs.ts";

interface Label {
  readonly tone: Tone;
  readonly text: string;
}

export const CAUSE_LABELS: Readonly<Record<FollowUpCause, string>> = {
  checks: "Failing checks",
  conflict: "Conflict with the base branch",
  review: "Review comments",
};

const CHECKS: Readonly<Record<ChecksState, Label>> = {
  none: { tone: "rest", text: "none known" },
  pending: { tone: "active", text: "pending" },
  passed: { tone: "success", text: "passed" },
  failed: { tone: "failure", text: "failed" },
};

export function describeChecks(state: ChecksState): Label {
  return CHECKS[state];
}

export const MERGE_LABELS: Readonly<Record<"true" | "false" | "null", Label>> = {
  true: { tone: "success", text: "no conflicts" },
  false: { tone: "failure", text: "conflicts" },
  null: { tone: "rest", text: "unknown" },
};

export const REVIEW_LABELS: Readonly<Record<ReviewState, Label>> = {
  none: { tone: "rest", text: "none" },
  approved: { tone: "success", text: "approved" },
  changes_requested: { tone: "attention", text: "changes requested" },
};

/** Of a form, which offers no other value. */
export function causeOf(text: string): FollowUpCause {
  return FOLLOW_UP_CAUSES.find((cause) => cause === text) ?? "checks";
}

/** The pull request was open before: what is new is the commit. */
export function followUpState(state: RunState): string {
  return STATE_LABELS[state === "pr_open" ? "pushed" : state];
}

const ENDED: ReadonlySet<string> = new Set(["pr_open", "no_change", "failed", "cancelled", "expired", "lost"]);

/** A pull request has at most one follow-up in progress. */
export function followUpRefusal({ follow_ups: followUps }: Pick<Run, "follow_ups">): string | null {
  const isBusy = followUps.some(({ state }) => !ENDED.has(state));
  return isBusy ? "A follow-up run is in progress." : null;
}

/** Null where there is nothing to show. */
export function mergeSummary(stats: Pick<Repo["stats"], "merge_rate_30d" | "cost_per_merged_pr_micro_30d">) {
  const { merge_rate_30d: rate, cost_per_merged_pr_micro_30d: cost } = stats;
  if (rate === null) return null;
  const price = cost === null ? "" : `, ${money(cost)} per merged pull request`;
  return `${percent(rate)} of the pull requests that ended in the last 30 days were merged${price}.`;
}
