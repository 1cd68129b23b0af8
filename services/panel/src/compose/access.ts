/** Tokens and rate limits. */
import { hashKey, generateKey } from "@triptych/api-keys";
import type { RandomSource } from "@triptych/ids";
import { createSlidingWindow, policyFields } from "@triptych/rate-limit";
import type { Secrets } from "../domain/panel.ts";
import type { CountAnonymous, Counted, Enter } from "../http/identify.ts";

export function createSecrets(random: RandomSource): Secrets {
  return { hash: hashKey, mintAccessToken: () => generateKey({ prefix: "pnl_", test: false }, random) };
}

/** Above the real traffic of one address, and low enough that invalid bodies cost little. */
const ANONYMOUS_PER_MINUTE = 120;

export function createAnonymousCount(now: () => number): CountAnonymous {
  const window = createSlidingWindow();
  return (address) => {
    const { accepted, resetMs } = window.take(address, ANONYMOUS_PER_MINUTE, now());
    return accepted ? null : Math.ceil(resetMs / 1000);
  };
}

export type Rates = Readonly<Record<Counted, number>>;

/** Counts an account's requests per minute on this node. */
export function createEnter(rates: Rates, now: () => number): Enter {
  const windows = {
    all: createSlidingWindow(),
    runs: createSlidingWindow(),
    license: createSlidingWindow(),
    probe: createSlidingWindow(),
    prs: createSlidingWindow(),
  };
  return (counted, owner) => {
    const quota = rates[counted];
    const { accepted, remaining, resetMs } = windows[counted].take(owner, quota, now());
    const resetSeconds = Math.ceil(resetMs / 1000);
    const fields = policyFields([{ name: counted, quota, windowSeconds: 60, remaining, resetSeconds }]);
    return { fields, retryAfter: accepted ? null : resetSeconds };
  };
}
