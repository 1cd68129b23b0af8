/** Tokens and limits of the rail, on the keys and windows of metering. Windows are of this process. */
import { createHash, timingSafeEqual } from "node:crypto";
import { FAILED_AUTHENTICATIONS_PER_MINUTE, WALLET_REQUESTS_PER_MINUTE } from "@triptych/contracts";
import {
  createSlidingWindow,
  mintKey,
  parseKey,
  policyFields,
  type KeyForm,
  type RandomSource,
} from "@triptych/metering";
import type { Access } from "./domain/access.ts";
import type { Ledger, Mode } from "./domain/ledger.ts";
import { isLoopback, networkOf } from "./domain/network.ts";

const HOUR_MS = 3_600_000;
const CREATIONS_AN_HOUR = 10;
/** Asking for mails and using their codes: a person does it twice, a program that floods a mailbox does not stop. */
const MAILINGS_AN_HOUR = 20;
const HINT_SYMBOLS = 4;

export interface AccessParts {
  readonly mode: Mode;
  readonly ledger: Pick<Ledger, "walletOf">;
  readonly serviceToken: string;
  /** Null where no operator is let in over HTTP. */
  readonly adminToken: string | null;
  readonly now: () => number;
  readonly random: RandomSource;
}

export function createAccess({ mode, ledger, serviceToken, adminToken, now, random }: AccessParts): Access {
  const form = walletForm(mode);
  const requests = createSlidingWindow();
  const failures = createSlidingWindow();
  const creations = createSlidingWindow(HOUR_MS);
  const mailings = createSlidingWindow(HOUR_MS);
  const isExempt = (address: string) => mode === "test" && isLoopback(address);
  const hashOf = (token: string) => parseKey(token, [form])?.hash ?? null;

  return {
    mint() {
      const token = mintKey(form, random);
      return { token, hash: hashed(token), hint: token.slice(-HINT_SYMBOLS) };
    },
    hashOf,
    async wallet(token) {
      const hash = hashOf(token);
      const wallet = hash === null ? null : await ledger.walletOf(hash, now());
      return wallet?.status === "closed" ? null : wallet;
    },
    isService: (token) => isSame(token, serviceToken),
    isOperator: (token) => adminToken !== null && isSame(token, adminToken),
    enter(walletId, address) {
      if (isExempt(address)) return { admitted: true, fields: {} };
      const limit = WALLET_REQUESTS_PER_MINUTE;
      const { accepted, remaining, resetMs } = requests.take(walletId, limit, now());
      const resetSeconds = Math.ceil(resetMs / 1000);
      const fields = policyFields([{ name: "minute", quota: limit, windowSeconds: 60, remaining, resetSeconds }]);
      return accepted ? { admitted: true, fields } : { admitted: false, fields, retryAfter: resetSeconds };
    },
    failed(address) {
      if (isExempt(address)) return null;
      return waitIn(failures.take(networkOf(address), FAILED_AUTHENTICATIONS_PER_MINUTE, now()));
    },
    creating(address) {
      if (mode === "test") return null;
      return waitIn(creations.take(networkOf(address), CREATIONS_AN_HOUR, now()));
    },
    mailing(address) {
      if (isExempt(address)) return null;
      return waitIn(mailings.take(networkOf(address), MAILINGS_AN_HOUR, now()));
    },
  };
}

export const SERVICE_FORM: KeyForm = { prefix: "rail_svc_", test: false };
export const ADMIN_FORM: KeyForm = { prefix: "rail_admin_", test: false };

function walletForm(mode: Mode): KeyForm {
  return { prefix: `rail_${mode}_`, test: mode === "test" };
}

function waitIn({ accepted, resetMs }: { readonly accepted: boolean; readonly resetMs: number }): number | null {
  return accepted ? null : Math.ceil(resetMs / 1000);
}

/** Digests have one length, whatever is presented: comparing them takes one time. */
function isSame(token: string, known: string): boolean {
  return timingSafeEqual(digestOf(token), digestOf(known));
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function hashed(token: string): string {
  return digestOf(token).toString("hex");
}
