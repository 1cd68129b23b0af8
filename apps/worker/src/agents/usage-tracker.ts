/**
 * What the agents of a run have used so far, by role: what they report, and never less than the door counted while they worked. They
 * work one after the other, so what passed the door in between is theirs.
 */
import type { ModelProxy } from "../model-proxy/model-proxy.ts";
import { NO_USAGE, type AgentRole, type Usage } from "./agent.ts";

export interface Spending {
  /** A session of this role begins; to be called at its end, once, with what it reports. Answers the sums of the role. */
  open(role: AgentRole): (reported: Usage) => Usage;
  /** Of all roles. */
  total(): Usage;
}

/** `usdEur`: what agents report is in dollars, what a run may cost in euros. */
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
    // One session that does not know its cost does not make the others free.
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

/** An agent may report what passed no door, and not less than what passed one. */
export function atLeast(reported: Usage, counted: Usage): Usage {
  return {
    inputTokens: Math.max(reported.inputTokens, counted.inputTokens),
    cachedTokens: Math.max(reported.cachedTokens, counted.cachedTokens),
    outputTokens: Math.max(reported.outputTokens, counted.outputTokens),
    turns: Math.max(reported.turns, counted.turns),
    // What the operator says it costs goes before what the agent says.
    costMicro: counted.costMicro ?? reported.costMicro,
  };
}
