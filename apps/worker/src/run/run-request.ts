/** A run's order and its outcome: plain values, as the panel's connection carries them. */
import type { AiFinding, DiffSize } from "@triptych/change-policy";
import type { IsolationLevel, Network, TeamRole } from "@triptych/contracts";
import type { Prices } from "./usage.ts";
import type { Checks, Gate, Verdict } from "./verdict.ts";

export interface RunRequest {
  readonly runId: string;
  readonly clone: CloneRequest;
  readonly verify: VerifyOptions;
  readonly gate: Gate | null;
  readonly maxRounds: number;
  readonly focus: string;
  /** Title of the candidate that the run is for. */
  readonly title?: string | null;
  readonly memories: readonly string[];
  /** Set for a run that repairs an open pull request. */
  readonly followUp?: FollowUpRequest | null;
  readonly limits: RunLimits;
  /** Prices by model. Without a price the cost is unknown, and only tokens are capped. */
  readonly prices: Prices;
  /** Euros per dollar, because agents report dollars. */
  readonly usdEur: number;
  readonly isolation: IsolationOptions;
  /** Variables of the repository: plain ones for every command, sealed ones for the setup command. */
  readonly environment?: readonly RunVariable[];
  readonly protectedPaths: readonly string[];
  /** Whether new files are allowed in protected paths. */
  readonly mayAddProtected?: boolean;
  /** Whether an AI policy at the base commit that forbids runs ends this run. */
  readonly isPolicyEnforced?: boolean;
  readonly author: { readonly name: string; readonly email: string };
}

export interface FollowUpRequest {
  /** Text from a forge: data for the agent, never an instruction. */
  readonly evidence: readonly Evidence[];
  /** Branch that is merged before the agent starts. */
  readonly merge: string | null;
}

export interface Evidence {
  readonly title: string;
  readonly text: string;
  readonly path: string | null;
  readonly line: number | null;
}

export interface RunVariable {
  readonly name: string;
  readonly value: string;
  readonly sealed: boolean;
}

export interface CloneRequest {
  readonly url: string;
  readonly branch: string;
  /** The full id of the base commit: on the branch, or already in the mirror. */
  readonly sha: string;
  /** Identical for all addresses of one repository; its runs share a mirror. */
  readonly repository: string;
  /** Sent as a bearer token to `url` only; never in an argument or a file. */
  readonly bearer: string | null;
}

export interface VerifyOptions {
  readonly command: string | null;
  readonly setupCommand: string | null;
  readonly timeoutS: number;
  readonly retries: number;
  /** Whether the checks run before the agent; if not, the baseline counts as passed. */
  readonly baseline: boolean;
}

/** `null` means no cap. */
export interface RunLimits {
  readonly timeoutS: number;
  readonly idleTimeoutS: number;
  readonly maxChangedFiles: number | null;
  readonly maxDiffLines: number | null;
  readonly diskMb: number | null;
  readonly memoryMb: number | null;
  readonly processes: number | null;
  readonly maxCostMicro: number | null;
  /** Read and written together. */
  readonly maxTokens: number | null;
  readonly maxTurns: number | null;
}

export interface IsolationOptions {
  readonly levelRequired: IsolationLevel;
  readonly network: Network;
  readonly allowHosts: readonly string[];
}

export type RunCode =
  | "ok"
  | "gate_not_red"
  | "verify_failed"
  | "baseline_broken"
  | "agent_error"
  | "agent_auth"
  | "cost_cap"
  | "token_cap"
  | "turn_cap"
  | "timeout"
  | "idle_timeout"
  | "policy_violation"
  | "policy_forbids"
  | "protected_path"
  | "diff_too_large"
  | "secret_in_diff"
  | "clone_failed"
  | "setup_failed"
  | "checks_unavailable"
  | "isolation_unavailable"
  | "bundle_invalid"
  | "merge_conflict"
  | "internal";

/** The roles of a team, and the scout that reads a repository. */
export type AgentRole = TeamRole | "scout";

export interface AgentName {
  readonly role: AgentRole;
  readonly cli: string;
  readonly model: string | null;
}

export type RunWarning = "tests_changed";

export interface CheckReport {
  readonly baseline: CheckRun | null;
  readonly attempts: readonly CheckRun[];
  readonly verdict: Verdict | null;
}

export interface CheckRun {
  readonly checks: Checks;
  readonly durationMs: number;
  readonly verify: CommandEnd | null;
  readonly gate: CommandEnd | null;
  /** Cached from an earlier run at the same commit. */
  readonly isCached: boolean;
}

export interface CommandEnd {
  /** Null if a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Command, redacted output and end. Absent in a cached result whose log is too long to cache. */
  readonly log?: string;
}

export interface Bundle {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface ReviewOutcome {
  /** If false, the pull request is a draft with the comments. */
  readonly isApproved: boolean;
  readonly comments: readonly ReviewComment[];
}

export interface ReviewComment {
  readonly path: string;
  readonly line: number | null;
  readonly text: string;
}

export type RunOutcome = { readonly report: CheckReport } & (
  | {
      readonly kind: "delivered";
      readonly headSha: string;
      readonly branch: string;
      readonly bundle: Bundle;
      readonly diff: DiffSize;
      readonly warnings: readonly RunWarning[];
      readonly review: ReviewOutcome;
    }
  | { readonly kind: "no_change"; readonly code: "ok" | "gate_not_red"; readonly message: string }
  | {
      readonly kind: "failed";
      readonly code: RunCode;
      readonly message: string;
      readonly finding?: AiFinding | undefined;
    }
  | { readonly kind: "cancelled" }
);
