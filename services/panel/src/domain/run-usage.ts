import type { BusRole, RunUsage } from "@triptych/contracts";

export interface RoleUsage {
  readonly role: BusRole;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly cost_micro: number | null;
  readonly turns: number;
  readonly cost_source: RunUsage["cost_source"];
}

type Figures = Pick<RunUsage, "input_tokens" | "cached_tokens" | "output_tokens" | "cost_micro" | "turns">;

const NOTHING: Figures = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, cost_micro: null, turns: 0 };

/** Idempotent: `reported` contains totals of the epoch. */
export function usageAfter(now: RunUsage, before: RunUsage | undefined, reported: readonly RoleUsage[]): RunUsage {
  const by_role = { ...now.by_role };
  let { cost_source } = now;
  for (const { role, cost_source: source, ...figures } of reported) {
    by_role[role] = sum(before?.by_role[role] ?? NOTHING, figures);
    cost_source = source;
  }
  const whole = Object.values(by_role).reduce<Figures>((all, usage) => sum(all, usage ?? NOTHING), NOTHING);
  return { ...whole, cost_source, by_role };
}

function sum(left: Figures, other: Figures): Figures {
  return {
    input_tokens: left.input_tokens + other.input_tokens,
    cached_tokens: left.cached_tokens + other.cached_tokens,
    output_tokens: left.output_tokens + other.output_tokens,
    cost_micro:
      left.cost_micro === null && other.cost_micro === null ? null : (left.cost_micro ?? 0) + (other.cost_micro ?? 0),
    turns: left.turns + other.turns,
  };
}
