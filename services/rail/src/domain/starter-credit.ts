/**
 * Starter credit for new wallets. In test mode, every wallet gets it, because it has no value. In live mode, an address
 * gets it once. Limits per network and per day bound abuse with many addresses.
 */
import { STARTER_CREDIT_MICRO } from "@triptych/contracts";
import type { StarterPolicy, StoreMode, StarterGrant } from "./ledger.ts";

const DAY_MS = 86_400_000;
const PER_NETWORK_A_DAY = 3;
const PER_NETWORK_IN_30_DAYS = 10;
/** 20 EUR. */
const PER_DAY_TOTAL_MICRO = 20_000_000;

export interface StarterAsk {
  readonly mode: StoreMode;
  /** Whether the address must be verified first, which requires a mailer. */
  readonly mustVerify: boolean;
  readonly emailLookup: string;
  readonly network: string;
  readonly now: number;
}

export function judgeStarter({ mode, mustVerify, emailLookup, network, now }: StarterAsk): StarterPolicy {
  return (grants) => {
    if (mode === "test") return "granted";
    // Known and unknown addresses get the same result, so that nobody can find out which are known.
    if (mustVerify) return "pending_verification";
    if (grants.some((grant) => grant.emailLookup === emailLookup)) return "already_used";

    const since = (days: number) => grants.filter(({ at }) => at > now - days * DAY_MS);
    const ofNetwork = (grant: StarterGrant) => grant.network === network;
    const today = since(1);
    const spentMicro = today.reduce((sum, { amountMicro }) => sum + amountMicro, 0);
    const isDeferred =
      today.filter(ofNetwork).length >= PER_NETWORK_A_DAY ||
      since(30).filter(ofNetwork).length >= PER_NETWORK_IN_30_DAYS ||
      spentMicro + STARTER_CREDIT_MICRO > PER_DAY_TOTAL_MICRO;
    return isDeferred ? "deferred" : "granted";
  };
}

/** In live mode, wallets created by an operator get no credit, because an operator must not give money away. */
export function judgeByOperator(mode: StoreMode): StarterPolicy {
  return () => (mode === "test" ? "granted" : "deferred");
}
