/** Records of the panel. Times are milliseconds since 1970. */
import type { AiFinding } from "@triptych/change-policy";
import type { CheckLogs } from "./check-logs.ts";
import type { ReviewComment, RunAgent } from "./run-agents.ts";
import type { FollowUpFacts, FollowUpSpec } from "./follow-ups.ts";
import type { StoredEnvironment } from "./repo-environment.ts";
import type {
  AiStance,
  CandidateState,
  BusKind,
  BusRole,
  CheckState,
  DetectedSetting,
  IsolationLevel,
  MemoryKind,
  MemoryStatus,
  PlanId,
  Proposal,
  REJECT_SCOPES,
  RepoProvider,
  RepoSettings,
  RepoStatus,
  ResultCode,
  RunDiff,
  RunExplore,
  RunGate,
  RunKind,
  RunPr,
  RunState,
  RunTrigger,
  RunUsage,
  RunVerify,
  Scope,
  Scouting,
} from "@triptych/contracts";

export interface AiOverride {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  /** The overridden stance. A stricter one that is found later applies. */
  readonly stance: AiStance;
}

export interface AiPolicyRecord extends AiFinding {
  readonly checkedAt: number;
  readonly override: AiOverride | null;
}

export interface AccountRecord {
  readonly id: string;
  readonly email: string;
  readonly plan: PlanId;
  readonly status: "active" | "suspended";
  readonly createdAt: number;
}

export interface LicenseRecord {
  /** Encrypted; only the license endpoint decrypts it. */
  readonly sealed: string;
  readonly hash: string;
  /** Increases with every rotation; workers ignore a key of a lower generation. */
  readonly generation: number;
  readonly rotatedAt: number | null;
}

