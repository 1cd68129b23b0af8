import type { UsageRepository } from "../domain/account-usage.ts";
import type { Db } from "./tables.ts";

export function createUsageRepository(db: Db, owner: string): UsageRepository {
  return {
    async add(day, { agentMs, inputTokens, outputTokens, costMicro }) {
      const figures = {
        agent_ms: agentMs,
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        cost_micro: costMicro,
      };
      await db
        .insertInto("usage_daily")
        .values({ owner, day, ...figures })
        .onConflict((conflict) =>
          conflict.columns(["owner", "day"]).doUpdateSet((eb) => ({
            agent_ms: eb("usage_daily.agent_ms", "+", agentMs),
            input_tokens: eb("usage_daily.input_tokens", "+", inputTokens),
            output_tokens: eb("usage_daily.output_tokens", "+", outputTokens),
            cost_micro: eb("usage_daily.cost_micro", "+", costMicro),
          })),
        )
        .execute();
    },
    async since(day) {
      const sum = await db
        .selectFrom("usage_daily")
        .select(({ fn }) => [
          fn.sum<number | null>("agent_ms").as("agentMs"),
          fn.sum<number | null>("input_tokens").as("inputTokens"),
          fn.sum<number | null>("output_tokens").as("outputTokens"),
          fn.sum<number | null>("cost_micro").as("costMicro"),
        ])
        .where("owner", "=", owner)
        .where("day", ">=", day)
        .executeTakeFirstOrThrow();
      // A sum over no rows is null; PostgreSQL returns integer sums as text.
      return {
        agentMs: Number(sum.agentMs),
        inputTokens: Number(sum.inputTokens),
        outputTokens: Number(sum.outputTokens),
        costMicro: Number(sum.costMicro),
      };
    },
  };
}
