/** Records the requests and responses of third-party clients, and checks them against the published document. */
import assert from "node:assert/strict";
import { faultsOf, memberOf, type HttpExchange } from "./published.ts";

export function assertAsPublished(exchanges: readonly HttpExchange[]): void {
  for (const exchange of exchanges) {
    const { method, path, status } = exchange;
    assert.deepEqual(faultsOf(exchange), [], `${method} ${path} -> ${status}`);
  }
}

/** A `fetch` that records requests and responses. */
export function recorder(base: string) {
  const exchanges: HttpExchange[] = [];
  const recording: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const address = new URL(input instanceof Request ? input.url : input);
    const path = address.pathname.slice(new URL(base).pathname.length);
    const sent: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
    // Redirects, logs and 304 responses have no JSON.
    if (response.headers.get("content-type")?.includes("json") !== true) return response;
    const body: unknown = await response.clone().json();
    const query = address.searchParams;
    exchanges.push({ method: init?.method ?? "GET", path, query, sent, status: response.status, body });
    return response;
  };
  return { exchanges, fetch: recording };
}

/** The status of a rejected request. */
export async function statusOf(pending: Promise<unknown>): Promise<unknown> {
  const fault: unknown = await pending.then(
    () => null,
    (error: unknown) => error,
  );
  return memberOf(fault, "status");
}
