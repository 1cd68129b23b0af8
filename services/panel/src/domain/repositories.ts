/**
 * What the panel must remember, as verbs. Books belong to one account: none of their verbs takes an owner, so none can be asked
 * about another's. Doors are what is asked before the account is known.
 */
import type { MemoryKind, MemoryStatus, PlanId, RepoStatus, RunKind, RunPhase, RunState } from "@triptych/contracts";
import type {
  AccountRecord,
  LicenseRecord,
  MemoryRecord,
  RepoRecord,
  RepoStats,
  RunRecord,
  SessionRecord,
  TokenRecord,
} from "./records.ts";
import type { UsageRepository } from "./account-usage.ts";
import type { CandidateRepository } from "./candidate-repository.ts";
import type { ContactRepository, EffectRepository, UploadRepository } from "./delivery-repositories.ts";
import type { ExpiredData } from "./retention.ts";
import type { BusRepository, Buses, LastSeq } from "./bus-repositories.ts";
import type { RunEvent } from "./run-states.ts";
import type { DueSchedule, ScheduleRepository } from "./schedule-repository.ts";
import type { Fleet, QueueRepository, WorkerRepository } from "./worker-repositories.ts";
import type { ContactRecord } from "./reachability-checks.ts";
import type { CheckTokenScope } from "./check-tokens.ts";
import type { CheckRecord, CheckRepository } from "./repo-checks.ts";
import type { EffectRecord } from "./effects.ts";
import type { RunTokenScope } from "./run-tokens.ts";

export interface PanelStore extends AsyncDisposable {
  readonly system: SystemQueries;
  readonly fleet: Fleet;
  readonly expiredData: ExpiredData;
  /** Reads. */
  of(owner: string): Repositories;
  readonly buses: Buses;
  /** One commit, or nothing. Changes of one account come one by one: what `work` reads stays true until it commits. */
  change<T>(owner: string, work: (repositories: Repositories) => Promise<T>): Promise<T>;
  /**
   * Calls `wake` after each commit that changed something, of any account and on any node, for each thing it changed; with null when
   * some may have been missed. A hint only: whoever waits for something also looks now and then.
   */
  listen(wake: (hint: ChangeEvent | null) => void): Promise<() => Promise<void>>;
  /** Calls `hear` for each step of a run that this process has committed. */
  onMove(listener: (move: RunMove) => void): void;
  /** Null when the store takes writes, else why not. */
  writeFault(): Promise<string | null>;
}

export interface RunMove {
  /** Null: it was made. */
  readonly from: RunState | null;
  readonly run: RunRecord;
  readonly at: number;
}

export interface ChangeEvent {
  readonly type: "run" | "bus" | "repo" | "memory" | "worker" | "candidate";
  readonly owner: string;
  readonly id: string;
  readonly repoId: string | null;
  /** Of the run or repo; of a bus its last number. Null where the thing has none. */
  readonly revision: number | null;
}

