/**
 * Result of the startup checks. A ledger that fails one refuses writes until it is restored: each further charge would
 * need manual reconciliation.
 */
import type { Ledger } from "./ledger.ts";

export interface Integrity {
  state(): "checking" | "sound" | "damaged";
  /** The problem; null if none is known. */
  fault(): string | null;
}

export interface IntegrityRecord extends Integrity {
  /** Records faults. They are never cleared. */
  failed(faults: readonly string[]): void;
  /** All checks have ended. */
  finished(): void;
}

export function createIntegrity(): IntegrityRecord {
  let faults: readonly string[] = [];
  let isFinished = false;
  return {
    state() {
      if (faults.length > 0) return "damaged";
      return isFinished ? "sound" : "checking";
    },
    fault: () => faults[0] ?? null,
    failed: (found) => void (faults = [...faults, ...found]),
    finished: () => void (isFinished = true),
  };
}

/** For processes without checks: operator commands must be able to read a damaged ledger. */
export const UNCHECKED: Integrity = { state: () => "sound", fault: () => null };

export class LedgerDamaged extends Error {
  constructor(fault: string) {
    super(`The ledger is damaged and takes no writes: ${fault}`);
    this.name = "LedgerDamaged";
  }
}

/** Refuses writes of money and wallets once the ledger is known to be damaged. Keys can still be revoked. */
export function guardWrites(ledger: Ledger, integrity: Integrity): Ledger {
  const sound = <Args extends readonly unknown[], Result>(write: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const fault = integrity.fault();
      if (fault !== null) throw new LedgerDamaged(fault);
      return await write(...args);
    };
  };
  return {
    ...ledger,
    hello: sound(ledger.hello),
    applyBatches: sound(ledger.applyBatches),
    sweep: sound(ledger.sweep),
    createWallet: sound(ledger.createWallet),
    verifyStarter: sound(ledger.verifyStarter),
    changeWallet: sound(ledger.changeWallet),
    closeWallet: sound(ledger.closeWallet),
    setFrozen: sound(ledger.setFrozen),
    rotateToken: sound(ledger.rotateToken),
    adjust: sound(ledger.adjust),
    createTopup: sound(ledger.createTopup),
    attachCheckout: sound(ledger.attachCheckout),
    applyTopupEvent: sound(ledger.applyTopupEvent),
    refundCharge: sound(ledger.refundCharge),
    buy: sound(ledger.buy),
    once: sound(ledger.once),
  };
}
