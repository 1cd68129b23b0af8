/** tf-idf values of lexical features, and the types that are common to all models fitted to them. */
import { log } from "../math/exp-log.ts";
import { LEXICAL_BUCKETS, type LexicalFeatures } from "./lexical.ts";

export interface LexicalWeights {
  /** Ascending. */
  readonly ids: Uint32Array;
  /**
   * ids x classes. Inverse document frequencies are included, so that a weight multiplies the plain value of a feature.
   */
  readonly weights: Float32Array;
  readonly bias: Float64Array;
}

/** tf-idf values of the features of each row, computed once for all models that are fitted to some of the rows. */
export interface LexicalRows {
  /** Ascending. */
  readonly ids: Uint32Array;
  readonly idf: Float64Array;
  /** The entries of a row extend from its start to the start of the next row. */
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
  /** Squared length of each row. */
  readonly squares: Float64Array;
}

export interface LexicalTask {
  /** The rows to learn from. */
  readonly chosen: ArrayLike<number>;
  /** The label of each chosen row. */
  readonly labels: Int32Array;
  readonly classes: number;
  /** Weight of each chosen row; default 1. */
  readonly weights?: ArrayLike<number> | undefined;
  readonly seed: number;
  /** The dual variables of a fit to all rows, as the starting point. */
  readonly start?: Float32Array | undefined;
}

/** `counted`: the rows whose features get an ID and whose frequencies are counted; default all. */
export function readLexicalRows(
  features: readonly LexicalFeatures[],
  least: number,
  counted: readonly number[] = [...features.keys()],
): LexicalRows {
  const texts = countTexts(counted.map((row) => features[row]));
  const ids = idsOf(texts, least);
  // Relative to a feature of a single text, so that values stay near those of `LexicalFeatures`.
  const rarest = inverseFrequency(counted.length, 1);
  const idf = Float64Array.from(ids, (id) => inverseFrequency(counted.length, texts[id]) / rarest);
  const indexById = new Int32Array(LEXICAL_BUCKETS).fill(-1);
  for (let index = 0; index < ids.length; index++) indexById[ids[index]] = index;
  const starts = new Int32Array(features.length + 1);
  const most = features.reduce((sum, item) => sum + item.ids.length, 0);
  const indices = new Int32Array(most);
  const values = new Float64Array(most);
  const squares = new Float64Array(features.length);
  const entryOf = new Int32Array(ids.length).fill(-1);
  let count = 0;
  for (const [row, item] of features.entries()) {
    const start = count;
    for (const id of item.ids) {
      const index = indexById[id];
      if (index < 0) continue;
      if (entryOf[index] < start) {
        entryOf[index] = count;
        indices[count++] = index;
      }
      values[entryOf[index]] += item.value * idf[index];
    }
    for (let entry = start; entry < count; entry++) squares[row] += values[entry] ** 2;
    starts[row + 1] = count;
  }
  return { ids, idf, starts, indices: indices.subarray(0, count), values: values.subarray(0, count), squares };
}

/** Number of texts with each feature. */
function countTexts(features: readonly LexicalFeatures[]): Uint32Array {
  const counts = new Uint32Array(LEXICAL_BUCKETS);
  const last = new Uint32Array(LEXICAL_BUCKETS);
  for (const [row, { ids }] of features.entries())
    for (let n = 0; n < ids.length; n++) {
      if (last[ids[n]] === row + 1) continue;
      last[ids[n]] = row + 1;
      counts[ids[n]]++;
    }
  return counts;
}

/** The features that occur in at least `least` texts, in ascending order. */
function idsOf(texts: Uint32Array, least: number): Uint32Array {
  const ids = new Uint32Array(texts.length);
  let count = 0;
  for (let id = 0; id < texts.length; id++) if (texts[id] >= least) ids[count++] = id;
  return ids.slice(0, count);
}

function inverseFrequency(texts: number, count: number): number {
  return 1 + log((1 + texts) / (1 + count));
}
