/** What the agents of a run have used so far, over all of its rounds: what they report, and never less than the door counted. */
import type { ModelDoor } from "../model-door/model-door.ts";
import { NO_USAGE, type Usage } from "./agent.ts";

export interface Spending {
  /** Answers the sums with this session. */
  add(usage: Usage): Usage;
}

export function createSpending(door: ModelDoor | null): Spending {
  let sum = NO_USAGE;
  return {
    add(usage) {
      sum = {
        inputTokens: sum.inputTokens + usage.inputTokens,
        cachedTokens: sum.cachedTokens + usage.cachedTokens,
        outputTokens: sum.outputTokens + usage.outputTokens,
        turns: sum.turns + usage.turns,
        // One session that does not know its cost does not make the others free.
        costMicro: usage.costMicro === null ? sum.costMicro : (sum.costMicro ?? 0) + usage.costMicro,
      };
      return door === null ? sum : atLeast(sum, door.spent());
    },
  };
}

/** An agent may report what passed no door, and not less than what passed one. */
export function atLeast(reported: Usage, counted: Usage): Usage {
  const costs = [reported.costMicro, counted.costMicro].filter((cost) => cost !== null);
  return {
    inputTokens: Math.max(reported.inputTokens, counted.inputTokens),
    cachedTokens: Math.max(reported.cachedTokens, counted.cachedTokens),
    outputTokens: Math.max(reported.outputTokens, counted.outputTokens),
    turns: Math.max(reported.turns, counted.turns),
    costMicro: costs.length === 0 ? null : Math.max(...costs),
  };
}
