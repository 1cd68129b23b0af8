/** Tokens and rate limits of the rail. All processes on one store share the windows. */
import { hash } from "node:crypto";
import { FAILED_AUTHENTICATIONS_PER_MINUTE, WALLET_REQUESTS_PER_MINUTE } from "@triptych/contracts";
import { generateKey, parseKey, timingSafeMatcher, type KeyForm } from "@triptych/api-keys";
import type { RandomSource } from "@triptych/ids";
import { createSlidingWindow, policyFields, type RateWindows } from "@triptych/rate-limit";
import type { Access } from "./domain/access.ts";
import type { Ledger, StoreMode } from "./domain/ledger.ts";
import { isLoopback } from "./domain/network.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const CREATIONS_AN_HOUR = 10;
/**
 * A person requests an email or redeems a code a few times per hour; a program that floods a mailbox must be limited.
 */
const MAILINGS_PER_HOUR = 20;
const ANONYMOUS_A_MINUTE = 120;
const HINT_SYMBOLS = 4;

export interface AccessParts {
  readonly mode: StoreMode;
  readonly ledger: Pick<Ledger, "walletOf">;
  readonly serviceToken: string;
  readonly adminToken: string | null;
  readonly more?: MoreTokens;
  readonly windows: RateWindows;
  /** Pseudonym under which addresses are counted; the store never sees them. */
  readonly networkName: (address: string) => string;
  readonly now: () => number;
  readonly random: RandomSource;
}

/** `previous…` tokens are still accepted while their holders switch to the new ones. */
export interface MoreTokens {
  readonly previousService?: string | undefined;
  readonly previousAdmin?: string | undefined;
  readonly read?: string | undefined;
}

export function createAccess(parts: AccessParts): Access {
  const { mode, ledger, serviceToken, adminToken, more = {}, windows, networkName, now, random } = parts;
  const form = walletForm(mode);
  const requests = windows.open("wallet requests", MINUTE_MS);
  const failures = windows.open("failed authentications", MINUTE_MS);
  const creations = windows.open("creations", HOUR_MS);
  const mailings = windows.open("mailings", HOUR_MS);
  // Counted in this process only, so that a flood of unauthenticated requests causes no writes in the store.
  const anonymous = createSlidingWindow();
  const isExempt = (address: string) => mode === "test" && isLoopback(address);
  const hashOf = (token: string) => parseKey(token, [form])?.hash ?? null;

  return {
    mint() {
      const token = generateKey(form, random);
      return { token, hash: hashed(token), hint: token.slice(-HINT_SYMBOLS) };
    },
    hashOf,
    async wallet(token) {
      const hash = hashOf(token);
      const wallet = hash === null ? null : await ledger.walletOf(hash, now());
      return wallet?.status === "closed" ? null : wallet;
    },
    isService: matcherOf([serviceToken, more.previousService]),
    isOperator: matcherOf([adminToken, more.previousAdmin]),
    isReader: matcherOf([more.read]),
    async enter(walletId, address) {
      if (isExempt(address)) return { admitted: true, fields: {} };
      const limit = WALLET_REQUESTS_PER_MINUTE;
      const { accepted, remaining, resetMs } = await requests.take(walletId, limit);
      const resetSeconds = Math.ceil(resetMs / 1000);
      const fields = policyFields([{ name: "minute", quota: limit, windowSeconds: 60, remaining, resetSeconds }]);
      return accepted ? { admitted: true, fields } : { admitted: false, fields, retryAfter: resetSeconds };
    },
    async failed(address) {
      if (isExempt(address)) return null;
      return waitIn(await failures.take(networkName(address), FAILED_AUTHENTICATIONS_PER_MINUTE));
    },
    anonymous(address) {
      if (isExempt(address)) return null;
      return waitIn(anonymous.take(networkName(address), ANONYMOUS_A_MINUTE, now()));
    },
    async creating(address) {
      if (mode === "test") return null;
      return waitIn(await creations.take(networkName(address), CREATIONS_AN_HOUR));
    },
    async mailing(address) {
      if (isExempt(address)) return null;
      return waitIn(await mailings.take(networkName(address), MAILINGS_PER_HOUR));
    },
  };
}

export const ADMIN_FORM: KeyForm = { prefix: "rail_admin_", test: false };
export const READ_FORM: KeyForm = { prefix: "rail_read_", test: false };

/** Compares with every token, so that the duration does not reveal which one matched. */
function matcherOf(tokens: readonly (string | null | undefined)[]): (token: string) => boolean {
  const matchers = tokens.filter((token) => typeof token === "string").map(timingSafeMatcher);
  return (token) => matchers.map((matches) => matches(token)).includes(true);
}

function walletForm(mode: StoreMode): KeyForm {
  return { prefix: `rail_${mode}_`, test: mode === "test" };
}

function waitIn({ accepted, resetMs }: { readonly accepted: boolean; readonly resetMs: number }): number | null {
  return accepted ? null : Math.ceil(resetMs / 1000);
}

function hashed(token: string): string {
  return hash("sha256", token, "hex");
}