export interface SessionRecord {
  readonly hash: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

export interface TokenRecord {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface RepoRecord {
  readonly id: string;
  readonly url: string;
  /** Canonical address: unique among the account's repos that are not removed. */
  readonly canonical: string;
  readonly name: string;
  readonly provider: RepoProvider;
  readonly status: RepoStatus;
  readonly statusReason: string | null;
  readonly defaultBranch: string | null;
  readonly settings: RepoSettings;
  readonly environment: StoredEnvironment;
  readonly aiPolicy: AiPolicyRecord | null;
  readonly credentialKind: "token" | "basic" | "ssh_key" | "github_app" | "none";
  readonly sealedCredential: string | null;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface RepoStats {
  readonly openPrs: number;
  readonly lastRun: { readonly id: string; readonly state: RunState } | null;
  readonly ended: { readonly well: number; readonly badly: number };
  /** Pull requests that ended, and the cost of all runs that ended. */
  readonly prs: { readonly merged: number; readonly closed: number; readonly costMicro: number | null };
  readonly memoriesPending: number;
  readonly candidatesProposed: number;
  readonly contact?: {
    readonly checkedAt: number;
    readonly canPush: boolean | null;
    readonly canOpenPr: boolean | null;
    readonly detected: readonly DetectedSetting[];
    readonly hosts: readonly string[];
  };
  readonly check?: CheckRecord;
}

/** The order of a run: fixed at creation, unaffected by later edits of the repo. */
export interface RunSpec {
  readonly repoName: string;
  readonly focus: string;
  readonly gate: RunGate | null;
  readonly verifyCmd: string | null;
  readonly settings: Omit<RepoSettings, "schedule" | "explore" | "follow_up" | "deps"> & {
    readonly explore: Scouting;
    readonly deps?: RepoSettings["deps"]; // Absent in runs of version 0.2.
  };
  readonly settingsRevision: number;
  readonly baseBranch: string | null;
  /** A copy of its candidate at creation; absent in runs of version 0.1. */
  readonly candidate?: Pick<Proposal, "title" | "rationale" | "evidence"> | undefined;
  /** Set for a run that repairs an open pull request. */
  readonly followUp?: FollowUpSpec;
  /** New files may match protected paths; existing ones stay protected. */
  readonly mayAddProtected?: boolean;
  readonly trigger: {
    readonly type: RunTrigger;
    readonly actor: string | null;
    readonly retryOf: string | null;
    readonly candidateId: string | null;
    /** Scheduled time without jitter; absent for other runs. */
    readonly scheduledFor?: number;
  };
}

/** Facts about a run from its worker, the panel's own checks, or the forge. */
export interface RunFacts extends FollowUpFacts {
  /** Base as the worker resolved it: the branch and the commit at which the run starts. */
  readonly base: { readonly branch: string; readonly sha: string } | null;
  readonly headSha: string | null;
  readonly bundle: { readonly sha256: string; readonly bytes: number } | null;
  readonly workerName: string | null;
  readonly isolationLevel: IsolationLevel | null;
  readonly memoryIds: readonly string[];
  readonly verify: RunVerify;
  readonly diff: RunDiff | null;
  /** Set for a succeeded explore run; absent in runs of version 0.1. */
  readonly explore?: RunExplore | undefined;
  /** Summaries of the changed files, from the most precise to the shortest; absent in runs of version 0.1. */
  readonly summaries?: readonly string[] | undefined;
  readonly agents?: readonly RunAgent[] | undefined;
  /** Refers to the head; absent in runs that an older panel checked. */
  readonly parents?: readonly string[] | undefined;
  readonly logs?: CheckLogs | undefined;
  readonly pr: RunPr | null;
  /** When the panel saw that the pull request was merged or closed; absent while it is open. */
  readonly prEndedAt?: number | undefined;
  readonly usage: RunUsage;
  /** Usage of earlier epochs, because a worker reports the totals of its own epoch only. */
  readonly usageBefore?: RunUsage | undefined;
  /** The reviewer's final verdict, reported with the request to push. */
  readonly review?: { readonly approved: boolean; readonly comments: readonly ReviewComment[] } | undefined;
  /** For a queued run: what a worker that refused it lacks. */
  readonly lack?: "cli" | "isolation" | undefined;
  /** The policy at the base commit, with the override at that time; absent until the change was checked. */
  readonly aiPolicy?: AiPolicyRecord | undefined;
  readonly warnings: readonly string[];
}

export interface RunRecord {
  readonly id: string;
  readonly repoId: string;
  readonly kind: RunKind;
  readonly state: RunState;
  readonly focus: string;
  readonly priority: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly isParallel: boolean;
  readonly wantsPr: boolean;
  /** A person is needed although the state is final. */
  readonly needsAttention?: boolean;
  readonly revision: number;
  readonly queuedAt: number;
  readonly notBefore: number;
  readonly leasedAt: number | null;
  readonly startedAt: number | null;
  readonly pushedAt: number | null;
  readonly endedAt: number | null;
  readonly leaseUntil: number | null;
  readonly workerId: string | null;
  readonly cancelRequestedAt: number | null;
  /** Last number of its bus; only the bus increases it. */
  readonly lastSeq: number;
  readonly spec: RunSpec;
  readonly facts: RunFacts;
  readonly result: RunResult | null;
}

export interface RunResult {
  readonly code: ResultCode;
  readonly message: string;
}

/** A message on the bus of a run; `seq` is assigned at commit. */
export interface BusItem {
  readonly at: number;
  readonly from: {
    readonly role: BusRole;
    readonly agent: string | null;
    readonly cli: string | null;
    readonly model: string | null;
  };
  readonly kind: BusKind;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly round: number | null;
  /** The worker's own number, increasing within an epoch; null for messages of the panel. */
  readonly wseq: number | null;
}

export interface MemoryRecord {
  readonly id: string;
  readonly repoId: string;
  readonly text: string;
  /** Ignores white space and case; unique per repo. */
  readonly normalised: string;
  readonly kind: MemoryKind;
  readonly source: "user" | "agent";
  readonly status: MemoryStatus;
  readonly pinned: boolean;
  readonly scope: string | null;
  readonly hits: number;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

export interface Rejection {
  readonly reason: string | null;
  readonly at: number;
  readonly scope?: (typeof REJECT_SCOPES)[number];
  readonly until?: number | null;
  /** Another candidate of a scan took its place, until a scan proposes it again. Absent: a person rejected it. */
  readonly isReplaced?: true;
}

export interface CandidateRecord {
  readonly id: string;
  readonly repoId: string;
  readonly exploreRunId: string;
  readonly state: CandidateState;
  readonly proposal: Proposal;
  readonly baseSha: string | null;
  readonly isStale: boolean;
  readonly attempts: number;
  readonly runId: string | null;
  readonly outcome: "delivered" | "already_fixed" | null;
  readonly reject: Rejection | null;
  readonly was: { readonly selected: boolean; readonly delivered: boolean };
  readonly createdAt: number;
}

export interface CheckRecord {
  readonly repoId: string;
  readonly id: string;
  readonly state: CheckState;
  readonly attempts: number;
  readonly workerId: string | null;
  /** When the check is taken from its worker; null unless it is running. */
  readonly deadline: number | null;
  readonly message: string | null;
  readonly setup: CheckedCommand | null;
  readonly verify: CheckedCommand | null;
  readonly requestedAt: number;
  readonly checkedAt: number | null;
}

export interface CheckedCommand {
  /** Null after a signal or a limit. */
  readonly exitCode: number | null;
  readonly durationMs: number;
}

/** Newest first; `below`: the id of the last row of the page before. */
export interface Page {
  readonly below: string | null;
  readonly limit: number;
}
