import { NO_COLUMN } from "../../domain/index/build-words.ts";
import type { BlockWriter } from "./blocks.ts";
import type { BuiltSections } from "./built-index.ts";
import { COLUMN_NAMES, COLUMN_WIDTHS, writeColumn, type ColumnName } from "./doc-values.ts";
import { ENTRY_MOST, writeColumnNumber, writeEntries } from "./posting-codec.ts";
import { writeSpot } from "./geo-cells.ts";

const CHUNK = 1 << 16;

export interface ItemColumns {
  readonly facts: BuiltSections;
  readonly kindOf: Uint16Array;
  readonly axis: (id: number, offset: number) => number | null;
}

export async function writeColumns(
  writer: BlockWriter,
  { facts, kindOf, axis }: ItemColumns,
): Promise<Float64Array<ArrayBuffer>> {
  const [rising, groups] = [facts.integers("updateOrder"), facts.integers("updateGroups")];
  const updated = updateRanks(rising, groups);
  const falling = fallingOrder(rising, groups);
  const numbers = (name: ColumnName, values: Uint32Array | Uint16Array) => (text: Uint8Array, at: number, i: number) =>
    writeColumnNumber(text, at, COLUMN_WIDTHS[name], values[i]);
  const writes: Record<ColumnName, (text: Uint8Array, at: number, index: number) => void> = {
    kind: numbers("kind", kindOf),
    spot: (text, at, id) => writeSpot(text, at, (offset) => axis(id, offset)),
    updated: numbers("updated", updated),
    rising: numbers("rising", rising),
    falling: numbers("falling", falling),
  };
  const beginnings = new Float64Array(COLUMN_NAMES.length);
  for (const [number, name] of COLUMN_NAMES.entries())
    beginnings[number] = await writeColumn(writer, { name, count: kindOf.length }, writes[name]);
  return beginnings;
}

/** Rank of each item's time among all distinct times. */
function updateRanks(order: Uint32Array, groups: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length);
  for (let group = 0; group + 1 < groups.length; group++) {
    for (let at = groups[group]; at < groups[group + 1]; at++) ranks[order[at]] = group;
  }
  return ranks;
}

/** Last group first; ids ascend within each group. */
function fallingOrder(order: Uint32Array, groups: Uint32Array): Uint32Array {
  const falling = new Uint32Array(order.length);
  let filled = 0;
  for (let group = groups.length - 2; group >= 0; group--) {
    const ids = order.subarray(groups[group], groups[group + 1]);
    falling.set(ids, filled);
    filled += ids.length;
  }
  return falling;
}

/** Offsets of the tag lists including the end, and the number of items per tag. */
export async function writeTagLists(writer: BlockWriter, facts: BuiltSections) {
  const [starts, ids] = [facts.integers("tagStarts"), facts.integers("tagIds")];
  const offsets = new Float64Array(starts.length);
  const documents = new Uint32Array(starts.length - 1);
  for (let tag = 0; tag < documents.length; tag++) {
    const list = ids.subarray(starts[tag], starts[tag + 1]);
    offsets[tag] = writer.position();
    documents[tag] = list.length;
    await writeList(writer, list, null);
  }
  offsets[documents.length] = writer.position();
  return { starts: offsets, documents };
}

export async function writeTermLists(
  writer: BlockWriter,
  terms: BuiltSections,
  items: number,
): Promise<Float64Array<ArrayBuffer>> {
  const [starts, ids, impacts] = [terms.integers("wordStarts"), terms.integers("wordIds"), terms.bytes("wordImpacts")];
  const [columnOf, columns] = [terms.integers("columnOf"), terms.bytes("columns")];
  const offsets = new Float64Array(columnOf.length + 1);
  for (const [term, column] of columnOf.entries()) {
    offsets[term] = writer.position();
    if (column === NO_COLUMN) {
      const [from, to] = [starts[term], starts[term + 1]];
      await writeList(writer, ids.subarray(from, to), impacts.subarray(from, to));
    } else {
      const present = presentIn(columns.subarray(column * items, (column + 1) * items));
      await writeList(writer, present.ids, present.impacts);
    }
  }
  offsets[columnOf.length] = writer.position();
  return offsets;
}

/** A term's list that the builder stores as a column: 0 is absent. */
function presentIn(column: Uint8Array): { ids: Uint32Array; impacts: Uint8Array } {
  const ids = new Uint32Array(column.length);
  let count = 0;
  for (let id = 0; id < column.length; id++) if (column[id] > 0) ids[count++] = id;
  return { ids: ids.subarray(0, count), impacts: column.filter((impact) => impact > 0) };
}

async function writeList(writer: BlockWriter, ids: Uint32Array, impacts: Uint8Array | null): Promise<void> {
  const text = Buffer.allocUnsafe(Math.min(ids.length, CHUNK) * ENTRY_MOST);
  for (let from = 0; from < ids.length; from += CHUNK) {
    const to = Math.min(ids.length, from + CHUNK);
    const before = from === 0 ? -1 : ids[from - 1];
    const part = { ids: ids.subarray(from, to), impacts: impacts?.subarray(from, to) ?? null, before };
    await writer.append(text.subarray(0, writeEntries(text, part)));
  }
}
