import type { AnswerOf, BodyOf, DeliveredCharge, findDelivered, getCatalog } from "@triptych/contracts";

export interface RailTerms extends Omit<AnswerOf<typeof getCatalog>, "items"> {
  readonly customHeadMicro: number;
}

export interface RailFacts {
  /** Whether the wallet has bought this; null when the rail is unavailable. */
  isEntitled(purchase: {
    readonly walletHash: string;
    readonly sku: string;
    readonly ref: string;
  }): Promise<boolean | null>;
  /** The delivered charge of a key for this request; null when there is none or the rail is unavailable. */
  delivered(query: BodyOf<typeof findDelivered>): Promise<DeliveredCharge | null>;
  /** The last known terms; null before the first response. */
  terms(): Promise<RailTerms | null>;
  /** Whether the rail is ready; cached for a second. */
  isWell(): Promise<boolean>;
}
