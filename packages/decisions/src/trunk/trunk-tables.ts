/** The parts of a trunk file, in a single memory that the vector loops can address. */
import { ArtifactError } from "../artifact/artifact-error.ts";
import { readArtifact } from "../artifact/container.ts";
import { openVectorMemory } from "../math/vector-memory.ts";
import { tableOfOwnRows } from "../text/own-embedding-rows.ts";
import { rowsOfWord, type RowPlan } from "../text/rows.ts";
import { createWordCache, WORD_SLOTS } from "./word-cache.ts";

export interface TrunkSettings {
  readonly dims: number;
  /** Weight of all n-grams of a word relative to its own row; divided by the square root of their number. */
  readonly pieceWeight: number;
  readonly pairWeight: number;
  readonly contextWeight: number;
}

export const SCALES = 1;
export const ROWS = 2;
export const OWN = 3;
const SPARE_BYTES = 1024 * 1024;

export type TrunkTables = ReturnType<typeof openTrunkTables>;

export function openTrunkTables(bytes: Uint8Array) {
  const { header, sections, sha256 } = readArtifact(bytes, "TPTK");
  const settings = settingsOf(header);
  const { dims } = settings;
  const rows = numberIn(header, "rows");
  const scales = sections.get(SCALES);
  const cells = sections.get(ROWS);
  const own = sections.get(OWN);
  if (scales?.length !== rows * 4 || cells?.length !== rows * dims || own === undefined || own.length % 4 !== 0)
    throw new ArtifactError("bad_length", `A trunk of ${rows} rows of ${dims} has sections of other sizes.`);
  const scale = new Float32Array(scales.buffer, 0, rows);
  const memory = openVectorMemory(rows * dims + WORD_SLOTS * dims * 4 + SPARE_BYTES);
  const table = taken(memory.take(Int8Array, rows * dims));
  table.set(new Int8Array(cells.buffer, 0, rows * dims));
  const hashes = new Uint32Array(own.buffer, 0, own.length / 4);
  const plan: RowPlan = { rows, own: tableOfOwnRows(hashes) };
  const writeWord = createWordWriter({ table, scale, plan, ...settings });
  const wordCache = createWordCache(dims, writeWord, taken(memory.take(Float32Array, WORD_SLOTS * dims)));
  return { settings, sha256, memory, table, scale, plan, wordCache };
}

export function taken<T>(array: T | null): T {
  if (array === null) throw new Error("The trunk memory is too small for its own parts.");
  return array;
}

interface WordRows extends TrunkSettings {
  readonly table: Int8Array;
  readonly scale: Float32Array;
  readonly plan: RowPlan;
}

function createWordWriter({ table, scale, plan, dims, pieceWeight }: WordRows) {
  return (word: string, target: Float32Array, base: number): void => {
    const { word: own, pieces } = rowsOfWord(plan, word);
    const ownBase = Math.max(0, own) * dims;
    const ownFactor = own < 0 ? 0 : scale[own];
    const weight = pieceWeight / Math.sqrt(pieces.length);
    const factors = new Float64Array(pieces.length);
    for (let n = 0; n < pieces.length; n++) factors[n] = weight * scale[pieces[n]];
    for (let d = 0; d < dims; d += 4) {
      let s0 = ownFactor * table[ownBase + d];
      let s1 = ownFactor * table[ownBase + d + 1];
      let s2 = ownFactor * table[ownBase + d + 2];
      let s3 = ownFactor * table[ownBase + d + 3];
      for (let n = 0; n < pieces.length; n++) {
        const piece = pieces[n] * dims + d;
        const factor = factors[n];
        s0 += factor * table[piece];
        s1 += factor * table[piece + 1];
        s2 += factor * table[piece + 2];
        s3 += factor * table[piece + 3];
      }
      target[base + d] = s0;
      target[base + d + 1] = s1;
      target[base + d + 2] = s2;
      target[base + d + 3] = s3;
    }
  };
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
  if (typeof value !== "number") throw new ArtifactError("bad_header", `The header has no number "${name}".`);
  return value;
}
