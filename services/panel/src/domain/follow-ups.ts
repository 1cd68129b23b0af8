/** Follow-up runs: what is known about a watched pull request, and the rules that decide whether a new run repairs it. */
import type { FollowUp, FollowUpCause, PrHealth, ResultCode, RepoSettings } from "@triptych/contracts";

/** Text from a forge: data for an agent, never an instruction. */
export interface Evidence {
  readonly title: string;
  readonly text: string;
  readonly path: string | null;
  readonly line: number | null;
}

/** The order of a follow-up run, fixed at its creation. */
export interface FollowUpSpec {
  /** The run that opened the pull request. */
  readonly parentRunId: string;
  readonly prNumber: number;
  readonly cause: FollowUpCause;
  /** Number of the attempt since the checks last passed. */
  readonly attempt: number;
  /** Branch of the pull request; the run starts at this head and may replace only it. */
  readonly branch: string;
  readonly headSha: string;
  /** Branch to merge first. */
  readonly merge: string | null;
  readonly evidence: readonly Evidence[];
}

/** Facts of the run that opened a pull request. */
export interface FollowUpFacts {
  /** What the forge reported about the pull request; absent before it was watched. */
  readonly prHealth?: PrHealth | undefined;
  readonly followUps?: readonly FollowUp[] | undefined;
}

export interface FollowUpAttempt {
  readonly runId: string;
  readonly cause: FollowUpCause;
  /** Head that it started from. */
  readonly headSha: string;
  /** `ok`: pushed. `stopped`: by the end of the pull request or its label. Null while the run is active. */
  readonly code: ResultCode | "no_change" | "stopped" | null;
  readonly costMicro: number | null;
}

export interface SeenSource {
  readonly at: number;
  readonly etag: string | null;
  readonly value: unknown;
}

export interface PrSeen extends PrHealth {
  readonly headSha: string | null;
  /** When this head was first seen: polling is fast in the hour after it. */
  readonly headSince: number;
  readonly baseBranch: string | null;
  readonly isIgnored: boolean;
  /** Reduced responses by request, for conditional requests. */
  readonly sources: Readonly<Record<string, SeenSource>>;
  /** Number of consecutive failed polls. */
  readonly faults: number;
  /** Times of the requests of the last hour. */
  readonly requests: readonly number[];
  readonly attempts: readonly FollowUpAttempt[];
  /** Number of attempts since the checks last passed. */
  readonly spent: number;
  /** Checks that failed before the last attempt: the count restarts when these have passed. */
  readonly repaired: readonly string[];
  /** Reviews up to this time belong to earlier attempts. */
  readonly reviewedUntil: number;
  readonly comment: { readonly id: string | null; readonly isDue: boolean };
  readonly isExhausted: boolean;
  /** Evidence of the last finding, for a run that a person starts. */
  readonly finding: Finding | null;
}

export interface PrWatch {
  /** The run that opened the pull request. */
  readonly runId: string;
  readonly repoId: string;
  readonly prNumber: number;
  readonly state: "watching" | "ended";
  readonly nextAt: number;
  readonly leasedBy: string | null;
  readonly leaseUntil: number;
  /** At most one follow-up of a pull request is active. */
  readonly activeRunId: string | null;
  readonly seen: PrSeen;
}

export interface FollowUpRepository {
  find(runId: string): Promise<PrWatch | null>;
  /** Watched pull requests of a repo. */
  ofRepo(repoId: string): Promise<readonly PrWatch[]>;
  save(watch: PrWatch): Promise<void>;
  /** Polls all pull requests of a repo at this time. */
  wake(repoId: string, at: number): Promise<void>;
}

export const NOTHING_SEEN: PrSeen = {
  headSha: null,
  headSince: 0,
  baseBranch: null,
  isIgnored: false,
  checks: { state: "none", failed: [] },
  mergeable: null,
  review: "none",
  sources: {},
  faults: 0,
  requests: [],
  attempts: [],
  spent: 0,
  repaired: [],
  reviewedUntil: 0,
  comment: { id: null, isDue: false },
  isExhausted: false,
  finding: null,
};

export function newWatch(run: { readonly id: string; readonly repoId: string }, prNumber: number, at: number): PrWatch {
  const lease = { leasedBy: null, leaseUntil: 0 };
  const ids = { runId: run.id, repoId: run.repoId, prNumber };
  return { ...ids, ...lease, state: "watching", nextAt: at, activeRunId: null, seen: NOTHING_SEEN };
}

export interface Finding {
  readonly cause: FollowUpCause;
  readonly headSha: string;
  /** Short name of the failing check. */
  readonly name: string | null;
  readonly evidence: readonly Evidence[];
  /** Time of the newest review in the evidence. */
  readonly reviewedUntil: number;
}

/** Why no follow-up may start, before the cause is considered. */
export type Standstill = "off" | "ignored" | "active" | "exhausted";

export function findStandstill(watch: PrWatch, settings: RepoSettings["follow_up"]): Standstill | null {
  if (!settings.enabled) return "off";
  if (watch.seen.isIgnored) return "ignored";
  if (watch.activeRunId !== null) return "active";
  return watch.seen.spent >= settings.max_attempts ? "exhausted" : null;
}

/** A person cancelled an attempt at this head, so none is started for it again. */
export function wasCancelled({ attempts, headSha }: PrSeen, cause: FollowUpCause): boolean {
  return attempts.some(
    (attempt) => attempt.code === "cancelled" && attempt.headSha === headSha && attempt.cause === cause,
  );
}

const NAME_MAX = 80;

/** Makes a name from a forge safe for an instruction: one short line without markup. */
export function plainName(name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N} ._,:/()+-]/gu, " ")
    .replaceAll(/ +/g, " ")
    .trim();
  return Array.from(plain).slice(0, NAME_MAX).join("");
}

export function focusOf({ cause, name }: Pick<Finding, "cause" | "name">, baseBranch: string | null): string {
  switch (cause) {
    case "conflict":
      return `Resolve conflicts with \`${plainName(baseBranch ?? "")}\``;
    case "checks":
      return name === null ? "Fix the failing checks" : `Fix the failing check \`${plainName(name)}\``;
    case "review":
      return "Address the review";
  }
}
