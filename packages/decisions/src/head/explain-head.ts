/**
 * Explains why this route was chosen rather than another: splits the difference of their logits, divided by the
 * temperature, into words, adjacent pairs and letters. Bias, listed evidence and `other` add up to the difference,
 * except for rounding.
 */
import type { Encoding } from "../trunk/trunk.ts";
import type { Lexicon } from "./lexical.ts";
import type { SparseWeights } from "./sparse-codec.ts";

export interface Evidence {
  readonly feature: string;
  readonly kind: "word" | "bigram" | "chars" | "lexical" | "signal" | "rule";
  readonly weight: number;
  readonly contribution: number;
}

export interface Explanation {
  readonly logitDifference: number;
  readonly bias: number;
  readonly other: number;
  readonly evidence: readonly Evidence[];
}

export interface ExplainedParts {
  /** The contributions of the parts of a text to the dot product of its vector with a direction, times the scale. */
  readonly explain: ExplainVector;
  readonly rows: Float64Array;
  readonly bias: Float64Array;
  readonly plus: SparseWeights | null;
  readonly lexicon: Lexicon;
  readonly temperature: number;
}

export type ExplainVector = (
  encoding: Encoding,
  aim: { readonly direction: Float64Array; readonly scale: number },
) => readonly Evidence[];

export interface ExplainedPair {
  readonly choice: number;
  /** Null if there is no other route; then the choice is compared with zero. */
  readonly versus: number | null;
  readonly most: number;
}

export function explainHead(
  parts: ExplainedParts,
  encoding: Encoding,
  { choice, versus, most }: ExplainedPair,
): Explanation {
  const { explain, rows, temperature } = parts;
  const dims = encoding.vector.length;
  const direction = Float64Array.from(
    { length: dims },
    (_, d) => rows[choice * dims + d] - (versus === null ? 0 : rows[versus * dims + d]),
  );
  const bias = (parts.bias[choice] - (versus === null ? 0 : parts.bias[versus])) / temperature;
  const found = new Map<string, Evidence>();
  for (const part of explain(encoding, { direction, scale: 1 / temperature })) mergeEvidence(found, part);
  if (parts.plus !== null) addLexical(found, parts.plus);
  return toExplanation({ bias, found: [...found.values()], most });

  function addLexical(into: Map<string, Evidence>, plus: SparseWeights): void {
    const { ids, value } = parts.lexicon.featuresOf(encoding.tokens);
    const names = parts.lexicon.namesOf(encoding.tokens);
    for (const [at, id] of ids.entries()) {
      const index = plus.indexOf(id);
      if (index === undefined) continue;
      let sum = 0;
      for (let entry = plus.starts[index]; entry < plus.starts[index + 1]; entry++) {
        if (plus.routes[entry] === choice) sum += plus.weights[entry];
        if (plus.routes[entry] === versus) sum -= plus.weights[entry];
      }
      if (sum !== 0)
        mergeEvidence(into, {
          feature: names[at],
          kind: "lexical",
          weight: value,
          contribution: (sum * plus.scale * value) / temperature,
        });
    }
  }
}

/** The strongest pieces of evidence, and the sum of the rest. */
export function toExplanation({
  bias,
  found,
  most,
}: {
  readonly bias: number;
  readonly found: readonly Evidence[];
  readonly most: number;
}): Explanation {
  const all = found.toSorted(
    (a, b) => Math.abs(b.contribution) - Math.abs(a.contribution) || (a.feature < b.feature ? -1 : 1),
  );
  const evidence = all.slice(0, most);
  const listed = evidence.reduce((sum, { contribution }) => sum + contribution, 0);
  const other = all.slice(most).reduce((sum, { contribution }) => sum + contribution, 0);
  return { logitDifference: bias + listed + other, bias, other, evidence };
}

export function mergeEvidence(into: Map<string, Evidence>, evidence: Evidence): void {
  const key = `${evidence.kind} ${evidence.feature}`;
  const existing = into.get(key);
  if (existing === undefined) into.set(key, evidence);
  else
    into.set(key, {
      ...evidence,
      weight: existing.weight + evidence.weight,
      contribution: existing.contribution + evidence.contribution,
    });
}
