/**
 * One-time codes in email links. A code is sealed text, so only its use is stored. It is sent in a request body, taken
 * from the fragment of the link, so logs and proxies never see it.
 */
import { createHash } from "node:crypto";
import { createRotatingSeal, DecryptionError, type Keyring, type Random } from "@triptych/encryption";
import type { CreatingLedger, Ledger } from "./ledger.ts";

export type CodePurpose = "recover" | "verify";

export interface OneTimeCodes {
  make(purpose: CodePurpose, walletId: string): string;
  /** Redeems the code in the same commit as `work`. If `work` throws, the code stays valid. */
  use<T>(purpose: CodePurpose, code: string, work: CodeWork<T>): Promise<CodeUse<T>>;
}

export type CodeWork<T> = (walletId: string, creating: CreatingLedger) => Promise<T>;

export type CodeUse<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "invalid" | "expired" | "used" };

export interface CodesParts {
  readonly ledger: Pick<Ledger, "once">;
  readonly keyring: Keyring;
  readonly now: () => number;
  readonly random: Random;
}

export const CODE_HOURS = 24;
const CODE_MS = CODE_HOURS * 3_600_000;

export function createOneTimeCodes({ ledger, keyring, now, random }: CodesParts): OneTimeCodes {
  const seal = createRotatingSeal(keyring, "codes in links of mails", random);
  return {
    make: (purpose, walletId) => seal.seal(`${walletId} ${now() + CODE_MS}`, purpose),
    async use<T>(purpose: CodePurpose, code: string, work: CodeWork<T>): Promise<CodeUse<T>> {
      const opened = open(purpose, code);
      if (opened === null) return { kind: "invalid" };
      if (opened.until <= now()) return { kind: "expired" };
      const name = createHash("sha256").update(`code ${code}`).digest("hex");
      const once = { name, payload: "", now: now(), expiresAt: opened.until };
      const results: T[] = [];
      const { kind } = await ledger.once(once, async (creating) => {
        results.push(await work(opened.walletId, creating));
        return "used";
      });
      const [result] = results.slice(-1);
      return kind === "first" && result !== undefined ? { kind: "done", result } : { kind: "used" };
    },
  };

  function open(purpose: CodePurpose, code: string): { readonly walletId: string; readonly until: number } | null {
    try {
      const [walletId = "", until = ""] = seal.open(code, purpose).toString().split(" ");
      return { walletId, until: Number(until) };
    } catch (error) {
      if (error instanceof DecryptionError) return null;
      throw error;
    }
  }
}
