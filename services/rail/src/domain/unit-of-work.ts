/**
 * The book of one commit: what the ledger's rules look at and change, in memory, while nobody else can change it. A store fills it
 * with the rows that a piece of work will need, runs the work without interruption, and writes down what changed, all or nothing.
 * So the rules of money are plain functions, the same for every store, and a crash leaves either all of a commit or none of it.
 */
import type { ChargeState, VoidReason, WalletState } from "@triptych/contracts";
import type { JournalEntry } from "./entry.ts";

export interface LedgerWallet {
  readonly id: string;
  readonly status: WalletState;
  readonly paidMicro: number;
  readonly promoMicro: number;
  /** When what is left of the promo ends, milliseconds; null where there never was any. */
  readonly promoExpiresAt: number | null;
  /** Number of its last entry, 0 before the first. */
  readonly seq: number;
  /** Hash of its last entry. */
  readonly head: string;
}

/** What the gateway retries: one try to charge, known by these three. */
export interface Attempt {
  readonly instance: string;
  readonly boot: string;
  readonly seq: number;
}

/** A charge with all that its receipt says, so that the receipt can be made again byte for byte. */
export interface LedgerCharge extends Attempt {
  readonly id: string;
  readonly walletId: string;
  readonly state: ChargeState;
  readonly op: string;
  readonly qty: number;
  readonly priceId: string;
  readonly amountMicro: number;
  /** The part of it that was taken from the promo bucket. */
  readonly promoMicro: number;
  /** The account that earned it: a void takes it back from there. */
  readonly revenue: string;
  /** SHA-256 of the client's key in hex; null without one, and once the key is free again. */
  readonly keyHash: string | null;
  /** First 16 bytes of the same hash, base64url; stays for the receipt. */
  readonly idk: string | null;
  readonly req: string;
  readonly res: string;
  readonly issuer: string;
  /** Id of the key that signs its receipt. */
  readonly kid: string;
  readonly entryId: string;
  readonly walletSeq: number;
  readonly balanceAfterMicro: number;
  /** Hash of the entry before its own. */
  readonly prev: string;
  readonly createdAt: number;
  readonly deliveredAt: number | null;
  readonly voidedAt: number | null;
  readonly voidReason: VoidReason | null;
}

/** A start of a gateway process. At most one boot of an instance is live. */
export interface Boot {
  readonly instance: string;
  readonly boot: string;
  readonly state: "live" | "fenced";
  readonly leaseUntil: number;
  /** Every attempt up to it is finished. */
  readonly through: number;
}

/** Takes from one account and gives to another. Never changed, never removed; undone by another one that reverses it. */
export interface Transfer {
  readonly id: string;
  readonly entryId: string;
  readonly debit: string;
  readonly credit: string;
  /** Above 0. */
  readonly amountMicro: number;
  readonly reverses: string | null;
  readonly at: number;
  /** Who moved it by hand, and why. */
  readonly operator: string | null;
  readonly reason: string | null;
}

/** What a gateway has delivered: all that its boot charged up to `through`, and some above it. */
export interface Acknowledgement extends Pick<Boot, "instance" | "boot"> {
  /** Everything up to here was finished before. */
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
 * What the store found before the work began. It may hold more than the work will look at, never less; but posted charges that are
 * only acknowledged may be missing, where the store changes those by `Changes.acknowledged`: they are as many as are charged.
 */
export interface LoadedRows {
  readonly wallets: readonly LedgerWallet[];
  /** Wallet id by the hash of each token that is good now. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly charges: readonly LedgerCharge[];
  readonly boots: readonly Boot[];
  /** Attempts that were voided before they arrived. */
  readonly tombstones: readonly Attempt[];
}

/** What is to be written, in the order in which it happened. */
export interface Changes {
  readonly wallets: readonly LedgerWallet[];
  /** Rows that are new or have changed; `isNew` tells which. */
  readonly charges: readonly { readonly charge: LedgerCharge; readonly isNew: boolean }[];
  readonly boots: readonly Boot[];
  /** Told by gateways. What of it the book held is among `charges` too. A charge that `charges` says is voided stays that. */
  readonly acknowledged: readonly Acknowledgement[];
  readonly entries: readonly JournalEntry[];
  readonly transfers: readonly Transfer[];
  readonly tombstones: readonly Attempt[];
  readonly responses: readonly SealedResponse[];
}

export interface UnitOfWork {
  wallet(id: string): LedgerWallet | undefined;
  walletOf(tokenHash: string): LedgerWallet | undefined;
  charge(id: string): LedgerCharge | undefined;
  attempted(attempt: Attempt): LedgerCharge | undefined;
  /** The charge of this key that counts: posted, delivered or refunded. */
  keyed(key: ClientKey): LedgerCharge | undefined;
  /** Posted charges of a boot, in the order of their attempts. */
  posted(boot: Pick<Boot, "instance" | "boot">): readonly LedgerCharge[];
  boot(boot: Pick<Boot, "instance" | "boot">): Boot | undefined;
  liveBoot(instance: string): Boot | undefined;
  hasTombstone(attempt: Attempt): boolean;

  saveWallet(wallet: LedgerWallet): void;
  saveCharge(charge: LedgerCharge): void;
  saveBoot(boot: Boot): void;
  acknowledge(acknowledgement: Acknowledgement): void;
  addTombstone(attempt: Attempt): void;
  keepResponse(response: SealedResponse): void;
  append(entry: JournalEntry, transfers: readonly Transfer[]): void;
  changes(): Changes;
}

/** What a client means: the same three words ask for the same thing. */
export interface ClientKey {
  readonly walletId: string;
  readonly op: string;
  readonly keyHash: string;
}

export function beginUnitOfWork(loaded: LoadedRows): UnitOfWork {
  const wallets = new Map(loaded.wallets.map((wallet) => [wallet.id, wallet]));
  const charges = new Map(loaded.charges.map((charge) => [charge.id, charge]));
  const attempts = new Map(loaded.charges.map((charge) => [attemptName(charge), charge.id]));
  const boots = new Map(loaded.boots.map((boot) => [bootName(boot), boot]));
  const tombstones = new Set(loaded.tombstones.map(attemptName));
  const keys = new Map<string, string>();
  for (const charge of loaded.charges) holdKey(charge);

  const loadedIds = new Set(charges.keys());
  const changed = { wallets: new Set<string>(), charges: new Set<string>(), boots: new Set<string>() };
  const added = {
    acknowledged: [] as Acknowledgement[],
    entries: [] as JournalEntry[],
    transfers: [] as Transfer[],
    tombstones: [] as Attempt[],
    responses: [] as SealedResponse[],
  };

  return {
    wallet: (id) => wallets.get(id),
    walletOf: (tokenHash) => wallets.get(loaded.tokens.get(tokenHash) ?? ""),
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
      charges: pick(charges, changed.charges).map((charge) => ({ charge, isNew: !loadedIds.has(charge.id) })),
      boots: pick(boots, changed.boots),
    }),
  };

  /** A voided charge lets go of its key, unless another one holds it by now. */
  function holdKey(charge: LedgerCharge): void {
    const { walletId, op, keyHash } = charge;
    if (keyHash === null) return;
    const name = keyName({ walletId, op, keyHash });
    if (charge.state !== "voided") keys.set(name, charge.id);
    else if (keys.get(name) === charge.id) keys.delete(name);
  }
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

export function keyName({ walletId, op, keyHash }: ClientKey): string {
  return `${walletId} ${op} ${keyHash}`;
}
