/**
 * Sends charges over keep-alive connections. The billing client handles retries. Requests are not compressed, because
 * between two services compression costs more than it saves.
 */
import type { BillingTransport, Origin } from "@triptych/billing-client";
import {
  chargeBatch,
  helloInstance,
  resolveWallet,
  type AnswerOf,
  type Endpoint,
  type ProblemCode,
} from "@triptych/contracts";
import { traceCall, type Tracing } from "@triptych/tracing";
import { Pool } from "undici";
import { sendRequest } from "../http-request.ts";

export interface RailTransportOptions {
  readonly url: string;
  readonly serviceToken: string;
  readonly tracing: Tracing | null;
}

/** Leaves time for one retry within the two seconds of an attempt. */
const ANSWER_MS = 1000;
/** One connection for the batch in flight, the others for token lookups. */
const CONNECTIONS = 16;
/** More than 64 replays with encrypted responses of 16 KiB each. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

export function openRailTransport({
  url,
  serviceToken,
  tracing,
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
  const headers = { authorization: `Bearer ${serviceToken}`, "content-type": "application/json" };

  /** Returns the response, or null if the rail rejects with this code. Rejects on other errors. */
  async function ask<E extends Endpoint>(
    { path }: E,
    body: unknown,
    { verdict, origins }: { readonly verdict: ProblemCode; readonly origins: readonly Origin[] },
  ): Promise<AnswerOf<E> | null> {
    const text = JSON.stringify(body);
    const send = (traced: Readonly<Record<string, string>>) => {
      const request = { method: "POST", path: prefix + path, headers: { ...headers, ...traced }, body: text } as const;
      return sendRequest({ pool, timeoutMs: ANSWER_MS, ...request });
    };
    // A batch continues the trace of its first charge and links to the traces of the others. Heartbeats have no trace.
    const [parent, ...links] = origins;
    const attributes = { "http.request.method": "POST", "http.route": path, "peer.service": "rail" };
    const { status, body: answered } = await (parent === undefined
      ? send({})
      : traceCall(tracing, { name: `POST ${path}`, parent, links, attributes }, send));
    const parsed: unknown = JSON.parse(answered.toString());
    // The rail validates its responses with the same contract.
    if (status === 200) return parsed as AnswerOf<E>;
    const code = typeof parsed === "object" && parsed !== null && "code" in parsed ? String(parsed.code) : "no code";
    if (code === verdict) return null;
    throw new Error(`The rail returned ${status} ${code} for ${path}.`);
  }

  return {
    hello: async (greeting) => (await ask(helloInstance, greeting, { verdict: "fenced", origins: [] })) ?? "fenced",
    resolve(walletHash) {
      const current = tracing?.current() ?? null;
      const origins = current === null ? [] : [current];
      return ask(resolveWallet, { wallet_hash: walletHash }, { verdict: "wallet_not_found", origins });
    },
    charge: async (batch, origins = []) =>
      (await ask(chargeBatch, batch, { verdict: "fenced", origins }))?.results ?? "fenced",
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
