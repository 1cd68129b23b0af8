/** Queries the rail over HTTP: entitlements, catalog, readiness. Charges use `rail-transport.ts`. */
import { createClient, ProblemError, type Client } from "@triptych/client";
import { checkEntitlement, CUSTOM_HEAD_SKU, findDelivered, getCatalog, type Endpoint } from "@triptych/contracts";
import { traceCall, type Tracing } from "@triptych/tracing";
import type { RailFacts, RailTerms } from "../domain/billing.ts";

export interface RailFactsOptions {
  readonly url: string;
  readonly serviceToken: string;
  readonly tracing: Tracing | null;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

const ANSWER_MS = 1000;
const READINESS_TTL_MS = 1000;
/** Prices and limits change only when the rail restarts. */
const TERMS_TTL_MS = 30_000;

export function createRailFacts({ url, serviceToken, tracing, now, onError }: RailFactsOptions): RailFacts {
  const clientWith = (headers: Readonly<Record<string, string>>) =>
    createClient({ url, retries: 1, headers: { Authorization: `Bearer ${serviceToken}`, ...headers } });
  /** Runs a query in the trace of the current request. */
  function traced<T>({ method, path }: Endpoint, work: (client: Client) => Promise<T>): Promise<T> {
    const parent = tracing?.current() ?? null;
    if (parent === null) return work(clientWith({}));
    const attributes = { "http.request.method": method, "http.route": path, "peer.service": "rail" };
    return traceCall(tracing, { name: `${method} ${path}`, parent, attributes }, (headers) =>
      work(clientWith(headers)),
    );
  }
  const signal = () => AbortSignal.timeout(ANSWER_MS);
  const health = cachedFor(now, READINESS_TTL_MS, async () => {
    const answer = await fetch(`${url}/readyz`, { signal: signal() });
    await answer.arrayBuffer();
    return answer.ok;
  });
  let cachedTerms: { readonly terms: RailTerms; readonly at: number } | null = null;

  return {
    async isEntitled({ walletHash, sku, ref }) {
      try {
        const query = { wallet_hash: walletHash, sku, ref };
        const { body } = await traced(checkEntitlement, (client) =>
          client.call(checkEntitlement, { query, signal: signal() }),
        );
        return body.entitled;
      } catch (error) {
        if (error instanceof ProblemError && error.code === "wallet_not_found") return false;
        onError(error);
        return null;
      }
    },
    async delivered(query) {
      try {
        const { body } = await traced(findDelivered, (client) =>
          client.call(findDelivered, { body: query, signal: signal() }),
        );
        return body.charge;
      } catch (error) {
        onError(error);
        return null;
      }
    },
    async terms() {
      if (cachedTerms !== null && now() - cachedTerms.at < TERMS_TTL_MS) return cachedTerms.terms;
      try {
        const { body } = await traced(getCatalog, (client) => client.call(getCatalog, { signal: signal() }));
        const { items, ...figures } = body;
        const item = items.find(({ sku }) => sku === CUSTOM_HEAD_SKU);
        if (item !== undefined) cachedTerms = { terms: { ...figures, customHeadMicro: item.amount_micro }, at: now() };
      } catch (error) {
        onError(error);
      }
      return cachedTerms?.terms ?? null;
    },
    isHealthy: () => health().catch(() => false),
  };
}

/** Caches a result for `ttlMs`; concurrent callers share one query. */
function cachedFor<T>(now: () => number, ttlMs: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly answer: Promise<T>; readonly at: number } | null = null;
  return () => {
    if (last === null || now() - last.at >= ttlMs) last = { answer: ask(), at: now() };
    return last.answer;
  };
}
