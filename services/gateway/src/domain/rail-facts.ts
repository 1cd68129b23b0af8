/** What the gateway asks of the rail beside charging. */
import type { AnswerOf, BodyOf, DeliveredCharge, findDelivered, getCatalog } from "@triptych/contracts";

/** The rail's own figures, as it is configured. */
export interface RailTerms extends Omit<AnswerOf<typeof getCatalog>, "items"> {
  readonly customHeadMicro: number;
}

export interface RailFacts {
  /** Whether the wallet has bought this; null when the rail gives no answer. */
  isEntitled(purchase: {
    readonly walletHash: string;
    readonly sku: string;
    readonly ref: string;
  }): Promise<boolean | null>;
  /** The charge of a key that was delivered for this request; null where there is none, or the rail gives no answer. */
  delivered(query: BodyOf<typeof findDelivered>): Promise<DeliveredCharge | null>;
  /** As the rail last told; null before it ever has. */
  terms(): Promise<RailTerms | null>;
  /** Whether the rail can serve; an answer counts for a second. */
  isWell(): Promise<boolean>;
}
