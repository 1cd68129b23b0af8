/**
 * The frozen trunk: maps a text to a unit vector, the weighted sum of rows for words, adjacent pairs and character
 * n-grams. Cached word vectors equal recomputed ones, so results never depend on the order of requests.
 */
import { writeArtifact } from "../artifact/container.ts";
import { createVectorPool } from "../math/vector-memory.ts";
import { MODULE_DIMS } from "../math/wasm-kernel.ts";
import { rowOfHashedPair, rowOfPair } from "../text/rows.ts";
import { tokenise } from "../text/tokenise.ts";
import { openTrunkTables, OWN, ROWS, SCALES, taken, type TrunkSettings, type TrunkTables } from "./trunk-tables.ts";
import { BLOCK_SIZE } from "./word-cache.ts";

export type { TrunkSettings };

export interface Trunk extends TrunkSettings {
  /** Hex SHA-256 of the file, by which heads name their trunk. */
  readonly sha256: string;
  encode(state: string, context?: string): Encoding;
  word(word: string): Float32Array;
  /** Adds the vectors of at most PLACES_AT_ONCE words. */
  addWords(target: Float64Array, words: readonly string[]): void;
  /**
   * Prepares dot products with rows that live as long as the trunk, plus bias, like `denseLogits`. Null without SIMD,
   * or if not enough memory is left.
   */
  productsWith(rows: Float64Array, bias: Float64Array): ((vector: Float64Array) => Float64Array) | null;
  addPair(target: Float64Array, left: string, right: string, weight: number): void;
}

/** The part of a trunk that training a head requires; a sentence encoder can replace it. */
export interface HeadTrunk extends Pick<Trunk, "sha256" | "dims" | "encode"> {
  /** Null if words have no vectors of their own. */
  readonly word: Trunk["word"] | null;
}

export interface Encoding {
  readonly state: string;
  /** A vector of `dims` doubles with length 1; zeros for a text without tokens. */
  readonly vector: Float64Array;
  readonly length: number;
  readonly tokens: readonly string[];
  readonly contextTokens: readonly string[];
  /** Number of tokens in state and context, including unread ones. */
  readonly count: number;
  readonly truncated: boolean;
  /** The unit vector from a sentence encoder; present if a head requires it. */
  readonly sentence?: Float64Array;
}

const ENTRY_BYTES = 16;
const ENTRY_INTEGERS = 4;
const ENTRY_DOUBLES = 2;

export function loadTrunk(bytes: Uint8Array): Trunk {
  const tables = openTrunkTables(bytes);
  const { settings, sha256, memory, table, wordCache } = tables;
  const { dims, contextWeight } = settings;
  const { vectors } = wordCache;
  const tokens = createTokenTable(tables);
  const { entries } = tokens;
  const sum = taken(memory.take(Float64Array, dims));
  const input = taken(memory.take(Float64Array, dims));
  const freshVector = createVectorPool(dims);
  const loops = dims === MODULE_DIMS ? memory.loops : null;

  return { ...settings, sha256, encode, word: wordVector, addWords, addPair: tokens.addPair, productsWith };

  function encode(state: string, context = ""): Encoding {
    const read = tokenise(state);
    const before = tokenise(context);
    sum.fill(0);
    addTokens(before.tokens, contextWeight);
    addTokens(read.tokens, 1);
    let square = 0;
    for (let d = 0; d < dims; d++) square += sum[d] * sum[d];
    const length = Math.sqrt(square);
    const vector = freshVector();
    if (length > 0) for (let d = 0; d < dims; d++) vector[d] = sum[d] / length;
    const used = read.tokens.length + before.tokens.length;
    const count = read.count + before.count;
    return { state, vector, length, tokens: read.tokens, contextTokens: before.tokens, count, truncated: count > used };
  }

  /**
   * Adds each word, then its pair with the previous word. A block of dimensions stays in registers while all tokens are
   * added in order, so that the memory accesses to different rows overlap.
   */
  function addTokens(list: readonly string[], weight: number): void {
    if (list.length === 0) return;
    tokens.find(list, weight);
    const from = entries.byteOffset;
    const end = from + list.length * ENTRY_BYTES;
    if (loops === null) tokens.addTo(sum, list.length, weight);
    else loops.addTokens(from, end, weight, sum.byteOffset, vectors.byteOffset, table.byteOffset);
  }

  function productsWith(rows: Float64Array, bias: Float64Array): ((vector: Float64Array) => Float64Array) | null {
    if (loops === null) return null;
    const { products } = loops;
    // The loop reads two rows at a time, so an odd last row is paired with zeros.
    const even = bias.length + (bias.length % 2);
    const storedRows = memory.take(Float64Array, even * dims);
    const begun = memory.take(Float64Array, even);
    const out = memory.take(Float64Array, even);
    if (storedRows === null || begun === null || out === null) return null;
    storedRows.set(rows);
    begun.set(bias);
    const end = storedRows.byteOffset + storedRows.byteLength;
    return (vector) => {
      input.set(vector);
      products(storedRows.byteOffset, end, begun.byteOffset, input.byteOffset, out.byteOffset);
      return out.slice(0, bias.length);
    };
  }

  function addWords(target: Float64Array, words: readonly string[]): void {
    for (let n = 0; n < words.length; n++) entries[n] = wordCache.slotOf(words[n]) * dims;
    if (words.length === 0) return;
    if (loops === null) return tokens.addWordsTo(target, words.length);
    const from = entries.byteOffset;
    sum.set(target);
    loops.addWords(from, from + words.length * entries.BYTES_PER_ELEMENT, sum.byteOffset, vectors.byteOffset);
    target.set(sum);
  }

  function wordVector(word: string): Float32Array {
    const base = wordCache.slotOf(word) * dims;
    return vectors.slice(base, base + dims);
  }
}

