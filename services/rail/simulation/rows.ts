/**
 * The rows of the simulated ledger, indexed in memory, so that a commit reads as few rows as in a real store. Applied
 * rows are on disk. If `sync` is off, rows since the last sync are kept separately, and a power loss drops them.
 */
import {
  attemptName,
  bootName,
  keyName,
  type Attempt,
  type Boot,
  type Changes,
  type LedgerCharge,
  type LedgerWallet,
  type LoadedRows,
  type SubToken,
  type Transfer,
} from "../src/domain/unit-of-work.ts";
import type { GatewayBatch } from "../src/domain/charge-batch.ts";
import type { JournalEntry } from "../src/domain/entry.ts";
import type { LedgerTopup } from "../src/domain/topup-state.ts";

export class Rows {
  readonly wallets = new Map<string, LedgerWallet>();
  readonly tokens = new Map<string, string>();
  readonly subTokens = new Map<string, SubToken>();
  readonly charges = new Map<string, LedgerCharge>();
  readonly boots = new Map<string, Boot>();
  readonly responses = new Map<string, string>();
  readonly topups = new Map<string, LedgerTopup>();
  readonly entries: JournalEntry[] = [];
  readonly transfers: Transfer[] = [];
  readonly totals = new Map<string, number>();
  readonly #tombstones = new Map<string, Attempt>();
  readonly #attempts = new Map<string, string>();
  readonly #keys = new Map<string, string>();
  readonly #posted = new Map<string, Set<string>>();

  apply(changes: Changes): void {
    for (const wallet of changes.wallets) this.wallets.set(wallet.id, wallet);
    for (const token of changes.subTokens) this.subTokens.set(token.id, token);
    for (const { charge } of changes.charges) this.#putCharge(charge);
    for (const boot of changes.boots) this.boots.set(bootName(boot), boot);
    for (const { chargeId, sealed } of changes.responses) this.responses.set(chargeId, sealed);
    for (const attempt of changes.tombstones) this.#tombstones.set(attemptName(attempt), attempt);
    this.entries.push(...changes.entries);
    for (const transfer of changes.transfers) {
      this.transfers.push(transfer);
      this.#add(transfer.debit, -transfer.amountMicro);
      this.#add(transfer.credit, transfer.amountMicro);
    }
  }

  #add(account: string, amountMicro: number): void {
    this.totals.set(account, (this.totals.get(account) ?? 0) + amountMicro);
  }

  #putCharge(charge: LedgerCharge): void {
    this.charges.set(charge.id, charge);
    this.#attempts.set(attemptName(charge), charge.id);
    const { walletId, tokenId, op, keyHash } = charge;
    if (keyHash !== null) {
      const name = keyName({ walletId, tokenId, op, keyHash });
      if (charge.state !== "voided") this.#keys.set(name, charge.id);
      else if (this.#keys.get(name) === charge.id) this.#keys.delete(name);
    }
    const boot = bootName(charge);
    let posted = this.#posted.get(boot);
    if (posted === undefined) this.#posted.set(boot, (posted = new Set()));
    if (charge.state === "posted") posted.add(charge.id);
    else posted.delete(charge.id);
  }

  subTokenOf(tokenHash: string): SubToken | undefined {
    return [...this.subTokens.values()].find((token) => token.tokenHash === tokenHash);
  }

  attempted(attempt: Attempt): LedgerCharge | undefined {
    return this.charges.get(this.#attempts.get(attemptName(attempt)) ?? "");
  }

  postedOf(boot: Pick<Boot, "instance" | "boot">): LedgerCharge[] {
    return this.#chargesOf(this.#posted.get(bootName(boot)) ?? []);
  }

  allPosted(): LedgerCharge[] {
    return [...this.#posted.values()].flatMap((ids) => this.#chargesOf(ids));
  }

  /** The rows that the rules need for these batches. */
  forBatches(batches: readonly GatewayBatch[]): LoadedRows {
    const charges = new Map<string, LedgerCharge>();
    const tombstones: Attempt[] = [];
    const wallets = new Set<string>();
    const keep = (charge: LedgerCharge | undefined) => {
      if (charge !== undefined) charges.set(charge.id, charge);
    };
    for (const batch of batches) {
      const { instance, boot } = batch;
      for (const charge of this.postedOf(batch)) keep(charge);
      for (const { seq } of [...batch.charges, ...batch.voids]) {
        const name = attemptName({ instance, boot, seq });
        keep(this.attempted({ instance, boot, seq }));
        const gone = this.#tombstones.get(name);
        if (gone !== undefined) tombstones.push(gone);
      }
      for (const { walletHash, op, keyHash } of batch.charges) {
        const walletId = this.tokens.get(walletHash);
        if (walletId === undefined) continue;
        wallets.add(walletId);
        const tokenId = this.subTokenOf(walletHash)?.id ?? null;
        if (keyHash === null) continue;
        keep(this.charges.get(this.#keys.get(keyName({ walletId, tokenId, op, keyHash })) ?? ""));
      }
    }
    for (const { walletId } of charges.values()) wallets.add(walletId);
    const boots = batches.flatMap((batch) => this.boots.get(bootName(batch)) ?? []);
    return { ...this.#base(wallets), charges: [...charges.values()], boots, tombstones };
  }

  /** The rows that the rules need for a hello. */
  forGreeting(instance: string): LoadedRows {
    const boots = [...this.boots.values()].filter((boot) => boot.instance === instance);
    const charges = boots.flatMap((boot) => this.postedOf(boot));
    return { ...this.#base(charges.map(({ walletId }) => walletId)), charges, boots, tombstones: [] };
  }

  forSweep(lapsed: readonly Boot[], overdue: readonly LedgerCharge[]): LoadedRows {
    const ids = new Set([...lapsed.flatMap((boot) => this.postedOf(boot)), ...overdue].map(({ id }) => id));
    const charges = this.#chargesOf(ids);
    const boots = lapsed.flatMap((boot) => this.boots.get(bootName(boot)) ?? []);
    return { ...this.#base(charges.map(({ walletId }) => walletId)), charges, boots, tombstones: [] };
  }

  forWallet(id: string, charges: readonly LedgerCharge[] = []): LoadedRows {
    return { ...this.#base([id]), charges, boots: [], tombstones: [] };
  }

  #base(wallets: Iterable<string>): Pick<LoadedRows, "wallets" | "tokens" | "subTokens"> {
    const { tokens, subTokens } = this;
    return {
      wallets: [...wallets].flatMap((id) => this.wallets.get(id) ?? []),
      tokens,
      subTokens: [...subTokens.values()],
    };
  }

  #chargesOf(ids: Iterable<string>): LedgerCharge[] {
    return [...ids].flatMap((id) => this.charges.get(id) ?? []);
  }
}
