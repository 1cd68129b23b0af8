/**
 * The money part of the ledger in memory, committed atomically like a store. For tests of the rules and for the
 * simulator, which crashes before, between and after commits.
 */
import { bootName, beginUnitOfWork, type Attempt, type UnitOfWork, type Boot } from "../../src/domain/unit-of-work.ts";
import type { LedgerCharge, LedgerWallet, SubToken, Transfer } from "../../src/domain/unit-of-work.ts";
import { NO_CAPS, NO_SPEND } from "../../src/domain/caps.ts";
import { FIRST_PREV, type JournalEntry } from "../../src/domain/entry.ts";
import { adjust } from "../../src/domain/movements.ts";
import type { Context } from "../../src/domain/post-entry.ts";

const UNCAPPED = { caps: NO_CAPS, spend: NO_SPEND };

export class MemoryRows {
  readonly wallets = new Map<string, LedgerWallet>();
  readonly tokens = new Map<string, string>();
  readonly subTokens = new Map<string, SubToken>();
  readonly charges = new Map<string, LedgerCharge>();
  readonly boots = new Map<string, Boot>();
  readonly responses = new Map<string, string>();
  readonly tombstones: Attempt[] = [];
  readonly entries: JournalEntry[] = [];
  readonly transfers: Transfer[] = [];
  #made = 0;

  /** Runs `work` and keeps its changes, unless it throws. */
  commit<T>(work: (unit: UnitOfWork) => T): T {
    const { wallets, tokens, subTokens, charges, boots, tombstones } = this;
    const unit = beginUnitOfWork({
      wallets: [...wallets.values()],
      tokens,
      subTokens: [...subTokens.values()],
      charges: [...charges.values()],
      boots: [...boots.values()],
      tombstones,
    });
    const result = work(unit);
    const changes = unit.changes();
    for (const wallet of changes.wallets) wallets.set(wallet.id, wallet);
    for (const token of changes.subTokens) subTokens.set(token.id, token);
    for (const { charge } of changes.charges) charges.set(charge.id, charge);
    for (const boot of changes.boots) boots.set(bootName(boot), boot);
    for (const { chargeId, sealed } of changes.responses) this.responses.set(chargeId, sealed);
    tombstones.push(...changes.tombstones);
    this.entries.push(...changes.entries);
    this.transfers.push(...changes.transfers);
    return result;
  }

  context(now: number): Context {
    const newId = (prefix: string) => `${prefix}${String(++this.#made).padStart(26, "0")}`;
    return { now, newId, issuer: "http://rail.test", kid: "kid-1", revenue: "revenue:decisions:test" };
  }

  /** A wallet with this paid balance; its token hash is `hash`. */
  openWallet(hash: string, paidMicro: number, now = 0): string {
    const context = this.context(now);
    const id = context.newId("wal_");
    const empty = {
      id,
      status: "active",
      paidMicro: 0,
      promoMicro: 0,
      promoExpiresAt: null,
      seq: 0,
      ...UNCAPPED,
    } as const;
    this.wallets.set(id, { ...empty, head: FIRST_PREV });
    this.tokens.set(hash, id);
    const by = { operator: "test", reason: "to begin with" };
    if (paidMicro > 0)
      this.commit((unit) => adjust(unit, { ...empty, head: FIRST_PREV }, { amountMicro: paidMicro, by, context }));
    return id;
  }
}
