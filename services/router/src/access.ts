import { timingSafeMatcher } from "@triptych/api-keys";
import { createSlidingWindow, policyFields } from "@triptych/rate-limit";
import type { Access } from "./domain/access.ts";

export interface AccessParts {
  /** Null if the router accepts every caller. */
  readonly routerToken: string | null;
  /** Whether other machines can reach the router. */
  readonly isReachable: boolean;
  readonly serviceToken: string;
  /** Decisions per minute and owner; null for no limit. */
  readonly rate: number | null;
  readonly now: () => number;
}

export function createAccess({ routerToken, isReachable, serviceToken, rate, now }: AccessParts): Access {
  const window = createSlidingWindow();
  return {
    needsToken: routerToken !== null,
    isReadOnly: routerToken === null && isReachable,
    isCaller: routerToken === null ? () => false : timingSafeMatcher(routerToken),
    isService: timingSafeMatcher(serviceToken),
    enter(owner) {
      if (rate === null) return null;
      const { accepted, remaining, resetMs } = window.take(owner, rate, now());
      const resetSeconds = Math.ceil(resetMs / 1000);
      const fields = policyFields([{ name: "minute", quota: rate, windowSeconds: 60, remaining, resetSeconds }]);
      return { fields, retryAfter: accepted ? null : resetSeconds };
    },
  };
}
