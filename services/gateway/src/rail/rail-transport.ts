/**
 * The way of charges to the rail, over connections that are kept open. Each call is one request: what is sent again, and for how long, is
 * the billing client's to say. Nothing is compressed: between two services it would cost more than it saves.
 */
import { systemTimers, type BillingTransport } from "@triptych/client/billing";
import {
  chargeBatch,
  helloInstance,
  resolveWallet,
  type AnswerOf,
  type Endpoint,
  type ProblemCode,
} from "@triptych/contracts";
import { Pool } from "undici";
import { sendRequest } from "../http-request.ts";
import { createDeadlineQueue } from "../deadline-queue.ts";

export interface RailTransportOptions {
  /** Address of the rail as the gateway reaches it. */
  readonly url: string;
  readonly serviceToken: string;
  /** Milliseconds of a clock that only rises. */
  readonly now: () => number;
}

/** An attempt is sent again within the two seconds that it has. */
const ANSWER_MS = 1000;
/** One batch is in flight at a time; the others ask whose tokens come in. */
const CONNECTIONS = 16;
/** Above 64 replays with their sealed answers of 16 KiB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export function openRailTransport({
  url,
  serviceToken,
  now,
}: RailTransportOptions): BillingTransport & AsyncDisposable {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, "");
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    connect: { timeout: ANSWER_MS },
    maxResponseSize: ANSWER_BYTES_MAX,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const deadlines = createDeadlineQueue({ milliseconds: ANSWER_MS, now, timers: systemTimers });
  const headers = { authorization: `Bearer ${serviceToken}`, "content-type": "application/json" };

  /** The answer, or null where the rail refuses with this code; rejects whenever it has no other answer. */
  async function ask<E extends Endpoint>(
    { path }: E,
    body: unknown,
    verdict: ProblemCode,
  ): Promise<AnswerOf<E> | null> {
    const request = { method: "POST", path: prefix + path, headers, body: JSON.stringify(body) } as const;
    const { status, body: text } = await sendRequest({ pool, deadlines }, request);
    const parsed: unknown = JSON.parse(text.toString());
    // The rail validates what it sends by the same contract.
    if (status === 200) return parsed as AnswerOf<E>;
    const code = typeof parsed === "object" && parsed !== null && "code" in parsed ? String(parsed.code) : "no code";
    if (code === verdict) return null;
    throw new Error(`The rail answered ${path} with ${status} ${code}.`);
  }

  return {
    hello: async (greeting) => (await ask(helloInstance, greeting, "fenced")) ?? "fenced",
    resolve: (walletHash) => ask(resolveWallet, { wallet_hash: walletHash }, "wallet_not_found"),
    charge: async (batch) => (await ask(chargeBatch, batch, "fenced"))?.results ?? "fenced",
    async [Symbol.asyncDispose]() {
      await pool.destroy();
      deadlines[Symbol.dispose]();
    },
  };
}
