/**
 * Repositories of the panel. Those of an account have no owner parameter, so they cannot read another account's data. System queries run
 * before the account is known.
 */
import type { SigningKeyRepository } from "@triptych/encryption";
import type { MemoryKind, MemoryStatus, PlanId, RepoStatus, RunKind, RunPhase, RunState } from "@triptych/contracts";
import type {
  AiPolicyRecord,
  AccountRecord,
  LicenseRecord,
  MemoryRecord,
  Page,
  RepoRecord,
  RepoStats,
  RunRecord,
  SessionRecord,
  TokenRecord,
  CheckRecord,
} from "./records.ts";
import type { UsageRepository } from "./account-usage.ts";
import type { CandidateRepository } from "./candidates/repository.ts";
import type { ContactRepository, StatementRepository, UploadRepository } from "./delivery-repositories.ts";
import type { BusRepository, Buses, LastSeq } from "./bus-repositories.ts";
import type { RunEvent } from "./run-states.ts";
import type { DueSchedule, ScheduleRepository } from "./schedule-repository.ts";
import type { Fleet, WorkerRepository } from "./worker-repositories.ts";
import type { ContactRecord } from "./reachability-checks.ts";
import type { CheckTokenScope, RunTokenScope } from "./worker-tokens.ts";
import type { CheckRepository } from "./repo-checks.ts";
import type { EffectRecord, EffectRepository } from "./effects.ts";
import type { FollowUpRepository, PrWatch } from "./follow-ups.ts";
import type { QueueRepository } from "../queue/repository.ts";

