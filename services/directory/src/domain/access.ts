/** The order is `verify`, `enter`, then exactly one `settle` per entry, whatever the outcome. */
import type { AnswerOf, getUsage } from "@triptych/contracts";
import type { PlanId } from "./plans.ts";

export interface ApiKeyOwner {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanId;
  readonly test: boolean;
  readonly dailyItems: number | "none" | "plan";
}

export type Verdict =
  | { readonly state: "valid"; readonly holder: ApiKeyOwner }
  /** `invalid`: unknown or mistyped; callers cannot distinguish the two. */
  | { readonly state: "invalid" | "revoked" | "expired" };

export interface AdmittedRequest {
  /** The requested number, or the rest of the daily quota. */
  readonly granted: number;
  /** Seconds to wait when items were requested and the quota is used up, else null. */
  readonly exhaustedFor: number | null;
  fields(items: number): Readonly<Record<string, string>>;
  narrow(items: number): Promise<void>;
  /** Current usage: includes this request in the minute, not in the day. */
  readonly rateLimit: RateLimitStatus;
  settle(outcome: Outcome): Promise<void>;
}

export interface RateLimitStatus {
  readonly minute: { readonly limit: number; readonly remaining: number; readonly resetSeconds: number };
  readonly day: {
    readonly date: string;
    /** Null if unlimited. */
    readonly limit: number | null;
    readonly used: number;
    readonly remaining: number | null;
    readonly resetSeconds: number;
  };
}

export interface Outcome {
  readonly requestId: string;
  readonly route: string;
  readonly status: number;
  readonly items: number;
  readonly bytes: number;
  readonly geo: boolean;
}

export type Admission =
  | { readonly verdict: "entered"; readonly entry: AdmittedRequest }
  /** The request was not counted. After `retryAfter` seconds, a retry is admitted. */
  | { readonly verdict: "rate_limited"; readonly retryAfter: number; readonly fields: Readonly<Record<string, string>> }
  | { readonly verdict: "overloaded"; readonly retryAfter: number };

export type UsageReport = AnswerOf<typeof getUsage>;

export interface Access {
  verify(presented: string): Verdict;
  /** @param items items the response may contain; Infinity for the rest of the quota. */
  enter(holder: ApiKeyOwner, items: number): Promise<Admission>;
  usage(
    holder: ApiKeyOwner,
    entry: AdmittedRequest,
    period: { readonly from: string; readonly to: string },
  ): Promise<UsageReport>;
  close(): Promise<void>;
}
