import type { ReportData, RunExplore } from "@triptych/contracts";
import type { Proposed } from "./candidates.ts";

type Scan = NonNullable<ReportData["succeeded"]["scan"]>;

/** `clean` redacts secrets: a worker's reason may name a registry with its credentials. */
export function exploreResultOf(
  scan: Scan | undefined,
  proposed: Proposed,
  clean: (text: string) => string,
): RunExplore {
  const checks = scan?.checks ?? [];
  return {
    checks_run: checks.flatMap(({ name, skipped }) => (skipped === null ? [name] : [])),
    checks_skipped: checks.flatMap(({ name, skipped }) =>
      skipped === null ? [] : [{ check: name, reason: clean(skipped) }],
    ),
    proposed: proposed.proposed,
    confirmed: proposed.renewed,
    fixed: proposed.fixed,
    suppressed: proposed.suppressed,
    dropped_green: proposed.droppedGreen,
    unproved: scan?.unproved ?? 0,
    refused: proposed.refused,
  };
}

export function exploreMessage(explore: RunExplore): string {
  const { checks_run: ran, checks_skipped: skipped, proposed, confirmed } = explore;
  const counts = [
    [confirmed, "proposed before and still failing"],
    [explore.fixed, "proposed before and since fixed"],
    [explore.suppressed, "suppressed: rejected, snoozed or delivered before"],
    [explore.dropped_green, "dropped: the gate already passes"],
    [explore.unproved, "dropped: the gate could not run"],
    [explore.refused, "omitted: over the limit or invalid"],
  ] as const;
  return [
    proposed === 0 ? "No new candidates." : `${counted(proposed, "new candidate")}.`,
    ...counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}.`])),
    ran.length === 0 && skipped.length === 0 ? "" : `${counted(ran.length, "check")} run, ${skipped.length} skipped.`,
    ...skipped.map(({ check, reason }) => `Skipped ${check}: ${reason.replace(/\.$/, "")}.`),
  ]
    .filter(Boolean)
    .join(" ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
