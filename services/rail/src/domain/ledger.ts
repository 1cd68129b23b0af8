/**
 * What the rail must remember, as verbs of its domain. Every verb that writes is one commit: it resolves after the commit is on disk
 * and does everything or nothing. Stores differ in how they lock; the rules are those of this folder.
 */
import type { ChargeState, EntryKind, StarterState, TopupState, UsageBucket, WalletState } from "@triptych/contracts";
import type { Head } from "./anchor.ts";
import type { AuditOptions, AuditReport } from "./audit.ts";
import type { ClientKey, LedgerCharge, LedgerWallet, Transfer } from "./unit-of-work.ts";
import type { BatchOutcome, GatewayBatch, HelloInput } from "./charge-batch.ts";
import type { JournalEntry } from "./entry.ts";
import type { Operated } from "./movements.ts";
import type { Context } from "./post-entry.ts";
import type { LedgerTopup, TopupEvent } from "./topup-state.ts";

/** A wallet with what is not money. The e-mail is ciphertext under a key of its own, which closing destroys. */
export interface WalletRecord extends LedgerWallet {
  readonly label: string | null;
  readonly emailSealed: Uint8Array | null;
  /** HMAC of the canonical address, hex: finds the wallets of an address without knowing it. */
  readonly emailLookup: string | null;
  readonly tokenHint: string;
  readonly lowBalanceMicro: number;
  readonly createdAt: number;
}

export interface NewWallet {
  readonly id: string;
  readonly label: string | null;
  readonly emailSealed: Uint8Array;
  readonly emailLookup: string;
  readonly tokenHash: string;
  readonly tokenHint: string;
  /** For the guards of starter credit: the address's network (IPv4 or IPv6 /64), hashed. */
  readonly network: string;
  readonly judgeStarter: StarterPolicy;
}

/**
 * What becomes of the starter credit, by all grants of the last 30 days and all that the e-mail address ever had. Asked inside the
 * commit, while nobody else is granted any: of two wallets of one address that are made at once, one gets it.
 */
export type StarterPolicy = (grants: readonly StarterGrant[]) => StarterState;

export interface StarterOutcome {
  readonly wallet: WalletRecord;
  readonly starter: StarterState;
}

export type StoreMode = "test" | "live";

export interface Ledger extends AsyncDisposable {
  // Between gateway and rail
  hello(greeting: HelloInput, context: Context): Promise<{ readonly voided: number } | null>;
  /** Any number of batches, of different gateways, in one commit; outcomes in their order. */
  applyBatches(batches: readonly GatewayBatch[], context: Context): Promise<readonly BatchOutcome[]>;
  /** Lapsed leases, overdue charges, ended promos, old keys and sealed responses; at most `limit` of each. Answers what it did. */
  sweep(context: Context, limit: number): Promise<SweepResult>;
  walletOf(tokenHash: string, now: number): Promise<WalletRecord | null>;
  sealedResponse(chargeId: string): Promise<string | null>;

  // Wallets
  createWallet(wallet: NewWallet, context: Context): Promise<StarterOutcome>;
  /** Of a wallet whose address was verified: judged anew if it waits for that, else as it was. null when there is no such open wallet. */
  verifyStarter(id: string, judge: StarterPolicy, context: Context): Promise<StarterOutcome | null>;
  /** Open wallets of an address, newest first, at most `limit`. */
  walletsOfEmail(emailLookup: string, limit: number): Promise<readonly WalletRecord[]>;
  wallet(id: string): Promise<WalletRecord | null>;
  changeWallet(id: string, change: WalletChange): Promise<WalletRecord | null>;
  /** Closed for ever: tokens end, the sealed e-mail is destroyed. null when there is no such wallet. */
  closeWallet(id: string, context: Context): Promise<WalletRecord | null>;
  /** Between active and frozen; null when there is no such wallet, the record unchanged when it is closed. */
  setFrozen(id: string, frozen: boolean, by: Operated & { readonly context: Context }): Promise<WalletRecord | null>;
  /** false: the wallet is closed, or the token that asks is dead by now, and nothing is made that would open it. */
  rotateToken(id: string, rotation: TokenRotation): Promise<boolean>;
  /** null: there is no such wallet; "too_low": it holds less than that. */
  adjust(
    id: string,
    adjustment: Operated & { readonly amountMicro: number; readonly context: Context },
  ): Promise<WalletRecord | "too_low" | "closed" | null>;

