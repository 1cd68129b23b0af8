/**
 * Admission of a run's calls. Far from a cap calls run in parallel, each with its maximum reserved. A call that might cross a cap runs
 * alone, so at most one call exceeds it.
 */
import { NO_USAGE, type Prices, type Usage } from "../run/usage.ts";
import type { CapCode } from "./model-proxy.ts";
import type { Expected } from "./model-call.ts";

export interface Caps {
  readonly maxTokens: number | null;
  readonly maxTurns: number | null;
  readonly maxCostMicro: number | null;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

export interface BudgetReservation {
  /** Reports the usage, null if the response had none. Only the first call counts. */
  settle(used: TokenUsage | null): void;
}

export interface Budget {
  /** Waits for admission. Returns the code of a cap if it is reached; the call must then not be sent. */
  admit(expected: Expected): Promise<BudgetReservation | CapCode>;
  spent(): Usage;
}

interface WaitingCall {
  readonly expected: Expected;
  readonly resolve: (admitted: BudgetReservation | CapCode) => void;
}

export function createBudget(caps: Caps, prices: Prices): Budget {
  const underWay = new Set<Expected>();
  const waiting: WaitingCall[] = [];
  let spent: Usage = NO_USAGE;

  return {
    spent: () => spent,
    admit(expected) {
      const { promise, resolve } = Promise.withResolvers<BudgetReservation | CapCode>();
      waiting.push({ expected, resolve });
      serve();
      return promise;
    },
  };

  /** First in, first out: small calls must not starve a large one. */
  function serve(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const reached = reachedCap();
      if (reached === null && !fits(next.expected)) return;
      waiting.shift();
      next.resolve(reached ?? begin(next.expected));
    }
  }

  function reachedCap(): CapCode | null {
    // Requests count before their response arrives, so pending ones are included.
    if (caps.maxTurns !== null && spent.turns + underWay.size >= caps.maxTurns) return "turn_cap";
    if (caps.maxTokens !== null && tokensOf(spent) >= caps.maxTokens) return "token_cap";
    if (caps.maxCostMicro !== null && (spent.costMicro ?? 0) >= caps.maxCostMicro && spent.costMicro !== null)
      return "cost_cap";
    return null;
  }

  function fits(expected: Expected): boolean {
    if (underWay.size === 0) return true;
    const all = [...underWay, expected];
    if (all.some(({ isOpenEnded }) => isOpenEnded)) return false;
    const tokens = all.reduce((sum, call) => sum + tokensOf(call), tokensOf(spent));
    const cost = all.reduce((sum, call) => sum + (costOf(call) ?? 0), spent.costMicro ?? 0);
    return tokens <= (caps.maxTokens ?? Infinity) && cost <= (caps.maxCostMicro ?? Infinity);
  }

  function begin(expected: Expected): BudgetReservation {
    underWay.add(expected);
    return {
      settle(used) {
        if (!underWay.delete(expected)) return;
        if (used !== null) spent = withCall(spent, used, costOf({ ...used, model: expected.model }));
        serve();
      },
    };
  }

  /** Null if the model has no configured price. */
  function costOf(
    call: { readonly model: string | null } & Omit<TokenUsage, "cachedTokens"> & Partial<TokenUsage>,
  ): number | null {
    const price = call.model === null ? undefined : prices.get(call.model);
    if (price === undefined) return null;
    const cached = Math.min(call.cachedTokens ?? 0, call.inputTokens);
    const cost = (call.inputTokens - cached) * price.input + cached * price.cached + call.outputTokens * price.output;
    return Math.ceil(cost / 1_000_000);
  }
}

function withCall(spent: Usage, used: TokenUsage, cost: number | null): Usage {
  return {
    inputTokens: spent.inputTokens + used.inputTokens,
    cachedTokens: spent.cachedTokens + used.cachedTokens,
    outputTokens: spent.outputTokens + used.outputTokens,
    turns: spent.turns + 1,
    costMicro: cost === null ? spent.costMicro : (spent.costMicro ?? 0) + cost,
  };
}

function tokensOf({ inputTokens, outputTokens }: Pick<TokenUsage, "inputTokens" | "outputTokens">): number {
  return inputTokens + outputTokens;
}
