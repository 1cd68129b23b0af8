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
import { t } from "../i18n.ts";

interface Label {
  readonly tone: Tone;
  readonly text: string;
}

export const CAUSE_LABELS: Readonly<Record<FollowUpCause, string>> = {
  checks: t("Failing checks"),
  conflict: t("Conflict with the base branch"),
  review: t("Review comments"),
};

const CHECKS: Readonly<Record<ChecksState, Label>> = {
  none: { tone: "rest", text: t("none known") },
  pending: { tone: "active", text: t("pending") },
  passed: { tone: "success", text: t("passed") },
  failed: { tone: "failure", text: t("failed") },
};

export function describeChecks(state: ChecksState): Label {
  return CHECKS[state];
}

export const MERGE_LABELS: Readonly<Record<"true" | "false" | "null", Label>> = {
  true: { tone: "success", text: t("no conflicts") },
  false: { tone: "failure", text: t("conflicts") },
  null: { tone: "rest", text: t("feminine|unknown") },
};

export const REVIEW_LABELS: Readonly<Record<ReviewState, Label>> = {
  none: { tone: "rest", text: t("feminine|none") },
  approved: { tone: "success", text: t("approved") },
  changes_requested: { tone: "attention", text: t("changes requested") },
};

/** Reads a cause from a form, which offers no other value. */
export function causeOf(text: string): FollowUpCause {
  return FOLLOW_UP_CAUSES.find((cause) => cause === text) ?? "checks";
}

/** The pull request was already open, so only the commit is new. */
export function followUpState(state: RunState): string {
  return STATE_LABELS[state === "pr_open" ? "pushed" : state];
}

const ENDED: ReadonlySet<string> = new Set(["pr_open", "no_change", "failed", "cancelled", "expired", "lost"]);

/** A pull request has at most one follow-up in progress. */
export function followUpRefusal({ follow_ups: followUps }: Pick<Run, "follow_ups">): string | null {
  const isBusy = followUps.some(({ state }) => !ENDED.has(state));
  return isBusy ? t("A follow-up run is in progress.") : null;
}

/** Null if there is nothing to show. */
export function mergeSummary(stats: Pick<Repo["stats"], "merge_rate_30d" | "cost_per_merged_pr_micro_30d">) {
  const { merge_rate_30d: rate, cost_per_merged_pr_micro_30d: cost } = stats;
  if (rate === null) return null;
  const values = { rate: percent(rate) };
  return cost === null
    ? t("{rate} of the pull requests that ended in the last 30 days were merged.", values)
    : t("{rate} of the pull requests that ended in the last 30 days were merged, {cost} per merged pull request.", {
        ...values,
        cost: money(cost),
      });
}
