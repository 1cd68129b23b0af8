/** Labels that can be learned, and of which nobody can say how sure to be. */
import { TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";

/**
 * Every fifth text of a label is of the other topic. Examples go to five folds in turn, so one fold holds all of those: whoever
 * learned from the others is sure of them and wrong, and whoever learned from these doubts what is right. Accuracy is four in five,
 * confidence is far off.
 */
export function contraryExamples() {
  return (["refund", "weather"] as const).flatMap((route, index, both) =>
    Array.from({ length: 40 }, (_, row) => {
      const topic = row % 5 === 0 ? both[1 - index] : route;
      const texts = TOPICS[topic] ?? [];
      const [round, step] = [Math.floor(row / 5), row % 5];
      // The first word puts them in this order.
      const first = String.fromCharCode(97 + round, 97 + step);
      return { text: `${first} ${texts[round % texts.length]}`, route };
    }),
  );
}
