/** Prices. Only the rail sets them: a gateway sends a price ID, a buyer sends a SKU. */
import { DECISION_PRICE_ID, DECISION_PRICE_MICRO } from "@triptych/contracts";

export interface CatalogItem {
  readonly sku: string;
  readonly priceId: string;
  readonly amountMicro: number;
  readonly title: string;
}

export interface PriceList {
  /** Price of one decision; null for an unknown id. */
  decisionMicro(priceId: string): number | null;
  readonly catalog: readonly CatalogItem[];
}

export function createPriceList({ customHeadMicro }: { readonly customHeadMicro: number }): PriceList {
  return {
    decisionMicro: (priceId) => (priceId === DECISION_PRICE_ID ? DECISION_PRICE_MICRO : null),
    catalog: [
      {
        sku: "custom-head",
        priceId: "custom-head-v1",
        amountMicro: customHeadMicro,
        title: "A custom routing head, trained on your own routes",
      },
    ],
  };
}