  // Reading
  /** Newest first, from `before` (exclusive) downwards. */
  entries(walletId: string, filter: EntryFilter): Promise<readonly JournalEntry[]>;
  /** Number of the first entry that is not older than `at`; null when there is none yet. */
  firstSince(walletId: string, at: number): Promise<number | null>;
  usage(
    walletId: string,
    span: { readonly from: number; readonly to: number; readonly by: UsageBucket },
  ): Promise<readonly UsageSum[]>;
  charge(id: string): Promise<LedgerCharge | null>;
  /** The charge of a key, unless it was reversed. */
  chargeOfKey(key: ClientKey): Promise<LedgerCharge | null>;

  // Payments
  createTopup(topup: LedgerTopup): Promise<void>;
  attachCheckout(
    id: string,
    checkout: { readonly sessionRef: string; readonly checkoutUrl: string | null; readonly expiresAt: number | null },
  ): Promise<void>;
  topup(id: string): Promise<LedgerTopup | null>;
  topupBySession(provider: string, sessionRef: string): Promise<LedgerTopup | null>;
  topups(filter: TopupFilter): Promise<readonly LedgerTopup[]>;
  /** By the state table: credits once whatever comes how often. Answers the top-up after it, and whether it changed. */
  applyTopupEvent(
    id: string,
    event: TopupEvent,
    by: { readonly context: Context; readonly operated?: Operated; readonly providerEvent?: string },
  ): Promise<{ readonly topup: LedgerTopup; readonly changed: boolean } | null>;
  /** Pending top-ups whose provider should be asked now; each answer moves its next look. */
  topupsToCheck(now: number, limit: number): Promise<readonly LedgerTopup[]>;
  postponeCheck(id: string, checkAt: number | null): Promise<void>;
  refundCharge(id: string, by: Operated & { readonly context: Context }): Promise<LedgerCharge | "state" | null>;

  // Purchases
  buy(purchase: NewPurchase, context: Context): Promise<PurchaseOutcome>;
  entitlements(walletId: string): Promise<readonly PurchaseRecord[]>;
  entitlement(walletId: string, sku: string, ref: string): Promise<PurchaseRecord | null>;
  purchase(id: string): Promise<PurchaseRecord | null>;

  // Keys, idempotency, proof
  /** The mode of the store: that of whoever asked first. Test money must never become live money. */
  claimMode(mode: StoreMode): Promise<StoreMode>;
  signingKeys(): Promise<readonly StoredSigningKey[]>;
  knownTime(): Promise<KnownTime>;
  /** The ledger has reached this time; an earlier one than is known changes nothing. */
  keepTime(at: number): Promise<void>;
  /** The clock may be so far behind the time of the ledger. */
  confirmLag(lagMs: number): Promise<void>;
  /** Whether any promo credit or client key ends after the first time and until the second. */
  endsBetween(after: number, until: number): Promise<boolean>;
  /** Adds it if there are just the keys that the caller knows: what it decides by is still so. false: there are others. */
  addSigningKey(key: StoredSigningKey, expectedKids: readonly string[]): Promise<boolean>;
  /** Writes it anew under its `kid`. */
  changeSigningKey(key: StoredSigningKey): Promise<void>;
  /**
   * A creating call: what `work` does, and the answer that it gives, are one commit under the name. Whoever comes with the name while
   * it lasts is told that answer; whoever comes at the same moment waits for it. When `work` throws, nothing was done. It may run
   * more than once, and of its runs one counts.
   */
  once(once: Once, work: (creating: CreatingLedger) => Promise<string>): Promise<OnceState>;
  /** Another answer for what was kept, unless somebody was faster. The answer that is kept now; null when there is none. */
  keepOnce(name: string, change: { readonly before: string; readonly answer: string }): Promise<string | null>;
  /** Lets go of the name, if it still keeps this answer; false when it does not. */
  forgetOnce(name: string, answer: string): Promise<boolean>;
  /** Every row of the ledger in an unchanging order, for audit and export. */
  transfers(): AsyncIterable<readonly Transfer[]>;
  allEntries(): AsyncIterable<readonly JournalEntry[]>;
  allCharges(): AsyncIterable<readonly LedgerCharge[]>;
  accountTotals(): Promise<ReadonlyMap<string, number>>;
  walletHeads(): Promise<readonly LedgerWallet[]>;
  /** Looks at every row, of one unchanging moment, beside whoever writes. */
  audit(options?: AuditOptions): Promise<AuditReport>;
  /** Heads of wallets behind this id, by id; those without entries have none. */
  headsAfter(walletId: string, limit: number): Promise<readonly Head[]>;
  /** Entries at the numbers of these heads, in any order. */
  entriesAt(heads: readonly Pick<Head, "walletId" | "seq">[]): Promise<readonly JournalEntry[]>;
  /** What is wrong with the wallets that moved last, in bounded time. */
  recentFaults(): Promise<readonly string[]>;
  /** For who watches: what waits, how long, and whether the sum of all accounts is zero. */
  figures(now: number): Promise<LedgerFigures>;
  /** Commits a small write, at most once a second: null when it is on the disk, else why not. */
  writeFault(): Promise<string | null>;
}

