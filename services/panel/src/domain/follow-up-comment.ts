/** The comment in a pull request: one table of all attempts, edited in place. */
import type { FollowUpCause } from "@triptych/contracts";
import type { FollowUpAttempt, PrSeen } from "./follow-ups.ts";
import { formatCost, runUrl } from "./pr-provenance.ts";

/** Begins every comment that the panel writes. */
export const COMMENT_PREFIX = "<!-- panel-follow-up:";

export function commentMarker(runId: string): string {
  return `${COMMENT_PREFIX} ${runId} -->`;
}

const CAUSES: Readonly<Record<FollowUpCause, string>> = {
  checks: "failing check",
  conflict: "conflict",
  review: "review",
};

/** Contains no text of the forge: nothing in it can be a mention, a link or a closing keyword. */
export function commentText(runId: string, seen: PrSeen, publicUrl: string | undefined): string {
  const rows = seen.attempts.map((attempt, index) => {
    const { runId } = attempt;
    const run = publicUrl === undefined ? runId : `[${runId}](${runUrl(publicUrl, runId)})`;
    return `| ${index + 1} | ${CAUSES[attempt.cause]} | ${resultOf(attempt)} | ${costOf(attempt)} | ${run} |`;
  });
  return [
    commentMarker(runId),
    "**Follow-up runs**",
    "",
    "| # | Cause | Result | Cost | Run |",
    "|--:|---|---|--:|---|",
    ...rows,
    ...(seen.isExhausted
      ? ["", "The pull request still needs work after the maximum number of attempts. A person needs to take over."]
      : []),
  ].join("\n");
}

function resultOf({ code }: FollowUpAttempt): string {
  if (code === null) return "in progress";
  if (code === "no_change") return "no changes";
  if (code === "stopped") return "stopped";
  return code === "ok" ? "pushed" : `\`${code}\``;
}

function costOf({ costMicro }: FollowUpAttempt): string {
  return costMicro === null ? "unknown" : formatCost(costMicro);
}