export interface SystemQueries {
  bySession(hash: string): Promise<{ readonly account: AccountRecord; readonly session: SessionRecord } | null>;
  byToken(hash: string): Promise<{ readonly account: AccountRecord; readonly token: TokenRecord } | null>;
  byEmail(email: string): Promise<{ readonly account: AccountRecord; readonly password: string } | null>;
  /** The account of a licence key that is valid now. */
  byLicense(hash: string): Promise<AccountRecord | null>;
  /** False where the e-mail is taken. */
  createAccount(account: NewAccount): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** The account of a one-time link that is still good; it is good no more. */
  takeLink(hash: string, now: number): Promise<AccountRecord | null>;
  /** The run that a run token names, with its account. */
  runOfToken(scope: RunTokenScope): Promise<{ readonly account: AccountRecord; readonly run: RunRecord } | null>;
  /** The check that a check token names, with its account; null where its id is another one by now. */
  checkOfToken(
    scope: CheckTokenScope,
  ): Promise<{ readonly account: AccountRecord; readonly check: CheckRecord } | null>;
  /** Effects that nobody has in hand, most overdue first. */
  dueEffects(now: number, most: number): Promise<readonly (Pick<EffectRecord, "runId" | "kind"> & Owned)[]>;
  /** No effect is in anybody's hand beyond `until`: for a start where nobody else can be. */
  cutEffectLeases(until: number): Promise<void>;
  dueContacts(now: number, most: number): Promise<readonly (Pick<ContactRecord, "repoId"> & Owned)[]>;
  /** Schedules whose time has come, most overdue first; nobody else is given them until then. */
  takeDueSchedules(take: {
    readonly now: number;
    readonly until: number;
    readonly most: number;
  }): Promise<readonly DueSchedule[]>;
  /** Of runs that have not ended, by their states; states without any are left out. */
  countRuns(): Promise<readonly { readonly state: RunState; readonly count: number }[]>;
  /** Of those that are not over. */
  countEffects(): Promise<readonly (Pick<EffectRecord, "kind" | "state"> & { readonly count: number })[]>;
  /** Whether a bundle or artefact of anybody has these bytes. */
  needsBlob(sha256: string): Promise<boolean>;
  /** Forgets at most so many uploads of runs that ended, or came to rest where they were pushed, before then; answers how many. */
  forgetUploads(restedBefore: number, most: number): Promise<number>;
  /** Runs that nobody took since then, oldest first. */
  agedRuns(queuedBefore: number, most: number): Promise<readonly { readonly owner: string; readonly id: string }[]>;
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

export interface Page {
  /** Ids below this one; from the newest when null. */
  readonly below: string | null;
  readonly limit: number;
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
  readonly effects: EffectRepository;
  readonly contacts: ContactRepository;
  readonly checks: CheckRepository;
  readonly usage: UsageRepository;
  readonly schedules: ScheduleRepository;
}

export interface AccountRepository {
  read(): Promise<AccountRecord>;
  setPlan(plan: PlanId): Promise<void>;
  setStatus(status: AccountRecord["status"]): Promise<void>;
  /** Ends all sessions. */
  setPassword(password: string): Promise<void>;
  openSession(session: SessionRecord): Promise<void>;
  touchSession(hash: string, seenAt: number): Promise<void>;
  /** All of them when null. */
  endSessions(hash: string | null): Promise<void>;
  /** Signs in once, until then. */
  addLink(link: { readonly hash: string; readonly expiresAt: number }): Promise<void>;
  /** What was done with keys and passwords, for the operator. */
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
  /** Raises its revision by one; the caller has read the one before. */
  save(repo: RepoRecord): Promise<void>;
  /** Destroys the credential at once, unless a push that is under way still needs it. */
  remove(id: string, at: number, how?: { readonly keepsCredential: boolean }): Promise<void>;
  /** Also one that was removed. */
  findForPush(id: string): Promise<(RepoRecord & { readonly isRemoved: boolean }) | null>;
  destroyCredential(id: string): Promise<void>;
  /** Credentials of repos that are there: that of the run's own, and the newest, a hundred in all. */
  sealed(runId: string): Promise<readonly SealedCredential[]>;
  /** Null where the repo of the run is gone. */
  variablesOf(runId: string): Promise<RunVariables | null>;
  stats(ids: readonly string[], since: number): Promise<ReadonlyMap<string, RepoStats>>;
}

/** Variables of the repo that a run works on. */
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
  /** With its first transition, a message of kind `state` on its bus and the effect that the state asks for, in the same commit. */
  add(run: RunRecord): Promise<LastSeq>;
  /** As with `add`. */
  move(run: RunRecord, step: RunStep): Promise<LastSeq>;
  askToCancel(id: string, at: number): Promise<void>;
  /** Writes what became known of it, and raises its revision; state and lease stay. */
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
  /** Those that a run may be told: active ones. */
  active(repoId: string): Promise<readonly MemoryRecord[]>;
  /** They were told to a run. */
  use(ids: readonly string[], at: number): Promise<void>;
}

export interface OnceEntry {
  /** Hashes of operation and key, and of what was sent. */
  readonly key: string;
  readonly payload: string;
  /** Sealed: an answer may hold a secret. */
  readonly answer: string;
  readonly expiresAt: number;
}

export interface IdempotencyStore {
  find(key: string, now: number): Promise<OnceEntry | null>;
  keep(entry: OnceEntry): Promise<void>;
}
