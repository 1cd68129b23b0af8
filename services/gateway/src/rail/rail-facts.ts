/** The rail's facts over HTTP: entitlements, the catalogue, whether it can serve. Charges go another way (`till.ts`). */
import { createClient, ProblemError } from "@triptych/client";
import { checkEntitlement, CUSTOM_HEAD_SKU, findDelivered, getCatalog } from "@triptych/contracts";
import type { RailFacts, RailTerms } from "../domain/rail-facts.ts";

export interface RailFactsOptions {
  /** Address of the rail as the gateway reaches it. */
  readonly url: string;
  readonly serviceToken: string;
  /** Milliseconds of a clock that only rises. */
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
}

const ANSWER_MS = 1000;
const KEPT_MS = 1000;
/** Prices and bounds change with a restart of the rail. */
const TERMS_KEPT_MS = 30_000;

export function createRailFacts({ url, serviceToken, now, onTrouble }: RailFactsOptions): RailFacts {
  const client = createClient({ url, retries: 1, headers: { Authorization: `Bearer ${serviceToken}` } });
  const signal = () => AbortSignal.timeout(ANSWER_MS);
  const wellness = kept(now, KEPT_MS, async () => {
    const answer = await fetch(`${url}/readyz`, { signal: signal() });
    await answer.arrayBuffer();
    return answer.ok;
  });
  let told: { readonly terms: RailTerms; readonly at: number } | null = null;

  return {
    async isEntitled({ walletHash, sku, ref }) {
      try {
        const query = { wallet_hash: walletHash, sku, ref };
        const { body } = await client.call(checkEntitlement, { query, signal: signal() });
        return body.entitled;
      } catch (error) {
        if (error instanceof ProblemError && error.code === "wallet_not_found") return false;
        onTrouble(error);
        return null;
      }
    },
    async delivered(asked) {
      try {
        return (await client.call(findDelivered, { body: asked, signal: signal() })).body.charge;
      } catch (error) {
        onTrouble(error);
        return null;
      }
    },
    async terms() {
      if (told !== null && now() - told.at < TERMS_KEPT_MS) return told.terms;
      try {
        const { items, ...figures } = (await client.call(getCatalog, { signal: signal() })).body;
        const item = items.find(({ sku }) => sku === CUSTOM_HEAD_SKU);
        if (item !== undefined) told = { terms: { ...figures, customHeadMicro: item.amount_micro }, at: now() };
      } catch (error) {
        onTrouble(error);
      }
      return told?.terms ?? null;
    },
    isWell: () => wellness().catch(() => false),
  };
}

/** Asks again only after so many milliseconds; who asks meanwhile shares the answer. */
function kept<T>(now: () => number, keptMs: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly answer: Promise<T>; readonly at: number } | null = null;
  return () => {
    if (last === null || now() - last.at >= keptMs) last = { answer: ask(), at: now() };
    return last.answer;
  };
}
