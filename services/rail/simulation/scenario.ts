/**
 * The scenario of a run. The seed determines the fault rates. Faults in `without` never happen; shrinking a run uses
 * this.
 */
import { createChance, type Chance } from "./random.ts";

export const FAULTS = [
  "loss",
  "duplicates",
  "delays",
  "slow_answers",
  "rail_crashes",
  "gateway_crashes",
  "pauses",
  "disk",
  "clock_jumps",
  "zombies",
  "disconnects",
  "router",
  "topups",
  "operator",
  "purchases",
] as const;
export type FaultKind = (typeof FAULTS)[number];

export interface Scenario {
  readonly seed: number;
  readonly steps: number;
  readonly callers: number;
  readonly gateways: number;
  readonly without: readonly FaultKind[];
  /** If true, wallets have caps and sub-tokens, and the run passes midnight. */
  readonly isCapped?: boolean;
}

export interface Rates {
  /** Probability of a fault; 0 if disabled. */
  of(fault: FaultKind): number;
  /** Disables all faults. */
  calm(): void;
  /** Mean time in milliseconds between two calls of a caller. */
  readonly thinkMs: number;
  /** Share of calls with a key. */
  readonly keyed: number;
}

export function scenarioOf(seed: number, steps: number): Scenario {
  const chance = createChance(seed * 2 + 1);
  return {
    seed,
    steps,
    callers: chance.between(1, 12),
    gateways: chance.between(1, 3),
    without: [],
    isCapped: seed % 2 === 0,
  };
}

/**
 * Each fault is enabled in about half of all seeds, at its own rate. If all were always enabled, they would hide the
 * effects of pairs of faults.
 */
export function ratesOf({ seed, without }: Scenario): Rates {
  const chance: Chance = createChance(seed * 2);
  const rates = new Map<FaultKind, number>();
  for (const fault of FAULTS) {
    const rate = chance.hits(0.55) ? 0.01 + 0.2 * chance.next() ** 2 : 0;
    rates.set(fault, without.includes(fault) ? 0 : rate);
  }
  let isCalm = false;
  return {
    of: (fault) => (isCalm ? 0 : (rates.get(fault) ?? 0)),
    calm: () => void (isCalm = true),
    thinkMs: chance.pick([5, 20, 100, 1000]),
    keyed: chance.pick([0.2, 0.5, 0.9]),
  };
}
