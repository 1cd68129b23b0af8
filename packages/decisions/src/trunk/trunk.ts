/**
 * The frozen trunk: a text becomes a vector of length 1, the weighted sum of rows for its words, pairs of neighbours and pieces of
 * words. A row is 256 small integers and one scale. The rows of a word and of its pieces are folded into one vector, kept for the next
 * time; a kept vector is the one that would be computed, so the order of questions never shows in an answer.
 */
import { ArtifactFault } from "../artifact/artifact-fault.ts";
import { readArtifact, writeArtifact } from "../artifact/container.ts";
import { tableOfOwnRows } from "../text/own-rows.ts";
import { hashOfLeft, hashOfWord, rowOfHashedPair, rowOfPair, rowsOfWord, type RowPlan } from "../text/rows.ts";
import { tokenise } from "../text/tokenise.ts";

export interface TrunkSettings {
  readonly dims: number;
  /** Weight of all pieces of a word together against its own row, over the root of their number. */
  readonly pieceWeight: number;
  readonly pairWeight: number;
  /** Weight of what was said before the text that is judged. */
  readonly contextWeight: number;
}

export interface Trunk extends TrunkSettings {
  /** Hex SHA-256 of the file. Heads name the trunk that they stand on. */
  readonly sha256: string;
  encode(state: string, context?: string): Encoding;
  /** The vector of one word, pieces included. Not to be changed. */
  word(word: string): Float32Array;
  /** Adds a weighted pair of neighbours. */
  addPair(target: Float64Array, left: string, right: string, weight: number): void;
}

export interface Encoding {
  /** `dims` doubles of length 1; zeros for a text without any token. */
  readonly vector: Float64Array;
  /** Length of the sum before it was brought to 1. */
  readonly length: number;
  readonly tokens: readonly string[];
  readonly contextTokens: readonly string[];
  /** Tokens of state and context, those that were not read included. */
  readonly count: number;
  readonly truncated: boolean;
}

/** What is kept of a word: its vector, pieces included, and the hashes with which it takes part in pairs. */
interface KnownWord {
  readonly vector: Float32Array;
  readonly asLeft: number;
  readonly asRight: number;
}

const SCALES = 1;
const ROWS = 2;
const OWN = 3;
/** About 20 MB of vectors; more distinct words than that are met by no service in a while. */
const KEPT_WORDS = 20_000;

