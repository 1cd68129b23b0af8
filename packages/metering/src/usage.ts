/** What is remembered of use: one row per answered request, and its sums per key and UTC day. */

export interface UsageSums {
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
  readonly geoRequests: number;
  /** Micro-euros; see `priceOf`. */
  readonly amountMicro: number;
}

/** The roll-up of one key and day. */
export interface DayUsage extends UsageSums {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
}

/** An answered request on its way into the books; its amount is found when it is booked. */
export interface UsageRow {
  readonly id: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly at: number;
  readonly day: string;
  readonly route: string;
  readonly status: number;
  readonly items: number;
  readonly bytes: number;
  readonly geo: boolean;
  readonly test: boolean;
  readonly plan: string;
}

const NOTHING: UsageSums = { requests: 0, items: 0, bytes: 0, geoRequests: 0, amountMicro: 0 };

/** The sums of several days. */
export function totalOf(days: readonly UsageSums[]): UsageSums {
  return days.reduce(
    (sum, day) => ({
      requests: sum.requests + day.requests,
      items: sum.items + day.items,
      bytes: sum.bytes + day.bytes,
      geoRequests: sum.geoRequests + day.geoRequests,
      amountMicro: sum.amountMicro + day.amountMicro,
    }),
    NOTHING,
  );
}
