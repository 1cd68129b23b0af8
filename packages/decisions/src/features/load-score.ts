/**
 * Complexity of a request, 1 to 4, by ordinal regression with adjacent categories: ln P(level + 1) / P(level) = s -
 * threshold, so the difference between adjacent levels splits exactly into its parts. Pure.
 */
import { ArtifactError } from "../artifact/artifact-error.ts";
import { numbersIn } from "../artifact/header-values.ts";
import { topOf } from "../calibration/confidence.ts";
import { toExplanation, type Explanation } from "../head/explain-head.ts";
import { softmax } from "../head/logits.ts";
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import { linearEvidence, linearOf } from "./linear.ts";
import { SCORE_SIGNALS, scoreSignals } from "./score-features.ts";
import { readLinear, readSignals } from "./features-file.ts";

export interface ScoreInput {
  readonly state: string;
  readonly encoding: Encoding;
}

export interface ScoreDecision {
  readonly probabilities: Float64Array;
  readonly complexity: number;
  readonly expected: number;
  readonly confidence: number;
  /** The level that an explanation compares with: the next higher one, or 3 for level 4. */
  readonly versus: number;
}

export interface Score {
  readonly sha256: string;
  decide(input: ScoreInput): ScoreDecision;
  explain(input: ScoreInput, most: number): Explanation;
}

export const LEVELS = 4;

export function openScore(bytes: Uint8Array, trunk: Trunk): Score {
  const file = readSignals(bytes, "score", trunk.sha256);
  const linear = readLinear(file, trunk, SCORE_SIGNALS);
  const thresholds = numbersIn(file.header, "thresholds", LEVELS - 1);
  if (linear.bias !== 0) throw new ArtifactError("bad_header", "The thresholds of a score contain its bias.");
  return { sha256: file.sha256, decide, explain };

  function decide({ state, encoding }: ScoreInput): ScoreDecision {
    const sum = linearOf(linear, encoding.vector, scoreSignals(state, encoding));
    const probabilities = levelProbabilities(sum, thresholds);
    const { choice, top } = topOf(probabilities);
    const expected = probabilities.reduce((mean, p, level) => mean + p * (level + 1), 0);
    return { probabilities, complexity: choice + 1, expected, confidence: top, versus: neighbourOf(choice + 1) };
  }

  function explain(input: ScoreInput, most: number): Explanation {
    const { complexity, versus } = decide(input);
    const sign = versus > complexity ? -1 : 1;
    const bias = -sign * thresholds[Math.min(complexity, versus) - 1];
    const values = scoreSignals(input.state, input.encoding);
    const found = linearEvidence(
      linear,
      { trunk, encoding: input.encoding, scale: sign },
      { names: SCORE_SIGNALS, values },
    );
    return toExplanation({ bias, found, most });
  }
}

export function levelProbabilities(sum: number, thresholds: readonly number[]): Float64Array {
  const logits = new Float64Array(LEVELS);
  for (let level = 1; level < LEVELS; level++) logits[level] = logits[level - 1] + sum - thresholds[level - 1];
  return softmax(logits);
}

function neighbourOf(level: number): number {
  return level < LEVELS ? level + 1 : level - 1;
}
