/** Entries of the report about a whole file. */
import { columnsOf } from "./mapping-columns.ts";
import type { Mapping } from "./mapping.ts";
import { FEATURE_POINT } from "./read-json.ts";
import { notesOf, type RuleEvent } from "./rules.ts";
import type { Table } from "./table.ts";

export function mixedEncoding(table: Table): readonly RuleEvent[] {
  const lines = table.foreignLines();
  if (lines === null) return [];
  const notes = notesOf(lines.first);
  const value = lines.count === 1 ? "1 line" : `${lines.count} lines`;
  notes.note("encoding_mixed", { value, result: `read as ${lines.encoding}` });
  return notes.events;
}

export function unseenColumns(mapping: Mapping, { separator, sample, columns }: Table): readonly RuleEvent[] {
  if (separator !== null) return [];
  const notes = notesOf(sample[0]?.line ?? 1);
  const seen = (index: number): boolean => sample.some((row) => (row.cells[index] ?? "") !== "");
  for (const column of columnsOf(mapping)) if (!seen(columns.indexOf(column))) notes.note("column_unseen", { column });
  return notes.events;
}

/** Where the guessed ID comes from, and the columns that the guess leaves out. */
export function guessRemarks(mapping: Mapping, { columns, sample }: Table): readonly RuleEvent[] {
  const notes = notesOf(sample[0]?.line ?? 1);
  const used = new Set(columnsOf(mapping));
  const left = columns.filter((column) => column !== FEATURE_POINT && !used.has(column));
  if (typeof mapping.id !== "string") notes.note("id_from_content", { value: mapping.id.join(" + ") });
  if (left.length > 0) notes.note("columns_left_out", { value: `${left.length}: ${left.join(", ")}` });
  return notes.events;
}
