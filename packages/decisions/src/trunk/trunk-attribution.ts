/**
 * The contributions of words and adjacent pairs to the dot product of a text vector with a direction. Their sum is the
 * whole product.
 */
import type { Encoding, Trunk } from "./trunk.ts";

export interface TrunkPart {
  readonly feature: string;
  readonly kind: "word" | "bigram";
  readonly weight: number;
  readonly contribution: number;
}

/** Contributions are multiplied by `scale`. A word that occurs repeatedly is listed repeatedly. */
export function explainTrunk(
  trunk: Trunk,
  encoding: Encoding,
  { direction, scale }: { readonly direction: Float64Array; readonly scale: number },
): TrunkPart[] {
  if (encoding.length === 0) return [];
  return [...partsOf(encoding.contextTokens, trunk.contextWeight), ...partsOf(encoding.tokens, 1)];

  function partsOf(tokens: readonly string[], textWeight: number): TrunkPart[] {
    const weight = textWeight / encoding.length;
    return tokens.flatMap((token, index) => {
      const word = { feature: token, kind: "word" as const, weight, contribution: along(trunk.word(token)) * weight };
      if (index === 0) return [word];
      const left = tokens[index - 1];
      const pair = new Float64Array(trunk.dims);
      trunk.addPair(pair, left, token, 1);
      return [
        word,
        { feature: `${left} ${token}`, kind: "bigram" as const, weight, contribution: along(pair) * weight },
      ];
    });
  }

  function along(vector: ArrayLike<number>): number {
    let sum = 0;
    for (let d = 0; d < trunk.dims; d++) sum += direction[d] * vector[d];
    return sum * scale;
  }
}
