/**
 * The ledger repository. Every write function is one commit: all or nothing, and it resolves once the data is on disk.
 * Stores differ only in locking; the rules are in this folder.
 */
import type { EntryKind, StarterState, TopupState, UsageBucket } from "@triptych/contracts";
import type { StoredSigningKey } from "@triptych/encryption";
import type { AutoTopupLedger } from "./auto-topup.ts";
import type { Head } from "./anchor.ts";
import type { AuditOptions, AuditReport } from "./audit.ts";
import type { Caps } from "./caps.ts";
import type { ClientKey, LedgerCharge, LedgerWallet, Transfer } from "./unit-of-work.ts";
import type { BatchOutcome, GatewayBatch, HelloInput } from "./charge-batch.ts";
import type { JournalEntry } from "./entry.ts";
import type { Operated } from "./movements.ts";
import type { Acting, OperatorLog } from "./operator-log.ts";
import type { Context } from "./post-entry.ts";
import type { SubTokenLedger, SubTokenRecord, TokenRotation } from "./sub-tokens.ts";
import type { LedgerTopup, TopupEvent } from "./topup-state.ts";

export type { StoredSigningKey } from "@triptych/encryption";

/** A wallet with its other fields. Closing it destroys the key that encrypts its email address. */
export interface WalletRecord extends LedgerWallet {
  readonly label: string | null;
  readonly emailSealed: Uint8Array | null;
  /** HMAC of the canonical address, hex: finds the wallets of an address without storing it. */
  readonly emailLookup: string | null;
  readonly tokenHint: string;
  readonly lowBalanceMicro: number;
  /** Percentages of a cap at which a mail is sent. */
  readonly alerts: readonly number[];
  readonly createdAt: number;
}

/** The wallet of a token; `token` is null for the main token. */
export interface TokenWallet extends WalletRecord {
  readonly token: SubTokenRecord | null;
}

export interface NewWallet {
  readonly id: string;
  readonly label: string | null;
  readonly emailSealed: Uint8Array;
  readonly emailLookup: string;
  readonly tokenHash: string;
  readonly tokenHint: string;
  /** Hashed network of the address (IPv4 or IPv6 /64), for the limits of starter credit. */
  readonly network: string;
  readonly judgeStarter: StarterPolicy;
}

/**
 * Decides about starter credit from all grants of the last 30 days and all grants of the email address. Runs inside the
 * commit, serialized, so that of two wallets created concurrently for one address only one gets the credit.
 */
export type StarterPolicy = (grants: readonly StarterGrant[]) => StarterState;

export interface StarterOutcome {
  readonly wallet: WalletRecord;
  readonly starter: StarterState;
}

export type StoreMode = "test" | "live";

export interface Ledger extends AsyncDisposable, AutoTopupLedger, SubTokenLedger, OperatorLog {
  hello(greeting: HelloInput, context: Context): Promise<{ readonly voided: number } | null>;
  /** Applies batches of different gateways in one commit; outcomes are in the same order. */
  applyBatches(batches: readonly GatewayBatch[], context: Context): Promise<readonly BatchOutcome[]>;
  /**
   * Handles expired leases, overdue charges, expired promos, old keys and stored responses; at most `limit` of each.
   */
  sweep(context: Context, limit: number): Promise<SweepResult>;
  walletOf(tokenHash: string, now: number): Promise<TokenWallet | null>;
  sealedResponse(chargeId: string): Promise<string | null>;

  createWallet(wallet: NewWallet, context: Context): Promise<StarterOutcome>;
  /**
   * Decides about pending starter credit after the address was verified; other states do not change. Null if there is
   * no such open wallet.
   */
  verifyStarter(id: string, judge: StarterPolicy, context: Context): Promise<StarterOutcome | null>;
  /** Open wallets of an address, newest first, at most `limit`. */
  walletsOfEmail(emailLookup: string, limit: number): Promise<readonly WalletRecord[]>;
  wallet(id: string): Promise<WalletRecord | null>;
  changeWallet(id: string, change: WalletChange): Promise<WalletRecord | null>;
  /** Closing is final: tokens and the email address are destroyed. Null if there is no such wallet. */
  closeWallet(id: string, context: Context): Promise<WalletRecord | null>;
  /** Switches between active and frozen. A closed wallet is returned unchanged. Null if there is no such wallet. */
  setFrozen(id: string, frozen: boolean, by: Operated & { readonly context: Context }): Promise<WalletRecord | null>;
  /** Returns false and creates no token if the wallet is closed or the calling token has expired in the meantime. */
  rotateToken(id: string, rotation: TokenRotation): Promise<boolean>;
  /** Null if there is no such wallet; "too_low" if the balance is lower than the amount. */
  adjust(
    id: string,
    adjustment: Operated & { readonly amountMicro: number; readonly context: Context },
  ): Promise<WalletRecord | "too_low" | "closed" | null>;

