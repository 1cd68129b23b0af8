/**
 * The unit of work of one commit: rows that the rules read and change in memory. A store loads the rows, runs the work
 * synchronously and writes the changes atomically. This way, the rules are plain functions for every store.
 */
import type { ChargeState, VoidReason, WalletState } from "@triptych/contracts";
import type { Caps, Spend } from "./caps.ts";
import type { JournalEntry } from "./entry.ts";

export interface LedgerWallet {
  readonly id: string;
  readonly status: WalletState;
  readonly paidMicro: number;
  readonly promoMicro: number;
  /** Expiry of the promo balance in milliseconds; null if there never was one. */
  readonly promoExpiresAt: number | null;
  readonly seq: number;
  readonly head: string;
  readonly caps: Caps;
  readonly spend: Spend;
}

/** A token that pays from a wallet within its own caps. The wallet's main token has no such row. */
export interface SubToken {
  readonly id: string;
  readonly walletId: string;
  readonly tokenHash: string;
  /** Operations it may pay for; null for all. */
  readonly ops: readonly string[] | null;
  readonly caps: Caps;
  readonly spend: Spend;
}

/** A gateway's attempt to charge, identified by these three fields. */
export interface Attempt {
  readonly instance: string;
  readonly boot: string;
  readonly seq: number;
}

export interface LedgerCharge extends Attempt {
  readonly id: string;
  readonly walletId: string;
  readonly state: ChargeState;
  readonly op: string;
  readonly qty: number;
  readonly priceId: string;
  readonly amountMicro: number;
  /** The part taken from the promo bucket. */
  readonly promoMicro: number;
  /** The revenue account that was credited; a void debits it again. */
  readonly revenue: string;
  /** SHA-256 of the client's key, hex; null without a key and after the key is freed. */
  readonly keyHash: string | null;
  /** First 16 bytes of the same hash, base64url; kept for the receipt. */
  readonly idk: string | null;
  readonly req: string;
  readonly res: string;
  readonly issuer: string;
  /** Id of the key that signs its receipt. */
  readonly kid: string;
  readonly entryId: string;
  readonly walletSeq: number;
  readonly balanceAfterMicro: number;
  /** Hash of the previous entry. */
  readonly prev: string;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  readonly voidedAt: number | null;
  readonly voidReason: VoidReason | null;
  /** The sub-token that paid; null for the main token. */
  readonly tokenId: string | null;
  /** What the token could spend after the charge; null if only the balance limited it. */
  readonly spendableMicro: number | null;
}

/** One start of a gateway process. At most one boot per instance is live. */
export interface Boot {
  readonly instance: string;
  readonly boot: string;
  readonly state: "live" | "fenced";
  readonly leaseUntil: number;
  /** Watermark: every attempt up to it is finished. */
  readonly through: number;
}

/**
 * Debits one account and credits another. Transfers are never changed or removed, only undone by a reversing transfer.
 */
export interface Transfer {
  readonly id: string;
  readonly entryId: string;
  readonly debit: string;
  readonly credit: string;
  readonly amountMicro: number;
  readonly reverses: string | null;
  readonly at: number;
  readonly operator: string | null;
  readonly reason: string | null;
}

/** Delivered charges of a gateway: all charges of its boot up to `through`, and some above it. */
export interface Acknowledgement extends Pick<Boot, "instance" | "boot"> {
  readonly after: number;
  readonly through: number;
  readonly also: readonly number[];
  readonly at: number;
}

export interface SealedResponse {
  readonly chargeId: string;
  readonly sealed: string;
}

/**
 * The rows that the store loaded: at least those that the work needs. Exception: posted charges that are only
 * acknowledged may be missing if the store applies `Changes.acknowledged` itself, because there are as many of them as
 * charges.
 */
export interface LoadedRows {
  readonly wallets: readonly LedgerWallet[];
  /** Wallet id by the hash of each valid token. */
  readonly tokens: ReadonlyMap<string, string>;
  /** The sub-tokens among the tokens, and those of the charges below. */
  readonly subTokens: readonly SubToken[];
  readonly charges: readonly LedgerCharge[];
  readonly boots: readonly Boot[];
  /** Attempts that were voided before they arrived. */
  readonly tombstones: readonly Attempt[];
}

/** Changes to write, in their order. */
export interface Changes {
  readonly wallets: readonly LedgerWallet[];
  /** Tokens whose spend changed. */
  readonly subTokens: readonly SubToken[];
  /** New or changed rows; `isNew` distinguishes them. */
  readonly charges: readonly { readonly charge: LedgerCharge; readonly isNew: boolean }[];
  readonly boots: readonly Boot[];
  /**
   * Acknowledgements from gateways. Loaded charges are also in `charges`. A charge that `charges` marks as voided stays
   * voided.
   */
  readonly acknowledged: readonly Acknowledgement[];
  readonly entries: readonly JournalEntry[];
  readonly transfers: readonly Transfer[];
  readonly tombstones: readonly Attempt[];
  readonly responses: readonly SealedResponse[];
}

export interface UnitOfWork {
  wallet(id: string): LedgerWallet | undefined;
  walletOf(tokenHash: string): LedgerWallet | undefined;
  /** Undefined for a main token. */
  subTokenOf(tokenHash: string): SubToken | undefined;
  subToken(id: string): SubToken | undefined;
  charge(id: string): LedgerCharge | undefined;
  attempted(attempt: Attempt): LedgerCharge | undefined;
  /** The effective charge of this key: posted, delivered or refunded. */
  keyed(key: ClientKey): LedgerCharge | undefined;
  posted(boot: Pick<Boot, "instance" | "boot">): readonly LedgerCharge[];
  boot(boot: Pick<Boot, "instance" | "boot">): Boot | undefined;
  liveBoot(instance: string): Boot | undefined;
  hasTombstone(attempt: Attempt): boolean;

