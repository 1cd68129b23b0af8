/**
 * Chooses among untrained options by their names, descriptions, parameters and examples. Pure and deterministic. Ties
 * go to the first label.
 */
import { confidenceOf, topOf } from "../calibration/confidence.ts";
import { logisticOf } from "../calibration/logistic.ts";
import type { RiskPoint } from "../calibration/risk.ts";
import { toExplanation, type ExplainedPair, type Explanation } from "../head/explain-head.ts";
import { softmax } from "../head/logits.ts";
import { isReadable, isZero } from "../text/readable.ts";
import type { Encoding, Trunk } from "../trunk/trunk.ts";
import { openFrequencies } from "./frequencies.ts";
import { GATE_WIDTH, gateFeatures, gateFor } from "./gate.ts";
import { OPTION_SIGNALS, optionSignals, SIGNAL_COUNT } from "./option-signals.ts";
import { bucketOf, readVocabulary, type Vocabulary } from "./vocabulary.ts";
import { readOptions } from "./options-file.ts";
import { createOptionTexts } from "./option-texts.ts";
import { createQueryTerms } from "./query-terms.ts";
import { createOptions, type Option, type OptionEntry } from "./option.ts";
import { stemOf } from "./terms.ts";
import { NO_VERB } from "./verbs.ts";

const FEW = 16;

export interface OptionsDecision {
  /** In the order of `vocabulary.labels`; the sum is 1. */
  readonly probabilities: Float64Array;
  readonly choice: number;
  readonly margin: number;
  readonly confidence: number;
  /** Probability that one of the options fits; 1 if a bare label stands for all other requests. */
  readonly fits: number;
  readonly outOfScope: boolean;
  /** Whether the chosen option is an action: it has parameters or a verb. */
  readonly acts: boolean;
  readonly risk: readonly RiskPoint[];
}

export interface OptionsScorer {
  readonly sha256: string;
  vocabulary(options: readonly OptionEntry[]): Vocabulary;
  decide(encoding: Encoding, vocabulary: Vocabulary): OptionsDecision;
  explain(encoding: Encoding, vocabulary: Vocabulary, pair: ExplainedPair): Explanation;
}

export function openOptionsScorer(bytes: Uint8Array, trunk: Trunk): OptionsScorer {
  const { sha256, weights, exampleWeight, gates, buckets, ...file } = readOptions(bytes, trunk.sha256);
  const frequencies = openFrequencies(file.frequencies);
  const queryTermsOf = createQueryTerms(trunk, frequencies);
  const optionOf = createOptions({ texts: createOptionTexts(trunk, frequencies), exampleWeight });
  // Working memory of a decision; most decisions have few options.
  const features = new Float64Array(GATE_WIDTH);
  const few = Array.from({ length: FEW + 1 }, (_, options) => new Float64Array(options * SIGNAL_COUNT));

  return {
    sha256,
    vocabulary: (options) => readVocabulary(options, optionOf),
    decide(encoding, vocabulary) {
      const { temperature, confidence, risk } = buckets[bucketOf(vocabulary)];
      const query = queryTermsOf(encoding);
      const signals = optionSignals(encoding, query, vocabulary, few[vocabulary.options.length]);
      const scores = scoresOf(signals, weightsFor(vocabulary));
      const probabilities = softmax(scores, temperature);
      const { choice, top, margin } = topOf(probabilities);
      const gate = gateFor(vocabulary, gates);
      const readable = isReadable(encoding.tokens, (word) => isKnown(word, vocabulary));
      const fits = vocabulary.remainder
        ? 1
        : logisticOf(gate.fits, gateFeatures({ query, vocabulary, signals, scores, choice, margin }, features));
      const estimated = confidenceOf(confidence, { top, margin, scope: fits });
      return {
        probabilities,
        choice,
        margin,
        confidence: readable ? estimated : Math.min(estimated, 1 / probabilities.length),
        fits,
        outOfScope: fits < gate.floor || !readable,
        acts: isAction(vocabulary.options[choice]),
        risk,
      };
    },
    explain(encoding, vocabulary, { choice, versus, most }) {
      const { temperature } = buckets[bucketOf(vocabulary)];
      const signals = optionSignals(encoding, queryTermsOf(encoding), vocabulary);
      const own = weightsFor(vocabulary);
      const found = OPTION_SIGNALS.map((feature, signal) => {
        const weight =
          signals[choice * SIGNAL_COUNT + signal] - (versus === null ? 0 : signals[versus * SIGNAL_COUNT + signal]);
        return { feature, kind: "signal" as const, weight, contribution: (weight * own[signal]) / temperature };
      });
      return toExplanation({ bias: 0, found, most });
    },
  };

  function weightsFor({ functions }: Vocabulary): readonly number[] {
    return functions ? weights.functions : weights.plain;
  }

  /** Words in another script are known if an option contains their stems. */
  function isKnown(word: string, { options }: Vocabulary): boolean {
    if (!isZero(trunk.word(word))) return true;
    const stem = stemOf(word);
    return options.some(({ stems }) => stems.some(({ left, right }) => right === "" && left === stem));
  }
}

function isAction({ parameterCount, verb }: Option): boolean {
  return parameterCount > 0 || verb !== NO_VERB;
}

export function scoresOf(signals: Float64Array, weights: readonly number[]): Float64Array {
  const scores = new Float64Array(signals.length / SIGNAL_COUNT);
  for (let index = 0; index < scores.length; index++)
    for (let signal = 0; signal < SIGNAL_COUNT; signal++)
      scores[index] += weights[signal] * signals[index * SIGNAL_COUNT + signal];
  return scores;
}
