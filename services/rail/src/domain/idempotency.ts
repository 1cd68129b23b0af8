/**
 * A create call with an `Idempotency-Key` runs once. Name and payload are stored as HMACs. The response is encrypted
 * with a key derived from the `Idempotency-Key`, so only the client can read it. Effect and response share one commit.
 * A call that involves a payment provider takes several commits: it records its progress, and `keep` stores the final
 * response.
 */
import { createHmac } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import { createSeal, deriveKey, type Random } from "@triptych/encryption";
import type { CreatingLedger, Ledger } from "./ledger.ts";

export interface OnceParts {
  readonly ledger: Pick<Ledger, "once" | "keepOnce" | "forgetOnce">;
  readonly secret: string;
  readonly now: () => number;
  readonly expiryTime: () => number;
  readonly random: Random;
}

export interface OnceCall {
  /** The key is scoped to caller and operation. */
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
  readonly payload: unknown;
}

export type OnceOutcome<T> =
  | { readonly kind: "first" | "replayed"; readonly answer: T; readonly record: IdempotencyRecord<T> }
  /** The key was used with another payload. */
  | { readonly kind: "other_payload" };

export interface IdempotencyRecord<T> {
  /** Replaces the stored response, unless another call was faster. Returns the response that is stored. */
  keep(answer: T): Promise<T>;
  /** Frees the key if nothing was created. Returns false if another call has created something in the meantime. */
  forget(): Promise<boolean>;
}

export interface Idempotency {
  /** `work` returns JSON and uses only the given store. If it throws, nothing is created and the key stays free. */
  once<T>(call: OnceCall, work: (creating: CreatingLedger) => Promise<T>): Promise<OnceOutcome<T>>;
}

const RETENTION_MS = 24 * 3_600_000;

export function createIdempotency({ ledger, secret, now, expiryTime, random }: OnceParts): Idempotency {
  const naming = deriveKey(secret, "names of idempotent calls");
  const sealing = deriveKey(secret, "answers of idempotent calls");
  const mac = (key: Uint8Array, parts: unknown) => createHmac("sha256", key).update(canonicalJson(parts));

  const names = ({ caller, operation, key, payload }: OnceCall) => ({
    name: mac(naming, ["name", caller, operation, key]).digest("hex"),
    payload: mac(naming, ["payload", payload ?? null]).digest("hex"),
    seal: createSeal(mac(sealing, [caller, operation, key]).digest(), random),
  });

  return {
    async once<T>(call: OnceCall, work: (creating: CreatingLedger) => Promise<T>): Promise<OnceOutcome<T>> {
      const { name, payload, seal } = names(call);
      const written = (answer: T) => seal.seal(JSON.stringify(answer), name);
      const read = (text: string): T => JSON.parse(seal.open(text, name).toString());
      const once = { name, payload, now: now(), expiryTime: expiryTime(), expiresAt: now() + RETENTION_MS };
      const state = await ledger.once(once, async (creating) => written(await work(creating)));
      if (state.kind === "other_payload") return state;
      const record: IdempotencyRecord<T> = {
        async keep(answer) {
          const counts = await ledger.keepOnce(name, { before: state.answer, answer: written(answer) });
          return counts === null ? answer : read(counts);
        },
        forget: () => ledger.forgetOnce(name, state.answer),
      };
      return { kind: state.kind === "first" ? "first" : "replayed", answer: read(state.answer), record };
    },
  };
}
