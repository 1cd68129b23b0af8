import { liveAndTest, type ApiKey, type KeyCache } from "@triptych/api-keys";
import { rateLimitHeaders } from "@triptych/rate-limit";
import {
  ALL_ITEMS,
  definePlans,
  parsePriceTiers,
  totalOf,
  type Admission as Metered,
  type Meter,
  type Plans,
  type Reservation,
  type RateLimitStatus,
  type UsageSums,
} from "@triptych/usage-metering";
import type { Access, Admission, AdmittedRequest, ApiKeyOwner, UsageReport, Verdict } from "../domain/access.ts";
import { PLANS, type PlanId } from "../domain/plans.ts";

export interface AccessParts {
  readonly ring: KeyCache;
  readonly meter: Meter;
}

export const KEY_FORMS = liveAndTest("dir");

/** @param tiers JSON of `DIRECTORY_PRICE_TIERS`; throws an error that describes what is invalid. */
export function meteredPlans(tiers: string): Plans {
  return definePlans(
    Object.values(PLANS).map(({ id, itemsPerDay, requestsPerMinute }) => {
      const paid = id === "pro";
      return { id, itemsPerDay, requestsPerMinute, raisable: paid, tiers: paid ? parsePriceTiers(tiers) : [] };
    }),
  );
}

const POLICIES = { minute: "minute", day: "items-day", unit: "items" };

export function createAccess({ ring, meter }: AccessParts): Access {
  return {
    verify: verifyIn(ring),

    async enter(holder, items) {
      return admissionOf(await meter.admit(holder, Math.min(items, ALL_ITEMS)));
    },

    async usage(holder, { rateLimit }, { from, to }) {
      const days = await meter.usage(holder.id, from, to);
      return report(holder, rateLimit, days);
    },

    async close() {
      await ring.close();
      await meter.close();
    },
  };

  function admissionOf(metered: Metered): Admission {
    switch (metered.verdict) {
      case "overloaded":
        return { verdict: "overloaded", retryAfter: metered.retryAfter };
      case "rate_limited":
        return {
          verdict: "rate_limited",
          retryAfter: metered.retryAfter,
          fields: rateLimitHeaders(metered.rateLimit, POLICIES, 0),
        };
      case "accepted":
      case "quota_exceeded": {
        const exhaustedFor = metered.verdict === "quota_exceeded" ? metered.retryAfter : null;
        return { verdict: "entered", entry: entryOf(metered, exhaustedFor) };
      }
    }
  }

  function entryOf(
    { reservation, rateLimit }: { reservation: Reservation; rateLimit: RateLimitStatus },
    exhaustedFor: number | null,
  ): AdmittedRequest {
    return {
      granted: reservation.granted,
      exhaustedFor,
      rateLimit,
      fields: (items) => rateLimitHeaders(rateLimit, POLICIES, items),
      narrow: (items) => meter.shrinkReservation(reservation, items),
      settle: (outcome) => meter.settle(reservation, outcome),
    };
  }
}

type Holder = ApiKey & { readonly plan: PlanId };
type Found = Exclude<Verdict, { state: "valid" }> | { readonly state: "valid"; readonly holder: Holder };

export function verifyIn(ring: KeyCache): (presented: string) => Found {
  return (presented) => {
    const verdict = ring.verify(presented);
    if (verdict.state !== "valid") return { state: verdict.state };
    const { key } = verdict;
    if (!isHolder(key)) throw new Error(`key ${key.id} has the unknown plan ${key.plan}`);
    return { state: "valid", holder: key };
  };
}

function isHolder(key: ApiKey): key is Holder {
  return Object.hasOwn(PLANS, key.plan);
}

function report(
  holder: ApiKeyOwner,
  { minute, day }: AdmittedRequest["rateLimit"],
  days: readonly ({ readonly date: string } & UsageSums)[],
): UsageReport {
  const { id, name, plan, test } = holder;
  return {
    key: { id, name, plan, test },
    minute: { limit: minute.limit, remaining: minute.remaining, reset_seconds: minute.resetSeconds },
    day: {
      date: day.date,
      limit: day.limit,
      used: day.used,
      remaining: day.remaining,
      reset_seconds: day.resetSeconds,
    },
    month: sums(totalOf(days)),
    days: days.map((usage) => ({ date: usage.date, ...sums(usage) })),
  };
}

function sums({ requests, items, bytes, geoRequests, amountMicro }: UsageSums) {
  return { requests, items, bytes, geo_requests: geoRequests, amount_micro: amountMicro };
}
