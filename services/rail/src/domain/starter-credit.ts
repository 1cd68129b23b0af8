/**
 * Starter credit of new wallets. In mode test every wallet gets it, because it is worth nothing. In mode live an
 * address gets it once. Limits per network and per day bound abuse with many addresses.
 */
import { STARTER_CREDIT_MICRO } from "@triptych/contracts";
import type { StarterPolicy, StoreMode, StarterGrant } from "./ledger.ts";

const DAY_MS = 86_400_000;
const PER_NETWORK_A_DAY = 3;
const PER_NETWORK_IN_30_DAYS = 10;
/** 20 EUR. */
const A_DAY_IN_ALL_MICRO = 20_000_000;

export interface StarterAsk {
  readonly mode: StoreMode;
  /** Whether the address still needs verification: requires a mailer. */
  readonly mustVerify: boolean;
  readonly emailLookup: string;
  readonly network: string;
  readonly now: number;
}

export function judgeStarter({ mode, mustVerify, emailLookup, network, now }: StarterAsk): StarterPolicy {
  return (grants) => {
    if (mode === "test") return "granted";
    // The same result for known and unknown addresses, so that nobody can probe them.
    if (mustVerify) return "pending_verification";
    if (grants.some((grant) => grant.emailLookup === emailLookup)) return "already_used";

    const since = (days: number) => grants.filter(({ at }) => at > now - days * DAY_MS);
    const ofNetwork = (grant: StarterGrant) => grant.network === network;
    const today = since(1);
    const spentMicro = today.reduce((sum, { amountMicro }) => sum + amountMicro, 0);
    const isDeferred =
      today.filter(ofNetwork).length >= PER_NETWORK_A_DAY ||
      since(30).filter(ofNetwork).length >= PER_NETWORK_IN_30_DAYS ||
      spentMicro + STARTER_CREDIT_MICRO > A_DAY_IN_ALL_MICRO;
    return isDeferred ? "deferred" : "granted";
  };
}

/** Wallets created by an operator get no credit in mode live, because an operator must not give money away. */
export function judgeByOperator(mode: StoreMode): StarterPolicy {
  return () => (mode === "test" ? "granted" : "deferred");
}
