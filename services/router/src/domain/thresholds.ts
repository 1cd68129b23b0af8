/**
 * Computes the confidence threshold for any error rate. The rate is rounded down to a step, and the lowest threshold of
 * all stricter steps is used. A smaller `max_error` therefore never accepts an answer that a larger one rejects, which
 * fixed-sequence testing alone does not guarantee.
 */
import type { RiskCurve } from "./engine.ts";

const LADDER = [
  0.001, 0.002, 0.003, 0.004, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05, 0.06,
  0.07, 0.08, 0.09, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5,
];

export interface Thresholds {
  of(curve: RiskCurve, maxError: number): number | null;
}

/** Caches the steps of each curve, because computing one takes longer than a decision. */
export function createThresholds(thresholdFor: (curve: RiskCurve, maxError: number) => number | null): Thresholds {
  const cache = new WeakMap<RiskCurve, (number | null)[]>();

  return {
    of(curve, maxError) {
      const step = LADDER.findLastIndex((rate) => rate <= maxError);
      const steps = cache.get(curve) ?? [];
      cache.set(curve, steps);
      for (let next = steps.length; next <= step; next++) {
        const own = curve.length === 0 ? null : thresholdFor(curve, LADDER[next]);
        steps.push(lower(steps.at(-1) ?? null, own));
      }
      return steps[step] ?? null;
    },
  };
}

function lower(a: number | null, other: number | null): number | null {
  if (a === null || other === null) return a ?? other;
  return Math.min(a, other);
}
