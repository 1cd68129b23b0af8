/** What the panel remembers, in its own words. Times are milliseconds since 1970. */
import type { CheckRecord } from "./repo-checks.ts";
import type { StoredEnvironment } from "./repo-environment.ts";
import type {
  CandidateState,
  BusKind,
  BusRole,
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

export interface AccountRecord {
  readonly id: string;
  readonly email: string;
  readonly plan: PlanId;
  readonly status: "active" | "suspended";
  readonly createdAt: number;
}

export interface LicenseRecord {
  /** Sealed: only the licence endpoint opens it. */
  readonly sealed: string;
  readonly hash: string;
  /** Rises with every rotation; a worker ignores a key of a lower one. */
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
  /** One form of all addresses of one repository: unique among those of an account that are not removed. */
  readonly canonical: string;
  readonly name: string;
  readonly provider: RepoProvider;
  readonly status: RepoStatus;
  readonly statusReason: string | null;
  readonly defaultBranch: string | null;
  readonly settings: RepoSettings;
  readonly environment: StoredEnvironment;
  readonly credentialKind: "token" | "basic" | "ssh_key" | "none";
  readonly sealedCredential: string | null;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface RepoStats {
  readonly openPrs: number;
  readonly lastRun: { readonly id: string; readonly state: RunState } | null;
  readonly ended: { readonly well: number; readonly badly: number };
  readonly memoriesPending: number;
  readonly candidatesProposed: number;
  /** Of the last time that it was looked at; absent before the first. */
  readonly contact?: {
    readonly checkedAt: number;
    readonly canPush: boolean | null;
    readonly canOpenPr: boolean | null;
    readonly detected: readonly DetectedSetting[];
    readonly hosts: readonly string[];
  };
  /** Absent where its commands were never checked. */
  readonly check?: CheckRecord;
}

/** What a run was asked for: settled when it is made, never changed by a later edit of the repo. */
export interface RunSpec {
  readonly repoName: string;
  readonly focus: string;
  readonly gate: RunGate | null;
  readonly verifyCmd: string | null;
  readonly settings: Omit<RepoSettings, "schedule" | "explore"> & { readonly explore: Scouting };
  readonly settingsRevision: number;
  readonly baseBranch: string | null;
  /** Of the candidate that it is for, as it was then; absent in runs of version 0.1. */
  readonly candidate?: Pick<Proposal, "title" | "rationale" | "evidence"> | undefined;
  /** New files may stand where protected ones do; what is there stays protected. */
  readonly mayAddProtected?: boolean;
  readonly trigger: {
    readonly type: RunTrigger;
    readonly actor: string | null;
    readonly retryOf: string | null;
    /** Whose focus and gate it has. */
    readonly candidateId: string | null;
    /** The time of the schedule, without jitter; absent where it was none. */
    readonly scheduledFor?: number;
  };
}

/** What became known of a run on its way, by its worker, by the panel's own look, or by the forge. */
export interface RunFacts {
  /** Of the base as the worker found it: the branch when the order names none, and the commit that the run begins at. */
  readonly base: { readonly branch: string; readonly sha: string } | null;
  readonly headSha: string | null;
  readonly bundle: { readonly sha256: string; readonly bytes: number } | null;
  readonly workerName: string | null;
  readonly isolationLevel: IsolationLevel | null;
  readonly memoryIds: readonly string[];
  readonly verify: RunVerify;
  readonly diff: RunDiff | null;
  /** Of an explore run that succeeded; absent in runs of version 0.1. */
  readonly explore?: RunExplore | undefined;
  /** Sentences about the changed files, from the most precise to the shortest; absent in runs of version 0.1. */
  readonly summaries?: readonly string[] | undefined;
  /** Who worked on it, as its worker reported. */
  readonly agents?: readonly RunAgent[] | undefined;
  readonly pr: RunPr | null;
  readonly usage: RunUsage;
  /** Of the epochs before this one: workers tell totals of theirs. */
  readonly usageBefore?: RunUsage | undefined;
  /** What the team's reviewer said at the end, as the worker told it with its wish to push. */
  readonly review?: { readonly approved: boolean; readonly comments: readonly ReviewComment[] } | undefined;
  /** Of a run that waits: what a worker that seemed fit has said it lacks. */
  readonly lack?: "cli" | "isolation" | undefined;
  /** Codes, each once. */
  readonly warnings: readonly string[];
}

export interface RunAgent {
  readonly role: BusRole;
  readonly cli: string;
  readonly model: string | null;
}

export interface ReviewComment {
  readonly path: string;
  readonly line: number | null;
  readonly text: string;
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
  /** Whether a pull request is to be made by itself. */
  readonly wantsPr: boolean;
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
  /** Of its bus. Only the bus raises it. */
  readonly lastSeq: number;
  readonly spec: RunSpec;
  readonly facts: RunFacts;
  readonly result: RunResult | null;
}

export interface RunResult {
  readonly code: ResultCode;
  readonly message: string;
}

/** Said on the bus of a run, by whom; `seq` is given at commit. */
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
  /** The worker's own number, rising within an epoch; null where the panel itself speaks. */
  readonly wseq: number | null;
}

export interface MemoryRecord {
  readonly id: string;
  readonly repoId: string;
  readonly text: string;
  /** White space and case aside: one memory of a repo for each. */
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
  /** Absent in rejections of version 0.1. */
  readonly scope?: (typeof REJECT_SCOPES)[number];
  /** Snoozed. */
  readonly until?: number | null;
}

export interface CandidateRecord {
  readonly id: string;
  readonly repoId: string;
  /** The scout that said it last. */
  readonly exploreRunId: string;
  readonly state: CandidateState;
  readonly proposal: Proposal;
  readonly baseSha: string | null;
  readonly isStale: boolean;
  /** Runs that did not bring it to an end. */
  readonly attempts: number;
  /** The last run that it was selected for. */
  readonly runId: string | null;
  readonly outcome: "delivered" | "already_fixed" | null;
  readonly reject: Rejection | null;
  /** Whether it ever was, whatever it is now. */
  readonly was: { readonly selected: boolean; readonly delivered: boolean };
  readonly createdAt: number;
}
