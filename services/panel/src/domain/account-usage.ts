/** Agent usage of an account, written in the transaction of the run that caused it. */
import type { RunUsage } from "@triptych/contracts";
import { dayOf } from "./plans.ts";
import type { RunRecord } from "./records.ts";

export interface AccountUsage {
  /** From the agent's start to the end of its last check. */
  readonly agentMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In micro-euros; only runs with a known cost count. */
  readonly costMicro: number;
}

export interface UsageRepository {
  add(day: number, usage: AccountUsage): Promise<void>;
  since(day: number): Promise<AccountUsage>;
}

interface Counted {
  readonly usage: UsageRepository;
}

/** Adds the difference to the last report, because a run reports totals. */
export async function countTokens(
  { usage }: Counted,
  change: { before: RunUsage; after: RunUsage; at: number },
): Promise<void> {
  const { before, after, at } = change;
  const more = {
    agentMs: 0,
    inputTokens: after.input_tokens - before.input_tokens,
    outputTokens: after.output_tokens - before.output_tokens,
    costMicro: (after.cost_micro ?? 0) - (before.cost_micro ?? 0),
  };
  if (Object.values(more).some((figure) => figure !== 0)) await usage.add(dayOf(at).start, more);
}

const AT_WORK: ReadonlySet<string> = new Set(["running", "verifying"]);

/** Called when a run leaves its agent in any way. */
export async function countTime(
  { usage }: Counted,
  before: RunRecord,
  { state }: RunRecord,
  at: number,
): Promise<void> {
  if (!AT_WORK.has(before.state) || AT_WORK.has(state) || before.startedAt === null) return;
  const agentMs = Math.max(0, at - before.startedAt);
  await usage.add(dayOf(at).start, { agentMs, inputTokens: 0, outputTokens: 0, costMicro: 0 });
}