  entries(walletId: string, filter: EntryFilter): Promise<readonly JournalEntry[]>;
  /** Number of the first entry at or after `at`; null if there is none. */
  firstSince(walletId: string, at: number): Promise<number | null>;
  usage(
    walletId: string,
    span: { readonly from: number; readonly to: number; readonly by: UsageBucket; readonly tokenId?: string | null },
  ): Promise<readonly UsageSum[]>;
  charge(id: string): Promise<LedgerCharge | null>;
  /** The charge of a key, unless reversed. */
  chargeOfKey(key: ClientKey): Promise<LedgerCharge | null>;

  createTopup(topup: LedgerTopup): Promise<void>;
  attachCheckout(
    id: string,
    checkout: { readonly sessionRef: string; readonly checkoutUrl: string | null; readonly expiresAt: number | null },
  ): Promise<void>;
  topup(id: string): Promise<LedgerTopup | null>;
  topupBySession(provider: string, sessionRef: string): Promise<LedgerTopup | null>;
  topups(filter: TopupFilter): Promise<readonly LedgerTopup[]>;
  /** Applies the state table: repeated events credit money once. Returns the top-up and whether it changed. */
  applyTopupEvent(
    id: string,
    event: TopupEvent,
    by: { readonly context: Context; readonly operated?: Operated; readonly providerEvent?: string },
  ): Promise<{ readonly topup: LedgerTopup; readonly changed: boolean } | null>;
  /** Pending top-ups that are due for a check with their provider; each check schedules the next. */
  topupsToCheck(now: number, limit: number): Promise<readonly LedgerTopup[]>;
  postponeCheck(id: string, checkAt: number | null): Promise<void>;
  refundCharge(id: string, by: Operated & { readonly context: Context }): Promise<LedgerCharge | "state" | null>;

  buy(purchase: NewPurchase, context: Context): Promise<PurchaseOutcome>;
  entitlements(walletId: string): Promise<readonly PurchaseRecord[]>;
  entitlement(walletId: string, sku: string, ref: string): Promise<PurchaseRecord | null>;
  purchase(id: string): Promise<PurchaseRecord | null>;

  /** The mode of the store, set by the first caller. Test money must never become live money. */
  claimMode(mode: StoreMode): Promise<StoreMode>;
  /** The encrypted secret of names; null before the first start. */
  namesSecret(): Promise<string | null>;
  /** Stores it unless another process was faster. Returns the one that counts. */
  claimNamesSecret(sealed: string): Promise<string>;
  signingKeys(): Promise<readonly StoredSigningKey[]>;
  readTime(): Promise<KnownTime>;
  /** Stores the time of the ledger; an earlier time changes nothing. */
  saveTime(at: number): Promise<void>;
  /** Stores how far the clock may lag behind the ledger. */
  confirmLag(lagMs: number): Promise<void>;
  /** Records that an operator confirmed the clock. */
  recordConfirmation(by: Acting): Promise<void>;
  /** Whether any promo credit or client key expires in (`after`, `until`]. */
  endsBetween(after: number, until: number): Promise<boolean>;
  /**
   * Adds the key only if the store has exactly the expected keys, so that the caller's decision is still valid;
   * otherwise returns false. `by` is the operator who rotates keys.
   */
  addSigningKey(key: StoredSigningKey, expectedKids: readonly string[], by?: Acting): Promise<boolean>;
  /** `by` revokes the key. */
  changeSigningKey(key: StoredSigningKey, by: Acting): Promise<void>;
  /**
   * Runs a create call: the effect of `work` and its response are committed together under the name. A repeated call
   * gets the stored response; a concurrent call waits. If `work` throws, nothing is stored. It may run more than once,
   * but only one run takes effect.
   */
  once(once: Once, work: (creating: CreatingLedger) => Promise<string>): Promise<OnceState>;
  keepOnce(name: string, change: { readonly before: string; readonly answer: string }): Promise<string | null>;
  forgetOnce(name: string, answer: string): Promise<boolean>;
  /** Every row of the ledger in a stable order, for audit and export. */
  transfers(): AsyncIterable<readonly Transfer[]>;
  allEntries(): AsyncIterable<readonly JournalEntry[]>;
  allCharges(): AsyncIterable<readonly LedgerCharge[]>;
  accountTotals(): Promise<ReadonlyMap<string, number>>;
  walletHeads(): Promise<readonly LedgerWallet[]>;
  /** Reads every row in one snapshot, concurrently with writers. */
  audit(options?: AuditOptions): Promise<AuditReport>;
  headsAfter(walletId: string, limit: number): Promise<readonly Head[]>;
  entriesAt(heads: readonly Pick<Head, "walletId" | "seq">[]): Promise<readonly JournalEntry[]>;
  /** Faults of the most recently changed wallets, in bounded time. */
  recentIssues(): Promise<readonly string[]>;
  figures(now: number): Promise<LedgerFigures>;
  /** Commits a small write, at most once a second. Returns null if it is on disk, otherwise the reason. */
  writeError(): Promise<string | null>;
}

