export interface UsageSums {
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
  readonly geoRequests: number;
  readonly amountMicro: number;
}

export interface DayUsage extends UsageSums {
  readonly date: string;
}

/** A request to be booked; booking computes its amount. */
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

export interface InvoiceLine {
  /** `<service>:<key_id>:<YYYY-MM>`: the idempotency key for collecting the amount. */
  readonly name: string;
  readonly keyId: string;
  readonly month: string;
  readonly requests: number;
  readonly items: number;
  readonly amountMicro: number;
}

const NOTHING: UsageSums = { requests: 0, items: 0, bytes: 0, geoRequests: 0, amountMicro: 0 };

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
