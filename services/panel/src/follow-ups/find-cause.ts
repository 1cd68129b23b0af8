/** The first cause of a follow-up run, with its evidence. Logs are read only for a run that may start. */
import type { FollowUpCause, RepoSettings } from "@triptych/contracts";
import { wasCancelled, type Evidence, type Finding, type PrSeen } from "../domain/follow-ups.ts";
import { ForgeError } from "../forges/forge.ts";
import type { Check, PrReader, Reviews } from "../forges/pr-reader.ts";
import type { PrReading } from "./read-pr.ts";

export type RedactText = (text: string) => Promise<string>;

const LOGS_MAX = 3;
const LOG_CHARACTERS_MAX = 24_000;
const REMARKS_CHARACTERS_MAX = 24_000;

/** Conflict first: checks of a branch that cannot be merged prove little. */
const ORDER: readonly FollowUpCause[] = ["conflict", "checks", "review"];

export function causeOf(reading: PrReading, seen: PrSeen, settings: RepoSettings["follow_up"]): FollowUpCause | null {
  const { health, reviews } = reading;
  const isFound: Readonly<Record<FollowUpCause, boolean>> = {
    conflict: health.mergeable === false,
    checks: health.checks.state === "failed",
    review: reviews.remarks.some(({ at }) => at > seen.reviewedUntil),
  };
  const causes = ORDER.filter((cause) => settings.on.includes(cause));
  return causes.find((cause) => isFound[cause] && !wasCancelled(seen, cause)) ?? null;
}

export interface FindingParts {
  readonly reader: PrReader;
  readonly reading: PrReading;
  readonly seen: PrSeen;
  readonly redact: RedactText;
}

export async function findingOf(
  cause: FollowUpCause,
  { reader, reading, seen, redact }: FindingParts,
): Promise<Finding> {
  const { headSha } = reading.pr;
  const base = { cause, headSha, name: null, evidence: [], reviewedUntil: 0 };
  if (cause === "conflict") return base;
  if (cause === "review") {
    const fresh = reading.reviews.remarks.filter(({ at }) => at > seen.reviewedUntil);
    const reviewedUntil = Math.max(0, ...fresh.map(({ at }) => at));
    return { ...base, reviewedUntil, evidence: bounded(fresh.map(evidenceOf)) };
  }
  const failed = reading.checks.filter(({ name }) => reading.health.checks.failed.includes(name));
  const evidence: Evidence[] = [];
  for (const check of failed.filter(({ state }) => state === "failed").slice(0, LOGS_MAX)) {
    const text = await redact(await logOf(reader, check));
    evidence.push({ title: check.name, text: text.slice(-LOG_CHARACTERS_MAX), path: null, line: null });
  }
  return { ...base, name: failed[0]?.name ?? null, evidence };
}

/** The finding of the last poll, for a run that a person starts. It has no logs. */
export function storedFinding({ sources, reviewedUntil, checks }: PrSeen, cause: FollowUpCause): StoredFinding {
  if (cause === "conflict") return { evidence: [], reviewedUntil };
  if (cause === "review") {
    // Stored by `readPullRequest` under this key.
    const remarks = (sources["@reviews"]?.value as Reviews | undefined)?.remarks ?? [];
    const fresh = remarks.filter(({ at }) => at > reviewedUntil);
    const evidence = bounded((fresh.length > 0 ? fresh : remarks).map(evidenceOf));
    return { evidence, reviewedUntil: Math.max(reviewedUntil, ...fresh.map(({ at }) => at)) };
  }
  const stored = Object.entries(sources).filter(([key]) => key.startsWith("@checks"));
  const failed = stored
    .flatMap(([, { value }]) => value as readonly Check[])
    .filter(({ name, state }) => state === "failed" && checks.failed.includes(name));
  const evidence = failed
    .slice(0, LOGS_MAX)
    .map(({ name, summary }) => ({ title: name, text: summary, path: null, line: null }));
  return { evidence: bounded(evidence), reviewedUntil };
}

type StoredFinding = Pick<Finding, "evidence" | "reviewedUntil">;

function logOf(reader: PrReader, check: Check): Promise<string> {
  return reader.readCheckLog(check).catch((error: unknown) => {
    if (error instanceof ForgeError) return check.summary;
    throw error;
  });
}

function evidenceOf({ author, path, line, text }: PrReading["reviews"]["remarks"][number]): Evidence {
  return { title: author, text, path, line };
}

function bounded(evidence: readonly Evidence[]): readonly Evidence[] {
  let left = REMARKS_CHARACTERS_MAX;
  return evidence.flatMap((item) => {
    if (left <= 0) return [];
    const text = item.text.slice(0, left);
    left -= text.length;
    return [{ ...item, text }];
  });
}