/** Operations that may share the commit of a create call. */
export type CreatingLedger = Pick<
  Ledger,
  | "createWallet"
  | "verifyStarter"
  | "wallet"
  | "autoTopup"
  | "rotateToken"
  | "createSubToken"
  | "adjust"
  | "buy"
  | "createTopup"
>;

export interface LedgerFigures {
  readonly unacknowledged: number;
  readonly oldestUnacknowledgedMs: number;
  readonly liveGateways: number;
  /** How long ago the oldest unswept lease expired; 0 while the sweep keeps up. */
  readonly lapsedLeaseMs: number;
  /** How long the oldest payment is overdue for reconciliation; 0 while the reconciler keeps up. */
  readonly overdueCheckMs: number;
  /** Sum of all accounts; 0 in a sound ledger. */
  readonly sumMicro: number;
}

export interface SweepResult {
  readonly voidedByLease: number;
  readonly voidedUnacknowledged: number;
  readonly promosExpired: number;
  readonly removed: number;
}

export interface WalletChange {
  readonly label?: string | null;
  readonly lowBalanceMicro?: number;
  /** Caps to change; null removes one. */
  readonly caps?: Partial<Caps>;
  readonly alerts?: readonly number[];
}

export interface StarterGrant {
  readonly emailLookup: string;
  readonly network: string;
  readonly amountMicro: number;
  readonly at: number;
}

export interface EntryFilter {
  /** Entries of this sub-token only. */
  readonly tokenId?: string | null;
  readonly kinds: readonly EntryKind[];
  readonly since: number | null;
  readonly until: number | null;
  /** Entries below this number; null starts at the newest. */
  readonly before: number | null;
  readonly limit: number;
}

export interface UsageSum {
  readonly bucket: string;
  readonly decisions: number;
  readonly amountMicro: number;
}

export interface TopupFilter {
  readonly walletId: string | null;
  readonly states: readonly TopupState[];
  /** Ids below this one; null starts at the newest. */
  readonly before: string | null;
  readonly limit: number;
}

export interface NewPurchase {
  readonly walletId: string;
  readonly sku: string;
  readonly ref: string;
  readonly priceId: string;
  readonly amountMicro: number;
}

/** A purchase with all fields of its receipt. Its entitlement has a separate id. */
export interface PurchaseRecord extends NewPurchase {
  readonly id: string;
  readonly entitlementId: string;
  readonly issuer: string;
  readonly kid: string;
  readonly walletSeq: number;
  readonly balanceAfterMicro: number;
  readonly prev: string;
  readonly createdAt: number;
}

export type PurchaseOutcome =
  | { readonly kind: "bought" | "bought_before"; readonly purchase: PurchaseRecord }
  /** The available balance: paid money only. */
  | { readonly kind: "too_low"; readonly balanceMicro: number }
  | { readonly kind: "frozen" };

/** The stored time; null before the first write. */
export interface KnownTime {
  readonly savedTime: number | null;
  readonly newestEntryAt: number | null;
  readonly confirmedLagMs: number;
}

export interface Once {
  readonly name: string;
  readonly payload: string;
  readonly now: number;
  /** Names that end by this time may be reused; defaults to `now`. */
  readonly expiryTime?: number;
  readonly expiresAt: number;
}

export type OnceState =
  | { readonly kind: "first" | "done"; readonly answer: string }
  | { readonly kind: "other_payload" };
