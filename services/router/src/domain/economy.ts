/** Expected cost of each priced route: the cost of its tokens, plus the cost of an error times its probability. */

/** Numbers of tokens, and micro-euros per million tokens. */
export interface Economy {
  readonly incumbent: string | null;
  readonly cachedTokens: number;
  readonly newTokens: number;
  readonly outputTokens: number;
  readonly errorCostMicro: number;
  readonly prices: ReadonlyMap<string, Price>;
}

export interface Price {
  readonly input: number;
  /** Null if cached tokens cost as much as other input. */
  readonly cachedInput: number | null;
  readonly output: number;
}

export interface CheapestRoute {
  readonly choice: string;
  readonly action: "keep" | "switch";
  /** In the order of `labels`. */
  readonly costs: readonly (readonly [label: string, micro: number])[];
}

interface Probabilities {
  /** In UTF-16 code unit order, so that ties do not depend on the order in the request. */
  readonly labels: readonly string[];
  readonly probabilities: readonly number[];
}

/** At least one of the labels must have a price. */
export function cheapestRoute(economy: Economy, { labels, probabilities }: Probabilities): CheapestRoute {
  const { incumbent, prices } = economy;
  const costs = labels.flatMap((label, index) => {
    const price = prices.get(label);
    return price === undefined
      ? []
      : [[label, expectedCost(economy, price, { label, p: probabilities[index] })] as const];
  });
  const least = Math.min(...costs.map(([, cost]) => cost));
  const cheapest = costs.filter(([, cost]) => cost === least).map(([label]) => label);
  const choice = incumbent !== null && cheapest.includes(incumbent) ? incumbent : cheapest[0];
  return { choice, action: choice === incumbent ? "keep" : "switch", costs };
}

function expectedCost(
  { incumbent, cachedTokens, newTokens, outputTokens, errorCostMicro }: Economy,
  { input, cachedInput, output }: Price,
  { label, p }: { readonly label: string; readonly p: number },
): number {
  const cached = label === incumbent ? (cachedInput ?? input) : input;
  return (cachedTokens * cached + newTokens * input + outputTokens * output) / 1_000_000 + (1 - p) * errorCostMicro;
}
