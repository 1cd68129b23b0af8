/**
 * The true history, which the simulated system cannot see: responses sent, calls made, batches built. The ledger and
 * every response are checked against it.
 */
import { LEASE_SECONDS } from "@triptych/contracts";
import { bootName, type LedgerCharge } from "../src/domain/unit-of-work.ts";
import type { HelloInput } from "../src/domain/charge-batch.ts";
import { demand } from "./violation.ts";

export interface Truth {
  /** The judge saw this charge in a commit. */
  charged(charge: LedgerCharge): void;
  acknowledged(charge: LedgerCharge): void;
  voided(charge: LedgerCharge): void;
  /** The rail accepted this boot as live when its clock showed `wall`. */
  greeted(boot: HelloInput, wall: number): void;
  /** The rail applied a batch that its gateway built in step `builtAt`. */
  applied(boot: HelloInput, at: { readonly builtAt: number; readonly wall: number }): void;
  /** The response of this charge was sent (`finish`). */
  finished(chargeId: string): void;
  isFinished(chargeId: string): boolean;
  /** Charges that were reversed although their response was sent: free decisions. */
  readonly free: readonly LedgerCharge[];
  /** The rail refused this wallet for this reason. */
  refusing(subject: string, code: string): void;
  /** The step of the last refusal; -1 if there was none. */
  refusedAt(subject: string, code: string): number;
}

export function createTruth(step: () => number): Truth {
  const finished = new Map<string, number>();
  const built = new Map<string, number>();
  const refusals = new Map<string, number>();
  const free: LedgerCharge[] = [];
  const voided = new Map<string, LedgerCharge>();
  const current = new Map<string, string>();
  const replaced = new Set<string>();
  const contact = new Map<string, number>();

  return {
    free,
    charged: () => {},
    acknowledged(charge) {
      demand(finished.has(charge.id), "L6", () => `charge ${charge.id} was acknowledged but never delivered`);
    },
    voided(charge) {
      voided.set(charge.id, charge);
      const left = finished.get(charge.id);
      if (left === undefined) return;
      const named = charge.voidReason === "client_gone" || charge.voidReason === "aborted";
      demand(!named, "voids", () => `charge ${charge.id} was delivered, and its gateway voided it`);
      // A batch that was built later acknowledged it, and was applied earlier.
      const builtAt = built.get(bootName(charge)) ?? -1;
      demand(left >= builtAt, "L7", () => `charge ${charge.id} was acknowledged but is reversed`);
      free.push(charge);
    },
    greeted({ instance, boot }, wall) {
      const before = current.get(instance);
      if (before !== undefined && before !== boot) replaced.add(`${instance} ${before}`);
      demand(!replaced.has(`${instance} ${boot}`), "fencing", () => `boot ${boot} was accepted again`);
      current.set(instance, boot);
      contact.set(bootName({ instance, boot }), wall);
    },
    applied(boot, { builtAt, wall }) {
      const name = bootName(boot);
      demand(!replaced.has(name), "fencing", () => `a batch of ${name} was accepted after another boot's hello`);
      const since = wall - (contact.get(name) ?? -Infinity);
      demand(
        since < LEASE_SECONDS * 1000,
        "fencing",
        () => `a batch of ${name} was accepted ${since} ms after the last one`,
      );
      contact.set(name, wall);
      built.set(name, Math.max(builtAt, built.get(name) ?? -1));
    },
    finished(chargeId) {
      demand(!finished.has(chargeId), "receipts", () => `charge ${chargeId} was delivered to two calls`);
      finished.set(chargeId, step());
      const reversed = voided.get(chargeId);
      if (reversed !== undefined) free.push(reversed);
    },
    isFinished: (chargeId) => finished.has(chargeId),
    refusing: (subject, code) => void refusals.set(`${subject} ${code}`, step()),
    refusedAt: (subject, code) => refusals.get(`${subject} ${code}`) ?? -1,
  };
}
