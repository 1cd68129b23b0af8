/**
 * A typed client for any endpoint of the contracts. Problems become `ProblemError`. Temporary failures (408, 429, 502,
 * 503, 504, broken connections, timeouts) are retried a limited number of times, if the request is safe to repeat.
 */
import type { Endpoint } from "@triptych/contracts";
import { send, type Input, type Reply, type Transport } from "./request.ts";
import { delayOrThrow, type RetryPolicy } from "./retry.ts";

export interface ClientOptions extends Transport, RetryPolicy {}

export interface Client {
  /** Throws ProblemError for a problem response, and the error of `fetch` if there is no response. */
  call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Reply<E>>;
}

export function createClient(options: ClientOptions): Client {
  return {
    async call(endpoint, input) {
      const { idempotencyKey = endpoint.idempotent === true ? randomKey() : undefined, signal } = input;
      const keyed = idempotencyKey === undefined ? input : { ...input, idempotencyKey };
      const policy = endpoint.method === "GET" || idempotencyKey !== undefined ? options : { ...options, retries: 0 };
      for (let tried = 0; ; tried++) {
        try {
          return await send(options, endpoint, keyed);
        } catch (error) {
          await delayOrThrow(error, { tried, policy, ...(signal && { signal }) });
        }
      }
    },
  };
}

/** Does not use `randomUUID`, which browsers offer on https only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
