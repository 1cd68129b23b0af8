/**
 * The way from a gateway to the rail. A transport gives up by itself after a bounded time, and rejects whenever it has no answer of
 * the rail's: the request may then have arrived or not, and may still arrive. The verdicts that change what the client does are values.
 */
import type { AnswerOf, BodyOf, chargeBatch, helloInstance, resolveWallet } from "@triptych/contracts";

export type ChargeBatch = BodyOf<typeof chargeBatch>;
export type ChargeResults = AnswerOf<typeof chargeBatch>["results"];
export type Hello = AnswerOf<typeof helloInstance>;
export type ResolvedWallet = AnswerOf<typeof resolveWallet>;

export interface BillingTransport {
  hello(greeting: BodyOf<typeof helloInstance>): Promise<Hello | "fenced">;
  /** null: no open wallet has this token. */
  resolve(walletHash: string): Promise<ResolvedWallet | null>;
  charge(batch: ChargeBatch): Promise<ChargeResults | "fenced">;
}

/** Timers are given, so that a simulator can own the time. */
export interface Timers {
  /** Runs `act` once after so many milliseconds, unless the answered function is called before. */
  after(ms: number, act: () => void): () => void;
}
