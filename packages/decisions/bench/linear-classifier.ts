/**
 * An alternative without a trunk: tf-idf of words, word pairs and groups of 3 to 5 characters, with one weight per
 * feature and route. It uses the tokens and hash lookups of the engine, so the comparison is fair.
 */
import { fitLexical } from "../src/head/fit-lexical.ts";
import { softmax } from "../src/head/logits.ts";
import { hashOfPair, hashOfPiece, hashOfWord, piecesOf } from "../src/text/rows.ts";
import { tokenise } from "../src/text/tokenise.ts";

export interface LinearClassifier {
  readonly features: number;
  /** Probabilities of the routes, sorted by name. */
  decide(text: string): Float64Array;
}

const BUCKETS = 2 ** 20;

export function trainLinear(rows: readonly { readonly text: string; readonly route: string }[]): LinearClassifier {
  const routes = [...new Set(rows.map(({ route }) => route))].toSorted();
  const classes = routes.length;
  const counted = rows.map(({ text }) => countsOf(text));
  const { ids, weights } = fitLexical(
    {
      features: counted.map((counts) => ({
        ids: Uint32Array.from(counts.keys()).sort(),
        value: 1 / Math.sqrt(Math.max(1, counts.size)),
      })),
      labels: Int32Array.from(rows, ({ route }) => routes.indexOf(route)),
      classes,
    },
    { least: 1, seed: 1 },
  );
  const texts = new Map<number, number>();
  for (const counts of counted) for (const id of counts.keys()) texts.set(id, (texts.get(id) ?? 0) + 1);
  const idf = Float64Array.from(ids, (id) => 1 + Math.log((1 + rows.length) / (1 + (texts.get(id) ?? 0))));
  const rowOf = new Map([...ids].map((id, row) => [id, row]));

  return {
    features: ids.length,
    decide(text) {
      const logits = new Float64Array(classes);
      let square = 0;
      for (const [id, count] of countsOf(text)) {
        const row = rowOf.get(id);
        if (row === undefined) continue;
        const value = count * idf[row];
        square += value * value;
        for (let c = 0; c < classes; c++) logits[c] += value * weights[row * classes + c];
      }
      const length = Math.sqrt(square) || 1;
      for (let c = 0; c < classes; c++) logits[c] /= length;
      return softmax(logits);
    },
  };
}

function countsOf(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  const count = (hash: number): void => {
    const id = hash % BUCKETS;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  };
  let left: string | undefined;
  for (const token of tokenise(text).tokens) {
    count(hashOfWord(token));
    if (left !== undefined) count(hashOfPair(left, token));
    for (const piece of piecesOf(token)) count(hashOfPiece(piece));
    left = token;
  }
  return counts;
}
