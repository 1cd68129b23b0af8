/**
 * Codes in links of mails: good once, for one purpose, until a time. The code is a sealed text, so nothing has to be kept for it but the
 * fact that it was used. It comes to the rail in a body, from the fragment of the link: no log, no proxy and no history of requests
 * ever sees it.
 */
import { createHash } from "node:crypto";
import type { Ledger } from "./ledger.ts";
import { createSeal, deriveKey, SealBroken, type Random } from "./seal.ts";

export type Purpose = "recover" | "verify";

export interface OneTimeCodes {
  make(purpose: Purpose, walletId: string): string;
  /** Uses the code up: `work` is done for the first who sends it. When `work` throws, the code is good again. */
  use<T>(purpose: Purpose, code: string, work: (walletId: string) => Promise<T>): Promise<CodeUse<T>>;
}

export type CodeUse<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "invalid" | "expired" | "used" };

export interface CodesParts {
  readonly ledger: Pick<Ledger, "beginOnce" | "endOnce">;
  readonly secret: string;
  readonly now: () => number;
  readonly random: Random;
}

/** How long a code is good. */
export const CODE_HOURS = 24;
const CODE_MS = CODE_HOURS * 3_600_000;
/** To use a code takes one commit. */
const LEASE_MS = 60_000;

export function createOneTimeCodes({ ledger, secret, now, random }: CodesParts): OneTimeCodes {
  const seal = createSeal(deriveKey(secret, "codes in links of mails"), random);
  return {
    make: (purpose, walletId) => seal.seal(`${walletId} ${now() + CODE_MS}`, purpose),
    async use(purpose, code, work) {
      const opened = open(purpose, code);
      if (opened === null) return { kind: "invalid" };
      if (opened.until <= now()) return { kind: "expired" };
      const name = createHash("sha256").update(`code ${code}`).digest("hex");
      const state = await ledger.beginOnce({ name, payload: "", now: now(), expiresAt: now() + LEASE_MS });
      if (state.kind !== "first") return { kind: "used" };
      try {
        const result = await work(opened.walletId);
        await ledger.endOnce(name, { answer: "used", expiresAt: opened.until });
        return { kind: "done", result };
      } catch (error) {
        await ledger.endOnce(name, null).catch(() => undefined);
        throw error;
      }
    },
  };

  function open(purpose: Purpose, code: string): { readonly walletId: string; readonly until: number } | null {
    try {
      const [walletId = "", until = ""] = seal.open(code, purpose).toString().split(" ");
      return { walletId, until: Number(until) };
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }
}
