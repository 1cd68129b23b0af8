/** Learnable labels with poor calibration. */
import { TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";

/**
 * Every fifth text of a label belongs to the other topic. Examples go to five folds in turn, so one fold contains all of these. A model
 * trained on the others is confidently wrong on them, and one trained on these doubts correct labels. Accuracy is four in five; confidence
 * is far off.
 */
export function contraryExamples() {
  return (["refund", "weather"] as const).flatMap((route, index, both) =>
    Array.from({ length: 40 }, (_, row) => {
      const topic = row % 5 === 0 ? both[1 - index] : route;
      const texts = TOPICS[topic] ?? [];
      const [round, step] = [Math.floor(row / 5), row % 5];
      // The first word determines this order.
      const first = String.fromCharCode(97 + round, 97 + step);
      return { text: `${first} ${texts[round % texts.length]}`, route };
    }),
  );
}
