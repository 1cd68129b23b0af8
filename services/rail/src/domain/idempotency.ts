/**
 * A creating call with an `Idempotency-Key` is done once, and answered alike when it comes again. What is kept under a key tells
 * nothing: its name and the hash of its payload are HMACs, and its answer (a wallet's token, say) is sealed under a key that is derived
 * from the very `Idempotency-Key`, which is kept nowhere. So neither who holds the store nor the rail itself can read it, until the
 * client sends the key again.
 *
 * The effect and its answer are one commit: a process that dies leaves both or neither, and the same call made again finds the answer
 * or does the work. What takes more than a commit (a payment provider is asked in between) keeps what it has begun, so that it is
 * gone on with, and `keep` puts the answer in its place.
 */
import { createHmac } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import { createSeal, deriveKey, type Random } from "@triptych/encryption";
import type { CreatingLedger, Ledger } from "./ledger.ts";

export interface OnceParts {
  readonly ledger: Pick<Ledger, "once" | "keepOnce" | "forgetOnce">;
  /** The installation's secret. */
  readonly secret: string;
  readonly now: () => number;
  readonly expiryTime: () => number;
  readonly random: Random;
}

export interface OnceCall {
  /** Who calls, and what is done: the same key means something else for another caller or operation. */
  readonly caller: string;
  readonly operation: string;
  readonly key: string;
  readonly payload: unknown;
}

export type OnceOutcome<T> =
  | { readonly kind: "first" | "replayed"; readonly answer: T; readonly record: IdempotencyRecord<T> }
  /** Another payload came with this key before. */
  | { readonly kind: "other_payload" };

/** What is kept under the key of a call. */
export interface IdempotencyRecord<T> {
  /** Puts another answer in its place, unless somebody was faster: answers the one that counts. */
  keep(answer: T): Promise<T>;
  /** Nothing was created after all: the key is free. false: somebody was faster, and has created it. */
  forget(): Promise<boolean>;
}

export interface Idempotency {
  /** `work` answers JSON and asks no other store than the one it is given. When it throws, nothing was created: the key is free. */
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
