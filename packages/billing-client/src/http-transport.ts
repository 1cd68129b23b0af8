/** The rail over HTTP. Each call is one request; the billing client decides about retries. */
import { chargeBatch, helloInstance, resolveWallet } from "@triptych/contracts";
import { createClient, ProblemError } from "@triptych/client";
import type { BillingTransport, Timers } from "./transport.ts";

export interface HttpTransportOptions {
  readonly url: string;
  readonly serviceToken: () => string;
  /** Timeout per request. Default 1 000 ms, so that an attempt can be retried within its 2 s. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export function createHttpTransport(options: HttpTransportOptions): BillingTransport {
  const { url, serviceToken, timeoutMs = 1000 } = options;
  const client = () =>
    createClient({
      url,
      retries: 0,
      timeoutMs,
      headers: { Authorization: `Bearer ${serviceToken()}` },
      ...(options.fetch && { fetch: options.fetch }),
    });

  return {
    hello: (body) =>
      client()
        .call(helloInstance, { body })
        .then((reply) => reply.body, verdict("fenced", "fenced" as const)),
    resolve: (walletHash) =>
      client()
        .call(resolveWallet, { body: { wallet_hash: walletHash } })
        .then((reply) => reply.body, verdict("wallet_not_found", null)),
    charge: (body) =>
      client()
        .call(chargeBatch, { body })
        .then((reply) => reply.body.results, verdict("fenced", "fenced" as const)),
  };
}

/** Converts a problem with this code to a value; rethrows other errors. */
function verdict<V>(code: string, value: V): (error: unknown) => V {
  return (error) => {
    if (error instanceof ProblemError && error.code === code) return value;
    throw error;
  };
}

export const systemTimers: Timers = {
  after(ms, act) {
    if (ms <= 0) {
      const immediate = setImmediate(act);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
