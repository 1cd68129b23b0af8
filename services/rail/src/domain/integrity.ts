/**
 * Result of the startup checks. A ledger that fails a check rejects writes until it is restored, because each further
 * charge would need manual reconciliation.
 */
import type { Ledger } from "./ledger.ts";

export interface Integrity {
  state(): "checking" | "sound" | "damaged";
  issue(): string | null;
}

export interface IntegrityRecord extends Integrity {
  /** Records faults. They are never cleared. */
  failed(issues: readonly string[]): void;
  finished(): void;
}

export function createIntegrity(): IntegrityRecord {
  let issues: readonly string[] = [];
  let isFinished = false;
  return {
    state() {
      if (issues.length > 0) return "damaged";
      return isFinished ? "sound" : "checking";
    },
    issue: () => issues[0] ?? null,
    failed: (found) => void (issues = [...issues, ...found]),
    finished: () => void (isFinished = true),
  };
}

/** For processes without checks: operator commands must be able to read a damaged ledger. */
export const UNCHECKED: Integrity = { state: () => "sound", issue: () => null };

export class LedgerDamaged extends Error {
  constructor(issue: string) {
    super(`The ledger is damaged and read-only: ${issue}`);
    this.name = "LedgerDamaged";
  }
}

/** Rejects writes of money and wallets once the ledger is known to be damaged. Keys can still be revoked. */
export function guardWrites(ledger: Ledger, integrity: Integrity): Ledger {
  const guarded = <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const issue = integrity.issue();
      if (issue !== null) throw new LedgerDamaged(issue);
      return await write(...args);
    };
  };
  return {
    ...ledger,
    hello: guarded(ledger.hello),
    applyBatches: guarded(ledger.applyBatches),
    sweep: guarded(ledger.sweep),
    createWallet: guarded(ledger.createWallet),
    verifyStarter: guarded(ledger.verifyStarter),
    changeWallet: guarded(ledger.changeWallet),
    closeWallet: guarded(ledger.closeWallet),
    setFrozen: guarded(ledger.setFrozen),
    rotateToken: guarded(ledger.rotateToken),
    adjust: guarded(ledger.adjust),
    createTopup: guarded(ledger.createTopup),
    attachCheckout: guarded(ledger.attachCheckout),
    applyTopupEvent: guarded(ledger.applyTopupEvent),
    setAutoTopup: guarded(ledger.setAutoTopup),
    savePaymentMethod: guarded(ledger.savePaymentMethod),
    beginAutoTopup: guarded(ledger.beginAutoTopup),
    refundCharge: guarded(ledger.refundCharge),
    buy: guarded(ledger.buy),
    once: guarded(ledger.once),
  };
}
