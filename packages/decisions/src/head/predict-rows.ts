/** Logits of a fitted model for separate rows: used when calibration and evaluation rows are given. */
import type { HeadTrunk } from "../trunk/trunk.ts";
import { prepareExamples, type HeadExample, type PreparedExample } from "./examples.ts";
import type { FittedModel } from "./fit-model.ts";
import { lexicalFeatures } from "./lexical.ts";
import { addPlus, denseLogits } from "./logits.ts";

export interface PredictedRows extends Pick<FittedModel, "unseenDense" | "unseenPlus"> {
  readonly prepared: readonly PreparedExample[];
  readonly labels: Int32Array;
}

export function askModel(
  trunk: HeadTrunk,
  { dense, plus }: Pick<FittedModel, "dense" | "plus">,
  { examples, routes }: { readonly examples: readonly HeadExample[]; readonly routes: readonly string[] },
): PredictedRows {
  const { prepared } = prepareExamples(examples, routes);
  const weights = Float64Array.from(dense.weights);
  const unseenDense = new Float64Array(prepared.length * routes.length);
  const unseenPlus = new Float64Array(unseenDense.length);
  for (const [row, { text, context }] of prepared.entries()) {
    const { vector, tokens } = trunk.encode(text, context);
    const [begin, end] = [row * routes.length, (row + 1) * routes.length];
    unseenDense.set(denseLogits(weights, dense.bias, vector), begin);
    addPlus(unseenPlus.subarray(begin, end), plus, lexicalFeatures(tokens));
  }
  return { prepared, labels: Int32Array.from(prepared, ({ route }) => route), unseenDense, unseenPlus };
}