export interface PanelStore extends AsyncDisposable {
  readonly system: SystemQueries;
  readonly fleet: Fleet;
  readonly expiredData: ExpiredData;
  readonly signingKeys: SigningKeyTable;
  of(owner: string): Repositories;
  readonly buses: Buses;
  /** One transaction. Transactions of one account are serialized: what `work` reads stays true until the commit. */
  change<T>(owner: string, work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /**
   * Calls `wake` for each thing changed by a commit of any account on any node, and with null when notifications may be lost. Only a hint:
   * callers must poll as well.
   */
  listen(wake: (hint: ChangeEvent | null) => void): Promise<() => Promise<void>>;
  /** Calls `listener` for each run transition that this process commits. */
  onMove(listener: (move: RunMove) => void): void;
  /** Null when the store is writable, else the reason. */
  writeError(): Promise<string | null>;
}

export interface RunMove {
  readonly from: RunState | null;
  readonly run: RunRecord;
  readonly at: number;
}

export interface ChangeEvent {
  readonly type: "run" | "bus" | "repo" | "memory" | "worker" | "candidate";
  readonly owner: string;
  readonly id: string;
  readonly repoId: string | null;
  /** Revision of the run or repo; last number of a bus; null for others. */
  readonly revision: number | null;
}

export interface SystemQueries {
  bySession(hash: string): Promise<{ readonly account: AccountRecord; readonly session: SessionRecord } | null>;
  byToken(hash: string): Promise<{ readonly account: AccountRecord; readonly token: TokenRecord } | null>;
  byEmail(email: string): Promise<{ readonly account: AccountRecord; readonly password: string } | null>;
  byLicense(hash: string): Promise<AccountRecord | null>;
  createAccount(account: NewAccount): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** Consumes a valid one-time link and returns its account. */
  takeLink(hash: string, now: number): Promise<AccountRecord | null>;
  /** The run of a run token, with its account. */
  runOfToken(scope: RunTokenScope): Promise<{ readonly account: AccountRecord; readonly run: RunRecord } | null>;
  /** The check of a check token, with its account; null if its id has changed. */
  checkOfToken(
    scope: CheckTokenScope,
  ): Promise<{ readonly account: AccountRecord; readonly check: CheckRecord } | null>;
  dueEffects(now: number, most: number): Promise<readonly (Pick<EffectRecord, "runId" | "kind"> & Owned)[]>;
  /** Shortens all effect leases to `until`, for the start of a single-node store. */
  cutEffectLeases(until: number): Promise<void>;
  dueWatches(now: number, most: number): Promise<readonly (Pick<PrWatch, "runId" | "repoId"> & Owned)[]>;
  /** Shortens all watch leases to `until`, for the start of a single-node store. */
  cutWatchLeases(until: number): Promise<void>;
  dueContacts(now: number, most: number): Promise<readonly (Pick<ContactRecord, "repoId"> & Owned)[]>;
  takeDueSchedules(take: {
    readonly now: number;
    readonly until: number;
    readonly most: number;
  }): Promise<readonly DueSchedule[]>;
  countRuns(): Promise<readonly { readonly state: RunState; readonly count: number }[]>;
  countEffects(): Promise<readonly (Pick<EffectRecord, "kind" | "state"> & { readonly count: number })[]>;
  /** Whether any bundle or artifact references these bytes. */
  needsBlob(sha256: string): Promise<boolean>;
  /** Deletes up to `most` uploads of runs that ended or rested before this time; returns the count. */
  forgetUploads(restedBefore: number, most: number): Promise<number>;
  agedRuns(queuedBefore: number, most: number): Promise<readonly { readonly owner: string; readonly id: string }[]>;
}

/** Each deletes the oldest first, up to `most`, and returns the count. */
export interface ExpiredData {
  removeAnswers(endedBefore: number, most: number): Promise<number>;
  removeSessions(before: { readonly createdAt: number; readonly seenAt: number }, most: number): Promise<number>;
  removeLinks(endedBefore: number, most: number): Promise<number>;
  removeFires(actedBefore: number, most: number): Promise<number>;
  /** Repos removed by then, with all their data. */
  forgetRepos(removedBefore: number, most: number): Promise<number>;
}

interface Owned {
  readonly owner: string;
}

export interface NewAccount {
  readonly account: AccountRecord;
  readonly password: string;
  readonly license: LicenseRecord;
  readonly token: TokenRecord;
}

/** Signing keys of the installation, shared by all accounts. */
export interface SigningKeyTable extends SigningKeyRepository {
  /** Audit log of the installation, for the operator. */
  note(entry: { readonly id: string; readonly what: string; readonly at: number }): Promise<void>;
}

export interface Repositories {
  readonly account: AccountRepository;
  readonly tokens: TokenRepository;
  readonly license: LicenseRepository;
  readonly repos: RepoRepository;
  readonly runs: RunRepository;
  readonly bus: BusRepository;
  readonly memories: MemoryRepository;
  readonly candidates: CandidateRepository;
  readonly once: IdempotencyStore;
  readonly workers: WorkerRepository;
  readonly queue: QueueRepository;
  readonly uploads: UploadRepository;
  readonly statements: StatementRepository;
  readonly effects: EffectRepository;
  readonly contacts: ContactRepository;
  readonly checks: CheckRepository;
  readonly followUps: FollowUpRepository;
  readonly usage: UsageRepository;
  readonly schedules: ScheduleRepository;
}

export interface AccountRepository {
  read(): Promise<AccountRecord>;
  setPlan(plan: PlanId): Promise<void>;
  setStatus(status: AccountRecord["status"]): Promise<void>;
  setPassword(password: string): Promise<void>;
  openSession(session: SessionRecord): Promise<void>;
  touchSession(hash: string, seenAt: number): Promise<void>;
  endSessions(hash: string | null): Promise<void>;
  /** Adds a link that is valid for one sign-in until `expiresAt`. */
  addLink(link: { readonly hash: string; readonly expiresAt: number }): Promise<void>;
  /** Audit log of keys and passwords, for the operator. */
  note(entry: { readonly id: string; readonly what: string; readonly at: number }): Promise<void>;
}

export interface TokenRepository {
  list(page: Page): Promise<readonly TokenRecord[]>;
  find(id: string): Promise<TokenRecord | null>;
  add(token: TokenRecord): Promise<void>;
  remove(id: string): Promise<boolean>;
}

export interface LicenseRepository {
  read(): Promise<LicenseRecord>;
  replace(license: LicenseRecord): Promise<void>;
}

export interface RepoFilter {
  readonly status?: RepoStatus | undefined;
  readonly q?: string | undefined;
}

export interface RepoRepository {
  find(id: string): Promise<RepoRecord | null>;
  list(filter: RepoFilter, page: Page): Promise<readonly RepoRecord[]>;
  count(): Promise<number>;
  withAddress(canonical: string): Promise<RepoRecord | null>;
  add(repo: RepoRecord): Promise<void>;
  /** Increments the revision; the caller has read the previous one. */
  save(repo: RepoRecord): Promise<void>;
  /** Not a setting: the revision stays, so that a check does not reject a change in progress. */
  notePolicy(id: string, policy: AiPolicyRecord): Promise<void>;
  /** Deletes the credential immediately, unless a push in progress needs it. */
  remove(id: string, at: number, how?: { readonly keepsCredential: boolean }): Promise<void>;
  findForPush(id: string): Promise<(RepoRecord & { readonly isRemoved: boolean }) | null>;
  destroyCredential(id: string): Promise<void>;
  /** Credentials of existing repos: that of the run's repo, then the newest, a hundred in all. */
  sealed(runId: string): Promise<readonly SealedCredential[]>;
  /** Null if the run's repo is gone. */
  variablesOf(runId: string): Promise<RunVariables | null>;
  stats(ids: readonly string[], since: number): Promise<ReadonlyMap<string, RepoStats>>;
}

export interface RunVariables extends Pick<RepoRecord, "id" | "revision" | "environment"> {}

export interface SealedCredential extends Pick<RepoRecord, "id" | "revision"> {
  readonly sealed: string;
}

export interface RunFilter {
  readonly repoId?: string | undefined;
  readonly state?: RunState | undefined;
  readonly phase?: RunPhase | undefined;
  readonly candidateId?: string | undefined;
  readonly kind?: RunKind | undefined;
  readonly since?: number | undefined;
}

export interface RunRepository {
  find(id: string): Promise<RunRecord | null>;
  list(filter: RunFilter, page: Page): Promise<readonly RunRecord[]>;
  /** Runs of a repo that have neither ended nor come to rest. */
  active(repoId: string): Promise<readonly RunRecord[]>;
  countSince(kind: RunKind, since: number): Promise<number>;
  /** Writes the run with its first transition, its `state` message and its effect in one commit. */
  add(run: RunRecord): Promise<LastSeq>;
  move(run: RunRecord, step: RunStep): Promise<LastSeq>;
  askToCancel(id: string, at: number): Promise<void>;
  /** Stores new facts and increments the revision; state and lease stay. */
  learn(run: RunRecord): Promise<void>;
}

export interface RunStep {
  readonly event: RunEvent;
  readonly from: RunState;
  readonly at: number;
}

export interface MemoryFilter {
  readonly status?: MemoryStatus | undefined;
  readonly kind?: MemoryKind | undefined;
}

export interface MemoryRepository {
  find(repoId: string, id: string): Promise<MemoryRecord | null>;
  withText(repoId: string, normalised: string): Promise<MemoryRecord | null>;
  list(repoId: string, filter: MemoryFilter, page: Page): Promise<readonly MemoryRecord[]>;
  count(repoId: string): Promise<number>;
  add(memory: MemoryRecord): Promise<void>;
  save(memory: MemoryRecord): Promise<void>;
  remove(repoId: string, id: string): Promise<boolean>;
  active(repoId: string): Promise<readonly MemoryRecord[]>;
  use(ids: readonly string[], at: number): Promise<void>;
}

export interface OnceEntry {
  /** Hashes of operation and key, and of the request. */
  readonly key: string;
  readonly payload: string;
  /** Encrypted: a response may contain a secret. */
  readonly answer: string;
  readonly expiresAt: number;
}

export interface IdempotencyStore {
  find(key: string, now: number): Promise<OnceEntry | null>;
  keep(entry: OnceEntry): Promise<void>;
}
