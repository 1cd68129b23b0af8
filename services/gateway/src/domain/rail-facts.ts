/** What the gateway asks of the rail beside charging. */

export interface RailFacts {
  /** Whether the wallet has bought this; null when the rail gives no answer. */
  isEntitled(asked: {
    readonly walletHash: string;
    readonly sku: string;
    readonly ref: string;
  }): Promise<boolean | null>;
  /** What a custom head costs, as the rail last told; null before it ever has. */
  customHeadMicro(): Promise<number | null>;
  /** Whether the rail can serve; an answer counts for a second. */
  isWell(): Promise<boolean>;
}
