/**
 * Three authentication modes of one service: full metering, key lookup without counting, and open access. Compared
 * within one process, because two processes of the same program differ by more than metering costs (JIT compilation
 * varies).
 */
import type { KeyCache } from "@triptych/api-keys";
import type { Meter } from "@triptych/usage-metering";
import type { Access, AdmittedRequest, ApiKeyOwner } from "../src/domain/access.ts";
import { createAccess, verifyIn } from "../src/store/access.ts";

export type AuthMode = "metering" | "keys only" | "open";

export interface AuthModes {
  readonly access: Access;
  /**
   * No request may be in flight. Resolves when all usage so far is written, so that the next mode does not pay for it.
   */
  use(mode: AuthMode): Promise<void>;
}

export function createAuthModes({ ring, meter }: { readonly ring: KeyCache; readonly meter: Meter }): AuthModes {
  const accessByMode: Readonly<Record<AuthMode, Access>> = {
    metering: createAccess({ ring, meter }),
    "keys only": { ...createOpenAccess(), verify: verifyIn(ring) },
    open: createOpenAccess(),
  };
  let inUse = accessByMode.metering;
  return {
    access: {
      verify: (presented) => inUse.verify(presented),
      enter: (holder, items) => inUse.enter(holder, items),
      usage: (holder, entry, period) => inUse.usage(holder, entry, period),
      close: () => inUse.close(),
    },
    async use(mode) {
      await meter.flush();
      inUse = accessByMode[mode];
    },
  };
}

const NO_RATE_LIMIT: AdmittedRequest["rateLimit"] = {
  minute: { limit: 0, remaining: 0, resetSeconds: 0 },
  day: { date: "", limit: null, used: 0, remaining: null, resetSeconds: 0 },
};

function createOpenAccess(): Access {
  const holder: ApiKeyOwner = { id: "key_everybody", name: "everybody", plan: "pro", test: true, dailyItems: "none" };
  return {
    verify: () => ({ state: "valid", holder }),
    enter: async (_, items) => {
      const entry: AdmittedRequest = {
        granted: items,
        exhaustedFor: null,
        rateLimit: NO_RATE_LIMIT,
        fields: () => ({}),
        narrow: () => Promise.resolve(),
        settle: () => Promise.resolve(),
      };
      return { verdict: "entered", entry };
    },
    usage: () => Promise.reject(new Error("usage is not recorded here")),
    close: () => Promise.resolve(),
  };
}
