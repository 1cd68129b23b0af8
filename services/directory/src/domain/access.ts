/**
 * What the directory asks of its metering: whose key this is, whether the request may go on, and what it cost in the end.
 * The order is fixed: `verify`, `enter`, and for every entry exactly one `settle`, whatever became of the request.
 */
import type { AnswerOf, getUsage } from "@triptych/contracts";
import type { PlanId } from "./plans.ts";

export interface KeyHolder {
  readonly id: string;
  readonly name: string;
  readonly plan: PlanId;
  readonly test: boolean;
  /** Items a day: a figure of its own, no cap, or that of its plan. */
  readonly dailyItems: number | "none" | "plan";
}

export type Verdict =
  | { readonly state: "valid"; readonly holder: KeyHolder }
  /** `invalid` is unknown or mistyped: the caller is not told which. */
  | { readonly state: "invalid" | "revoked" | "expired" };

/** An admitted request: it counts in its minute, and `granted` items are reserved for it. */
export interface Entry {
  /** What was wanted, or what is left of the day. */
  readonly granted: number;
  /** Seconds to wait when items were wanted and none is left of the day, else null. */
  readonly exhaustedFor: number | null;
  /** Header fields that tell what is left once `items` have been sent. */
  fields(items: number): Readonly<Record<string, string>>;
  /** Gives back at once what a stream will surely not send: it sends at most `items`. */
  narrow(items: number): Promise<void>;
  /** Where the key stands, this request included in the minute and not in the day. */
  readonly standing: Standing;
  /** Gives back what was not sent and books the request. */
  settle(outcome: Outcome): Promise<void>;
}

export interface Standing {
  readonly minute: { readonly limit: number; readonly remaining: number; readonly resetSeconds: number };
  readonly day: {
    readonly date: string;
    /** Null: no cap. */
    readonly limit: number | null;
    readonly used: number;
    readonly remaining: number | null;
    readonly resetSeconds: number;
  };
}

export interface Outcome {
  readonly requestId: string;
  /** Template of the path, never the path itself. */
  readonly route: string;
  readonly status: number;
  readonly items: number;
  readonly bytes: number;
  readonly geo: boolean;
}

export type Admission =
  | { readonly verdict: "entered"; readonly entry: Entry }
  /** Not counted. `retryAfter` in seconds: a client that waits so long is accepted. */
  | { readonly verdict: "rate_limited"; readonly retryAfter: number; readonly fields: Readonly<Record<string, string>> }
  | { readonly verdict: "overloaded"; readonly retryAfter: number };

export type UsageReport = AnswerOf<typeof getUsage>;

export interface Access {
  verify(presented: string): Verdict;
  /** @param wanted items that the answer may hold; Infinity for all that is left of the day. */
  enter(holder: KeyHolder, wanted: number): Admission | Promise<Admission>;
  /** @param from first day, @param to last day, `YYYY-MM-DD`. */
  usage(holder: KeyHolder, entry: Entry, period: { readonly from: string; readonly to: string }): Promise<UsageReport>;
  close(): Promise<void>;
}
