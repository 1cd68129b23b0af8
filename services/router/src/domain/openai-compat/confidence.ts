/** Computes `confidence` from probabilities, with the usual formulas of the compatible APIs. */
import type { ConfidenceFormula } from "@triptych/contracts";

export interface ConfidenceInput {
  readonly formula: ConfidenceFormula;
  readonly probabilities: readonly number[];
  readonly correct: number;
  /** The engine's logarithm, which gives equal doubles on every platform. */
  readonly log: (x: number) => number;
}

/** Distance of the most likely choice from chance: 0 for equal probabilities, 1 for a certain or single choice. */
export function choiceConfidence(input: ConfidenceInput): number {
  const { formula, probabilities, correct } = input;
  const k = probabilities.length;
  if (formula === "p_correct") return correct;
  if (k === 1) return 1;
  if (formula === "entropy") return entropyConfidence(input);
  return clipped((Math.max(...probabilities) - 1 / k) / (1 - 1 / k));
}

/** Concentration of the probabilities around the most likely level, relative to a uniform distribution. */
export function levelConfidence(input: ConfidenceInput): number {
  const { formula, probabilities, correct } = input;
  const k = probabilities.length;
  if (formula === "p_correct") return correct;
  if (k === 1) return 1;
  if (formula === "entropy") return entropyConfidence(input);
  const likeliest = probabilities.indexOf(Math.max(...probabilities));
  const middle = (k - 1) / 2;
  let distance = 0;
  let uniform = 0;
  for (let level = 0; level < k; level++) {
    distance += Math.abs(level - likeliest) * probabilities[level];
    uniform += Math.abs(level - middle) / k;
  }
  return clipped(1 - distance / uniform);
}

/** Summed in ascending order, so that the order of choices does not change the last bits. */
function entropyConfidence({ probabilities, log }: ConfidenceInput): number {
  let entropy = 0;
  for (const p of probabilities.toSorted((a, b) => a - b)) if (p > 0) entropy -= p * log(p);
  return clipped(1 - entropy / log(probabilities.length));
}

function clipped(value: number): number {
  return Math.min(1, Math.max(0, value));
}