  saveWallet(wallet: LedgerWallet): void;
  saveSubToken(token: SubToken): void;
  saveCharge(charge: LedgerCharge): void;
  saveBoot(boot: Boot): void;
  acknowledge(acknowledgement: Acknowledgement): void;
  addTombstone(attempt: Attempt): void;
  keepResponse(response: SealedResponse): void;
  append(entry: JournalEntry, transfers: readonly Transfer[]): void;
  changes(): Changes;
}

/** Identity of a client's request: wallet, token, operation and key. */
export interface ClientKey {
  readonly walletId: string;
  /** Null for the main token. Keys of different tokens are independent. */
  readonly tokenId: string | null;
  readonly op: string;
  readonly keyHash: string;
}

export function beginUnitOfWork(loaded: LoadedRows): UnitOfWork {
  const wallets = new Map(loaded.wallets.map((wallet) => [wallet.id, wallet]));
  const subTokens = new Map(loaded.subTokens.map((token) => [token.id, token]));
  const subTokenIds = new Map(loaded.subTokens.map(({ tokenHash, id }) => [tokenHash, id]));
  const charges = new Map(loaded.charges.map((charge) => [charge.id, charge]));
  const attempts = new Map(loaded.charges.map((charge) => [attemptName(charge), charge.id]));
  const boots = new Map(loaded.boots.map((boot) => [bootName(boot), boot]));
  const tombstones = new Set(loaded.tombstones.map(attemptName));
  const keys = new Map<string, string>();
  for (const charge of loaded.charges) holdKey(charge);

  const loadedIds = new Set(charges.keys());
  const changed = noChanges();
  const added = nothingAdded();

  return {
    wallet: (id) => wallets.get(id),
    walletOf: (tokenHash) => wallets.get(loaded.tokens.get(tokenHash) ?? ""),
    subTokenOf: (tokenHash) => subTokens.get(subTokenIds.get(tokenHash) ?? ""),
    subToken: (id) => subTokens.get(id),
    charge: (id) => charges.get(id),
    attempted: (attempt) => charges.get(attempts.get(attemptName(attempt)) ?? ""),
    keyed: (key) => charges.get(keys.get(keyName(key)) ?? ""),
    posted: ({ instance, boot }) =>
      [...charges.values()]
        .filter((charge) => charge.state === "posted" && charge.instance === instance && charge.boot === boot)
        .sort((a, b) => a.seq - b.seq),
    boot: (boot) => boots.get(bootName(boot)),
    liveBoot: (instance) => [...boots.values()].find((boot) => boot.instance === instance && boot.state === "live"),
    hasTombstone: (attempt) => tombstones.has(attemptName(attempt)),

    saveWallet(wallet) {
      wallets.set(wallet.id, wallet);
      changed.wallets.add(wallet.id);
    },
    saveSubToken(token) {
      subTokens.set(token.id, token);
      changed.subTokens.add(token.id);
    },
    saveCharge(charge) {
      charges.set(charge.id, charge);
      attempts.set(attemptName(charge), charge.id);
      changed.charges.add(charge.id);
      holdKey(charge);
    },
    saveBoot(boot) {
      boots.set(bootName(boot), boot);
      changed.boots.add(bootName(boot));
    },
    acknowledge: (acknowledgement) => void added.acknowledged.push(acknowledgement),
    addTombstone(attempt) {
      tombstones.add(attemptName(attempt));
      added.tombstones.push(attempt);
    },
    keepResponse: (response) => void added.responses.push(response),
    append(entry, transfers) {
      added.entries.push(entry);
      added.transfers.push(...transfers);
    },
    changes: () => ({
      ...added,
      wallets: pick(wallets, changed.wallets),
      subTokens: pick(subTokens, changed.subTokens),
      charges: pick(charges, changed.charges).map((charge) => ({ charge, isNew: !loadedIds.has(charge.id) })),
      boots: pick(boots, changed.boots),
    }),
  };

  /** A voided charge frees its key, unless another charge already has it. */
  function holdKey(charge: LedgerCharge): void {
    const { walletId, tokenId, op, keyHash } = charge;
    if (keyHash === null) return;
    const name = keyName({ walletId, tokenId, op, keyHash });
    if (charge.state !== "voided") keys.set(name, charge.id);
    else if (keys.get(name) === charge.id) keys.delete(name);
  }
}

function noChanges() {
  const ids = () => new Set<string>();
  return { wallets: ids(), subTokens: ids(), charges: ids(), boots: ids() };
}

function nothingAdded() {
  return {
    acknowledged: [] as Acknowledgement[],
    entries: [] as JournalEntry[],
    transfers: [] as Transfer[],
    tombstones: [] as Attempt[],
    responses: [] as SealedResponse[],
  };
}

function pick<T>(rows: ReadonlyMap<string, T>, names: ReadonlySet<string>): T[] {
  return [...names].flatMap((name) => rows.get(name) ?? []);
}

export function attemptName({ instance, boot, seq }: Attempt): string {
  return `${instance} ${boot} ${seq}`;
}

export function bootName({ instance, boot }: Pick<Boot, "instance" | "boot">): string {
  return `${instance} ${boot}`;
}

export function keyName({ walletId, tokenId, op, keyHash }: ClientKey): string {
  return `${walletId} ${tokenId ?? ""} ${op} ${keyHash}`;
}
