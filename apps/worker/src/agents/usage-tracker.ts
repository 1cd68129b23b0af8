/**
 * Usage of the run's agents by role: the larger of what they report and what the model proxy counted. Agents run sequentially, so proxy
 * usage belongs to the current one.
 */
import type { ModelProxy } from "../model-proxy/model-proxy.ts";
import { NO_USAGE, type Usage } from "../run/usage.ts";
import type { AgentRole } from "../run/run-request.ts";

export interface Spending {
  /** Starts a session. Call the result once with the reported usage; it returns the role's totals. */
  open(role: AgentRole): (reported: Usage) => Usage;
  total(): Usage;
}

/** `usdEur`: agents report dollars, the budget is in euros. */
export function createSpending(modelProxy: ModelProxy | null, usdEur: number): Spending {
  const byRole = new Map<AgentRole, Usage>();
  return {
    open(role) {
      const before = modelProxy?.spent() ?? NO_USAGE;
      return (usage) => {
        const reported = inEuros(usage, usdEur);
        const used = modelProxy === null ? reported : atLeast(reported, difference(modelProxy.spent(), before));
        const sum = sumOf(byRole.get(role) ?? NO_USAGE, used);
        byRole.set(role, sum);
        return sum;
      };
    },
    total: () => [...byRole.values()].reduce(sumOf, NO_USAGE),
  };
}

function inEuros(usage: Usage, usdEur: number): Usage {
  const { costMicro } = usage;
  return { ...usage, costMicro: costMicro === null ? null : Math.ceil(costMicro * usdEur) };
}

function sumOf(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    turns: one.turns + other.turns,
    // If one session has no known cost, those of the others still count.
    costMicro: other.costMicro === null ? one.costMicro : (one.costMicro ?? 0) + other.costMicro,
  };
}

function difference(after: Usage, before: Usage): Usage {
  return {
    inputTokens: after.inputTokens - before.inputTokens,
    cachedTokens: after.cachedTokens - before.cachedTokens,
    outputTokens: after.outputTokens - before.outputTokens,
    turns: after.turns - before.turns,
    costMicro: after.costMicro === null ? null : after.costMicro - (before.costMicro ?? 0),
  };
}

/** The larger of the reported and the counted usage, because an agent may bypass the proxy. */
export function atLeast(reported: Usage, counted: Usage): Usage {
  return {
    inputTokens: Math.max(reported.inputTokens, counted.inputTokens),
    cachedTokens: Math.max(reported.cachedTokens, counted.cachedTokens),
    outputTokens: Math.max(reported.outputTokens, counted.outputTokens),
    turns: Math.max(reported.turns, counted.turns),
    // The operator's price takes precedence over the agent's.
    costMicro: counted.costMicro ?? reported.costMicro,
  };
}
