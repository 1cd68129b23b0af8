/**
 * Charges over keep-alive connections; the billing client owns retries. No compression: between two services it
 * costs more than it saves.
 */
import type { BillingTransport } from "@triptych/billing-client";
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

export interface RailTransportOptions {
  readonly url: string;
  readonly serviceToken: string;
}

/** Leaves time for a retry within the two seconds of an attempt. */
const ANSWER_MS = 1000;
/** One connection for the batch in flight, the others for token lookups. */
const CONNECTIONS = 16;
/** Above 64 replays with encrypted responses of 16 KiB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export function openRailTransport({ url, serviceToken }: RailTransportOptions): BillingTransport & AsyncDisposable {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, "");
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    connect: { timeout: ANSWER_MS },
    maxResponseSize: ANSWER_BYTES_MAX,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const headers = { authorization: `Bearer ${serviceToken}`, "content-type": "application/json" };

  /** The response, or null when the rail refuses with this code; rejects otherwise. */
  async function ask<E extends Endpoint>(
    { path }: E,
    body: unknown,
    verdict: ProblemCode,
  ): Promise<AnswerOf<E> | null> {
    const request = { method: "POST", path: prefix + path, headers, body: JSON.stringify(body) } as const;
    const { status, body: text } = await sendRequest({ pool, timeoutMs: ANSWER_MS, ...request });
    const parsed: unknown = JSON.parse(text.toString());
    // The rail validates its responses with the same contract.
    if (status === 200) return parsed as AnswerOf<E>;
    const code = typeof parsed === "object" && parsed !== null && "code" in parsed ? String(parsed.code) : "no code";
    if (code === verdict) return null;
    throw new Error(`The rail returned ${status} ${code} for ${path}.`);
  }

  return {
    hello: async (greeting) => (await ask(helloInstance, greeting, "fenced")) ?? "fenced",
    resolve: (walletHash) => ask(resolveWallet, { wallet_hash: walletHash }, "wallet_not_found"),
    charge: async (batch) => (await ask(chargeBatch, batch, "fenced"))?.results ?? "fenced",
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
