/**
 * Fits the weights of the signals: for functions, for options without parameters, and for a bare label among described
 * options.
 */
import { fitLogistic } from "../calibration/logistic.ts";
import { isChoice, type ChoiceList } from "./choice-list.ts";
import { fitListwise } from "./fit-listwise.ts";
import { scoresOf } from "./load-options.ts";
import { SIGNAL_COUNT, UNDECORATED } from "./option-signals.ts";
import type { Weights } from "./options-file.ts";

export function weightsOf(lists: readonly ChoiceList[]): Weights {
  const used = lists.filter((list) => (list.use === "all" || list.use === "rank") && isChoice(list));
  const described = used.filter(({ remainder }) => !remainder);
  const sideRows = (functions: boolean) => {
    const own = described.filter((list) => list.functions === functions);
    return own.length > 0 ? own : described;
  };
  return {
    functions: fitListwise(sideRows(true), SIGNAL_COUNT),
    plain: withRemainder(
      fitListwise(sideRows(false), SIGNAL_COUNT),
      used.filter(({ remainder }) => remainder),
    ),
  };
}

interface RemainderList {
  readonly signals: Float64Array;
  readonly right: number;
}

/**
 * Adds the weight of a bare label. It is chosen so that a bare label scores as high as the best described option when
 * that option is as likely right as wrong.
 */
function withRemainder(weights: readonly number[], lists: readonly RemainderList[]): number[] {
  if (lists.length === 0) return [...weights];
  const leads = lists.map(({ signals }) => {
    const scores = scoresOf(signals, weights);
    let described = -Infinity;
    let bare = -Infinity;
    for (let index = 0; index < scores.length; index++)
      if (signals[index * SIGNAL_COUNT + UNDECORATED] === 0) described = Math.max(described, scores[index]);
      else bare = Math.max(bare, scores[index]);
    return described - bare;
  });
  const { bias, weights: slopes } = fitLogistic({
    features: Float64Array.from(leads),
    width: 1,
    targets: lists.map(({ signals, right }) => 1 - signals[right * SIGNAL_COUNT + UNDECORATED]),
  });
  const weight = slopes[0] > 0 ? -bias / slopes[0] : 0;
  return weights.map((other, signal) => (signal === UNDECORATED ? weight : other));
}