export function openTrunk(bytes: Uint8Array): Trunk {
  const { header, sections, sha256 } = readArtifact(bytes, "TPTK");
  const settings = settingsOf(header);
  const { dims, pieceWeight, pairWeight, contextWeight } = settings;
  const rows = numberIn(header, "rows");
  const scales = sections.get(SCALES);
  const cells = sections.get(ROWS);
  const own = sections.get(OWN);
  if (scales?.length !== rows * 4 || cells?.length !== rows * dims || own === undefined || own.length % 4 !== 0)
    throw new ArtifactFault("bad_length", `A trunk of ${rows} rows of ${dims} has other sections than this one.`);
  const scale = new Float32Array(scales.buffer, 0, rows);
  const table = new Int8Array(cells.buffer, 0, rows * dims);
  const hashes = new Uint32Array(own.buffer, 0, own.length / 4);
  const plan: RowPlan = { rows, own: tableOfOwnRows(hashes) };
  const kept = new Map<string, KnownWord>();

  return { ...settings, sha256, encode, word: wordVector, addPair };

  function encode(state: string, context = ""): Encoding {
    const vector = new Float64Array(dims);
    const read = tokenise(state);
    const before = tokenise(context);
    addTokens(vector, before.tokens, contextWeight);
    addTokens(vector, read.tokens, 1);
    let square = 0;
    for (let d = 0; d < dims; d++) square += vector[d] * vector[d];
    const length = Math.sqrt(square);
    if (length > 0) for (let d = 0; d < dims; d++) vector[d] /= length;
    const used = read.tokens.length + before.tokens.length;
    const count = read.count + before.count;
    return { vector, length, tokens: read.tokens, contextTokens: before.tokens, count, truncated: count > used };
  }

  function addTokens(target: Float64Array, tokens: readonly string[], weight: number): void {
    let left: KnownWord | undefined;
    for (const token of tokens) {
      const word = knownWord(token);
      if (left === undefined) addVector(target, word.vector, weight);
      else addVectorAndPair(target, word.vector, rowOfHashedPair(plan, left.asLeft, word.asRight), weight);
      left = word;
    }
  }

  function addVector(target: Float64Array, vector: Float32Array, weight: number): void {
    for (let d = 0; d < dims; d++) target[d] += weight * vector[d];
  }

  /** The vector first, then the pair: the same bits as one after the other, in one pass. */
  function addVectorAndPair(target: Float64Array, vector: Float32Array, row: number, weight: number): void {
    if (row < 0) return addVector(target, vector, weight);
    const factor = weight * pairWeight * scale[row];
    const base = row * dims;
    for (let d = 0; d < dims; d++) target[d] = target[d] + weight * vector[d] + factor * table[base + d];
  }

  function addPair(target: Float64Array, left: string, right: string, weight: number): void {
    const row = rowOfPair(plan, left, right);
    addRow(target, row, weight * pairWeight);
  }

  function wordVector(word: string): Float32Array {
    return knownWord(word).vector;
  }

  function knownWord(word: string): KnownWord {
    const known = kept.get(word);
    if (known !== undefined) return known;
    const sum = new Float64Array(dims);
    const { word: own, pieces } = rowsOfWord(plan, word);
    addRow(sum, own, 1);
    const weight = pieceWeight / Math.sqrt(pieces.length);
    let place = 0;
    for (; place + 4 <= pieces.length; place += 4) addFourRows(sum, pieces, place, weight);
    for (; place < pieces.length; place++) addRow(sum, pieces[place], weight);
    const read = { vector: new Float32Array(sum), asLeft: hashOfLeft(word), asRight: hashOfWord(word) };
    if (kept.size >= KEPT_WORDS) forgetOldest(kept);
    kept.set(word, read);
    return read;
  }

  function addRow(target: Float64Array, row: number, weight: number): void {
    if (row < 0) return;
    const factor = weight * scale[row];
    const base = row * dims;
    for (let d = 0; d < dims; d++) target[d] += factor * table[base + d];
  }

  /** One after the other, as `addRow` would: the order of additions is part of the result. */
  function addFourRows(target: Float64Array, rows: Uint32Array, from: number, weight: number): void {
    const [r0, r1, r2, r3] = [rows[from], rows[from + 1], rows[from + 2], rows[from + 3]];
    const [f0, f1, f2, f3] = [weight * scale[r0], weight * scale[r1], weight * scale[r2], weight * scale[r3]];
    const [b0, b1, b2, b3] = [r0 * dims, r1 * dims, r2 * dims, r3 * dims];
    for (let d = 0; d < dims; d++)
      target[d] = target[d] + f0 * table[b0 + d] + f1 * table[b1 + d] + f2 * table[b2 + d] + f3 * table[b3 + d];
  }
}

/** `rows`: plan.rows x dims floats. */
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

function settingsOf(header: Readonly<Record<string, unknown>>): TrunkSettings {
  return {
    dims: numberIn(header, "dims"),
    pieceWeight: numberIn(header, "pieceWeight"),
    pairWeight: numberIn(header, "pairWeight"),
    contextWeight: numberIn(header, "contextWeight"),
  };
}

function numberIn(header: Readonly<Record<string, unknown>>, name: string): number {
  const value = header[name];
  if (typeof value !== "number") throw new ArtifactFault("bad_header", `The header has no number "${name}".`);
  return value;
}

function forgetOldest(kept: Map<string, unknown>): void {
  for (const word of kept.keys()) {
    kept.delete(word);
    return;
  }
}
