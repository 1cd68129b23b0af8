/** Columns in the blocks: one or a few numbers per id, fixed width. */
import { BLOCK, type BlockReader, type BlockWriter } from "./blocks.ts";

export const COLUMN_WIDTHS = {
  kind: 2,
  spot: 6,
  /** Rank of its update time among all distinct times. */
  updated: 5,
  /** Per position, not per id: ids by ascending and descending update time, ties by id. */
  rising: 5,
  falling: 5,
} as const;
export type ColumnName = keyof typeof COLUMN_WIDTHS;
export const COLUMN_NAMES = ["kind", "spot", "updated", "rising", "falling"] as const satisfies readonly ColumnName[];

const BLOCKS_AT_ONCE = 1024;

export interface Column {
  readonly from: number;
  readonly width: number;
  readonly count: number;
}

export async function writeColumn(
  writer: BlockWriter,
  { name, count }: { readonly name: ColumnName; readonly count: number },
  write: (text: Uint8Array, at: number, index: number) => void,
): Promise<number> {
  const width = COLUMN_WIDTHS[name];
  const perBlock = BLOCK / width;
  const from = await writer.align();
  const text = Buffer.alloc(BLOCK);
  for (let first = 0; first < count; first += perBlock) {
    const entries = Math.min(perBlock, count - first);
    for (let i = 0; i < entries; i++) write(text, i * width, first + i);
    await writer.append(text.subarray(0, entries * width));
  }
  return from;
}

/** Visits the entries at `places` (ascending); `i` is the index into `places`. Reads only blocks that contain some. */
export async function visitColumn(
  reader: BlockReader,
  column: Column,
  ids: Uint32Array,
  visit: (text: Uint8Array, at: number, i: number) => void,
): Promise<void> {
  const { width, count } = column;
  const perBlock = BLOCK / width;
  const ends: number[] = [];
  const spans: { from: number; to: number }[] = [];
  for (let i = 0; i < ids.length;) {
    const first = Math.floor(ids[i] / perBlock) * perBlock;
    const behind = first + perBlock;
    while (i < ids.length && ids[i] < behind) i++;
    spans.push({ from: column.from + first * width, to: column.from + Math.min(behind, count) * width });
    ends.push(i);
  }
  let i = 0;
  for (let from = 0; from < spans.length; from += BLOCKS_AT_ONCE) {
    const texts = await reader.read(spans.slice(from, from + BLOCKS_AT_ONCE));
    for (const [number, text] of texts.entries()) {
      const first = (spans[from + number].from - column.from) / width;
      for (; i < ends[from + number]; i++) visit(text, (ids[i] - first) * width, i);
    }
  }
}
