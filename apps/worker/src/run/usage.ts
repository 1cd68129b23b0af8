/** The tokens and turns that a run uses, and their cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly turns: number;
  /** Micro-euros, or micro-dollars where an agent reports the cost; null: unknown. */
  readonly costMicro: number | null;
}

export const NO_USAGE: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, turns: 0, costMicro: null };

/** Micro-euros per million tokens. */
export interface Price {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export type Prices = ReadonlyMap<string, Price>;
