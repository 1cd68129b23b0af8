/** Entries of the report about a whole file. */
import { columnsOf } from "./mapping-columns.ts";
import type { Mapping } from "./mapping.ts";
import { FEATURE_POINT } from "./read-json.ts";
import { RULES, type RuleEvent } from "./rules.ts";
import type { Table } from "./table.ts";

export function mixedEncoding(table: Table): RuleEvent[] {
  const lines = table.foreignLines();
  if (lines === null) return [];
  const { action } = RULES.encoding_mixed;
  const value = lines.count === 1 ? "1 line" : `${lines.count} lines`;
  return [
    { rule: "encoding_mixed", action, line: lines.first, column: null, value, result: `read as ${lines.encoding}` },
  ];
}

export function unseenColumns(mapping: Mapping, { separator, sample, columns }: Table): RuleEvent[] {
  if (separator !== null) return [];
  const seen = (index: number): boolean => sample.some((row) => (row.cells[index] ?? "") !== "");
  return columnsOf(mapping)
    .filter((column) => !seen(columns.indexOf(column)))
    .map((column) => ({
      rule: "column_unseen",
      action: RULES.column_unseen.action,
      line: sample[0]?.line ?? 1,
      column,
      value: null,
      result: null,
    }));
}

/** What a guess does silently otherwise. */
export function guessRemarks(mapping: Mapping, { columns, sample }: Table): RuleEvent[] {
  const line = sample[0]?.line ?? 1;
  const about = (rule: "id_from_content" | "columns_left_out", value: string): RuleEvent => ({
    rule,
    action: RULES[rule].action,
    line,
    column: null,
    value,
    result: null,
  });
  const used = new Set(columnsOf(mapping));
  const left = columns.filter((column) => column !== FEATURE_POINT && !used.has(column));
  return [
    ...(typeof mapping.id === "string" ? [] : [about("id_from_content", mapping.id.join(" + "))]),
    ...(left.length === 0 ? [] : [about("columns_left_out", `${left.length}: ${left.join(", ")}`.slice(0, 119))]),
  ];
}