/** What may be done in one commit with the answer of a creating call. */
export type CreatingLedger = Pick<
  Ledger,
  "createWallet" | "verifyStarter" | "wallet" | "rotateToken" | "adjust" | "buy" | "createTopup"
>;

export interface LedgerFigures {
  /** Charges that no gateway has acknowledged yet, and the age of the oldest. */
  readonly unacknowledged: number;
  readonly oldestUnacknowledgedMs: number;
  readonly liveGateways: number;
  /** How long the longest lapsed lease has been over; 0 while the sweep keeps up. */
  readonly lapsedLeaseMs: number;
  /** How long a payment has been waiting for the reconciler to ask about it; 0 while it keeps up. */
  readonly overdueCheckMs: number;
  /** Of all accounts: 0 in a sound ledger. */
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
}

export interface TokenRotation {
  /**
   * The token that asks, which has to be good when it is its turn, by the clock of that moment: of two that ask with it at once and leave
   * it no grace, the later one would end the other's new token.
   */
  readonly asking?: { readonly tokenHash: string; readonly clock: () => number };
  readonly tokenHash: string;
  readonly tokenHint: string;
  /** When all tokens before it end. */
  readonly previousUntil: number;
  readonly now: number;
}

export interface StarterGrant {
  readonly emailLookup: string;
  readonly network: string;
  readonly amountMicro: number;
  readonly at: number;
}

export interface EntryFilter {
  readonly kinds: readonly EntryKind[];
  readonly since: number | null;
  readonly until: number | null;
  /** Entries below this number; null from the newest. */
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
  /** Ids below this one; null from the newest. */
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

/** A purchase with all that its receipt says. Its entitlement has an id of its own. */
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
  /** What can be spent on it: paid money only. */
  | { readonly kind: "too_low"; readonly balanceMicro: number }
  | { readonly kind: "frozen" };

export interface StoredSigningKey {
  readonly kid: string;
  /** Public point, base64url. */
  readonly x: string;
  /** Private key in PKCS #8, sealed under the secret of the installation. */
  readonly sealed: string;
  readonly createdAt: number;
  readonly activeFrom: number;
  /** When it was revoked; a key that another one follows in time is retired by that alone. */
  readonly retiredAt: number | null;
  /** Compromised: what it signed from this time on proves nothing. */
  readonly notAfter: number | null;
}

/** What the store knows of the time; null before anything was kept. */
export interface KnownTime {
  readonly knownAt: number | null;
  readonly newestEntryAt: number | null;
  readonly confirmedLagMs: number;
}

export interface Once {
  /** Caller, operation and key, hashed together. */
  readonly name: string;
  /** Hash of the payload. */
  readonly payload: string;
  readonly now: number;
  /** Names that end until this time may be used again; `now` when absent. */
  readonly expiryTime?: number;
  /** How long the name is kept. */
  readonly expiresAt: number;
}

export type OnceState =
  | { readonly kind: "first" | "done"; readonly answer: string }
  | { readonly kind: "other_payload" };

export type { ChargeState, WalletState };
