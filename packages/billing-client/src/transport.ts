/**
 * Methods reject if the rail did not respond in time; the request may still have arrived, or may arrive later.
 * Responses that change the client's behavior are returned as values.
 */
import type { AnswerOf, BodyOf, chargeBatch, helloInstance, resolveWallet } from "@triptych/contracts";

export type ChargeBatch = BodyOf<typeof chargeBatch>;
export type ChargeResults = AnswerOf<typeof chargeBatch>["results"];
export type Hello = AnswerOf<typeof helloInstance>;
export type ResolvedWallet = AnswerOf<typeof resolveWallet>;

/** Trace headers of the request that caused a charge. */
export interface Origin {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export interface BillingTransport {
  hello(greeting: BodyOf<typeof helloInstance>): Promise<Hello | "fenced">;
  /** Null if no open wallet has this token. */
  resolve(walletHash: string): Promise<ResolvedWallet | null>;
  /** @param origins of the charges, if known. */
  charge(batch: ChargeBatch, origins?: readonly Origin[]): Promise<ChargeResults | "fenced">;
}

/** Injected, so that a simulator can control time. */
export interface Timers {
  /** Runs `act` once after the given milliseconds, unless the returned function is called first. */
  after(ms: number, act: () => void): () => void;
}