/**
 * Stores the tokens of a text as offsets of their rows. Engines without SIMD compute the same sums as the vector loops.
 */
function createTokenTable({ settings, memory, table, scale, plan, wordCache }: TrunkTables) {
  const { dims, pairWeight } = settings;
  const { vectors } = wordCache;
  // A token takes 16 bytes: the offset of its word, the offset of its pair with the previous word, and the factor of
  // the pair.
  const entries = taken(memory.take(Int32Array, BLOCK_SIZE * ENTRY_INTEGERS));
  const factors = new Float64Array(entries.buffer, entries.byteOffset, BLOCK_SIZE * ENTRY_DOUBLES);

  return { entries, find, addTo, addWordsTo, addPair };

  function addPair(target: Float64Array, left: string, right: string, weight: number): void {
    const row = rowOfPair(plan, left, right);
    if (row < 0) return;
    const factor = weight * pairWeight * scale[row];
    for (let d = 0, base = row * dims; d < dims; d++) target[d] += factor * table[base + d];
  }

  /** A pair without a row adds zero, which changes no bit. */
  function find(tokens: readonly string[], weight: number): void {
    let left = -1;
    for (let n = 0; n < tokens.length; n++) {
      const slot = wordCache.slotOf(tokens[n]);
      const row = left < 0 ? -1 : rowOfHashedPair(plan, wordCache.asLeft[left], wordCache.asRight[slot]);
      entries[n * ENTRY_INTEGERS] = slot * dims;
      entries[n * ENTRY_INTEGERS + 1] = Math.max(0, row) * dims;
      factors[n * ENTRY_DOUBLES + 1] = row < 0 ? 0 : weight * pairWeight * scale[row];
      left = slot;
    }
  }

  function addTo(sum: Float64Array, count: number, weight: number): void {
    for (let d = 0; d < dims; d += 4) {
      let s0 = sum[d];
      let s1 = sum[d + 1];
      let s2 = sum[d + 2];
      let s3 = sum[d + 3];
      for (let n = 0; n < count; n++) {
        const word = entries[n * ENTRY_INTEGERS] + d;
        const pair = entries[n * ENTRY_INTEGERS + 1] + d;
        const factor = factors[n * ENTRY_DOUBLES + 1];
        s0 = s0 + weight * vectors[word] + factor * table[pair];
        s1 = s1 + weight * vectors[word + 1] + factor * table[pair + 1];
        s2 = s2 + weight * vectors[word + 2] + factor * table[pair + 2];
        s3 = s3 + weight * vectors[word + 3] + factor * table[pair + 3];
      }
      sum[d] = s0;
      sum[d + 1] = s1;
      sum[d + 2] = s2;
      sum[d + 3] = s3;
    }
  }

  function addWordsTo(target: Float64Array, count: number): void {
    for (let d = 0; d < dims; d += 4) {
      let s0 = target[d];
      let s1 = target[d + 1];
      let s2 = target[d + 2];
      let s3 = target[d + 3];
      for (let n = 0; n < count; n++) {
        const base = entries[n] + d;
        s0 += vectors[base];
        s1 += vectors[base + 1];
        s2 += vectors[base + 2];
        s3 += vectors[base + 3];
      }
      target[d] = s0;
      target[d + 1] = s1;
      target[d + 2] = s2;
      target[d + 3] = s3;
    }
  }
}

export function writeTrunk(rows: Float32Array, own: Uint32Array, settings: TrunkSettings): Uint8Array {
  const { dims } = settings;
  const count = rows.length / dims;
  const scale = new Float32Array(count);
  const cells = new Int8Array(rows.length);
  for (let row = 0; row < count; row++) {
    let most = 0;
    for (let d = 0; d < dims; d++) most = Math.max(most, Math.abs(rows[row * dims + d]));
    scale[row] = most / 127;
    if (most > 0) for (let d = 0; d < dims; d++) cells[row * dims + d] = Math.round(rows[row * dims + d] / scale[row]);
  }
  return writeArtifact({
    magic: "TPTK",
    header: { kind: "trunk", rows: count, ...settings },
    sections: new Map([
      [SCALES, new Uint8Array(scale.buffer)],
      [ROWS, new Uint8Array(cells.buffer)],
      [OWN, new Uint8Array(own.buffer, own.byteOffset, own.byteLength)],
    ]),
  });
}
