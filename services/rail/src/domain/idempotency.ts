/**
 * A creating call with an `Idempotency-Key` is done once, and answered alike when it comes again. What is kept under a key tells
 * nothing: its name and the hash of its payload are HMACs, and its answer (a wallet's token, say) is sealed under a key that is derived
 * from the very `Idempotency-Key`, which is kept nowhere. So neither who holds the store nor the rail itself can read it, until the
 * client sends the key again.
 *
 * The answer is kept after the effect. A process that dies between the two leaves the name running; when its lease has ended the call
 * is done anew. Where that would do harm the caller of `once` asks for a lease as long as keys live.
 */
import { createHmac } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import type { Ledger } from "./ledger.ts";
import { createSeal, deriveKey, type Random } from "./seal.ts";

export interface OnceParts {
  readonly ledger: Pick<Ledger, "beginOnce" | "endOnce">;
  /** The installation's secret. */
  readonly secret: string;
  readonly now: () => number;
  readonly random: Random;
}

export interface OnceCall {
  /** Who calls, and what is done: the same key means something else for another caller or operation. */
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
  readonly payload: unknown;
  /** How long the call may run before it counts as dead. */
  readonly leaseMs: number;
}

export type OnceOutcome<T> =
  | { readonly kind: "first" | "replayed"; readonly answer: T }
  /** Another payload came with this key before. */
  | { readonly kind: "other_payload" }
  | { readonly kind: "running" };

export interface Idempotency {
  /** `work` answers JSON. When it throws, nothing was created: the key is free again. */
  once<T>(call: OnceCall, work: () => Promise<T>): Promise<OnceOutcome<T>>;
}

export const KEPT_MS = 24 * 3_600_000;
/** No creating call takes longer; a provider is given up after less. */
export const LEASE_MS = 60_000;

export function createIdempotency({ ledger, secret, now, random }: OnceParts): Idempotency {
  const naming = deriveKey(secret, "names of idempotent calls");
  const sealing = deriveKey(secret, "answers of idempotent calls");
  const mac = (key: Uint8Array, parts: unknown) => createHmac("sha256", key).update(canonicalJson(parts));

  const names = ({ caller, operation, key, payload }: OnceCall) => ({
    name: mac(naming, ["name", caller, operation, key]).digest("hex"),
    payload: mac(naming, ["payload", payload ?? null]).digest("hex"),
    seal: createSeal(mac(sealing, [caller, operation, key]).digest(), random),
  });

  return {
    async once<T>(call: OnceCall, work: () => Promise<T>): Promise<OnceOutcome<T>> {
      const { name, payload, seal } = names(call);
      const state = await ledger.beginOnce({ name, payload, now: now(), expiresAt: now() + call.leaseMs });
      switch (state.kind) {
        case "running":
        case "other_payload":
          return state;
        case "done":
          return { kind: "replayed", answer: JSON.parse(seal.open(state.answer, name).toString()) };
        case "first":
          break;
      }
      try {
        const answer = await work();
        await ledger.endOnce(name, { answer: seal.seal(JSON.stringify(answer), name), expiresAt: now() + KEPT_MS });
        return { kind: "first", answer };
      } catch (error) {
        // A store that cannot even forget the name does so by itself when the lease ends; what went wrong first is what counts.
        await ledger.endOnce(name, null).catch(() => undefined);
        throw error;
      }
    },
  };
}
