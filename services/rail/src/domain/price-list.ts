/** What costs how much. The rail alone says it: a gateway names a price by its id, and a buyer a thing by its sku. */
import { DECISION_PRICE_ID, DECISION_PRICE_MICRO } from "@triptych/contracts";

export interface CatalogItem {
  readonly sku: string;
  readonly priceId: string;
  readonly amountMicro: number;
  readonly title: string;
}

export interface PriceList {
  /** Of one decision; null for a price that there is not. */
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
        title: "A routing head of your own, trained on your tool vocabulary",
      },
    ],
  };
}
