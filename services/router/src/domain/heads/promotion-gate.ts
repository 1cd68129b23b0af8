/**
 * Decides whether a shadow version may be promoted: it needs enough agreement with the live version, or enough accuracy
 * on labeled rows.
 */
import { PROMOTION_ACCURACY_MIN, PROMOTION_AGREEMENT_MIN, PROMOTION_DECISIONS_MIN } from "@triptych/contracts";
import type { ShadowTally } from "./head.ts";

export interface ShadowReport {
  readonly n: number;
  readonly agreement: number | null;
  readonly labelled: number;
  readonly live_correct: number;
  readonly shadow_correct: number;
  readonly wilson_low: number | null;
}

export function toShadowReport({ n, agreed, labelled, liveCorrect, shadowCorrect }: ShadowTally): ShadowReport {
  return {
    n,
    agreement: n === 0 ? null : agreed / n,
    labelled,
    live_correct: liveCorrect,
    shadow_correct: shadowCorrect,
    wilson_low: labelled === 0 ? null : wilsonLow(shadowCorrect, labelled),
  };
}

export function passesGate(tally: ShadowTally): boolean {
  const { n, agreement, wilson_low: low } = toShadowReport(tally);
  if (n < PROMOTION_DECISIONS_MIN) return false;
  return (agreement ?? 0) >= PROMOTION_AGREEMENT_MIN || (low ?? 0) >= PROMOTION_ACCURACY_MIN;
}

/** Normal quantile of a two-sided 95 % interval. */
const Z = 1.959963984540054;

/** Lower bound of Wilson's score interval (Wilson 1927). */
export function wilsonLow(successes: number, trials: number): number {
  const share = successes / trials;
  const square = Z * Z;
  const middle = share + square / (2 * trials);
  const spread = Z * Math.sqrt((share * (1 - share) + square / (4 * trials)) / trials);
  return Math.max(0, (middle - spread) / (1 + square / trials));
}
