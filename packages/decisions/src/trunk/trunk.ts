/**
 * The frozen trunk: a text becomes a vector of length 1, the weighted sum of rows for its words, pairs of neighbours and pieces of
 * words. A row is 256 small integers and one scale. The rows of a word and of its pieces are folded into one vector, kept for the next
 * time; a kept vector is the one that would be computed, so the order of questions never shows in an answer.
 */
import { ArtifactFault } from "../artifact/artifact-fault.ts";
import { readArtifact, writeArtifact } from "../artifact/container.ts";
import { rowOfPair, rowsOfWord, type RowPlan } from "../text/rows.ts";
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
  const plan: RowPlan = { rows, own: new Map([...hashes].map((hash, row) => [hash, row])) };
  const kept = new Map<string, Float32Array>();

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
    let left: string | undefined;
    for (const token of tokens) {
      const vector = wordVector(token);
      for (let d = 0; d < dims; d++) target[d] += weight * vector[d];
      if (left !== undefined) addPair(target, left, token, weight);
      left = token;
    }
  }

  function addPair(target: Float64Array, left: string, right: string, weight: number): void {
    const row = rowOfPair(plan, left, right);
    addRow(target, row, weight * pairWeight);
  }

  function wordVector(word: string): Float32Array {
    const known = kept.get(word);
    if (known !== undefined) return known;
    const sum = new Float64Array(dims);
    const { word: own, pieces } = rowsOfWord(plan, word);
    addRow(sum, own, 1);
    for (const piece of pieces) addRow(sum, piece, pieceWeight / Math.sqrt(pieces.length));
    const vector = Float32Array.from(sum);
    if (kept.size >= KEPT_WORDS) forgetOldest(kept);
    kept.set(word, vector);
    return vector;
  }

  function addRow(target: Float64Array, row: number, weight: number): void {
    if (row < 0) return;
    const factor = weight * scale[row];
    const base = row * dims;
    for (let d = 0; d < dims; d++) target[d] += factor * table[base + d];
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
