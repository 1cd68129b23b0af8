/** What the agents of a run have used so far, over all of its rounds. */
import { NO_USAGE, type Usage } from "./agent.ts";

export interface Spending {
  /** Answers the sums with this session. */
  add(usage: Usage): Usage;
}

export function createSpending(): Spending {
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
      return sum;
    },
  };
}
