import type { ListColumn, ListFrom, TextFrom } from "./mapping.ts";
import type { Row } from "./table.ts";

export type CellReader = (column: string) => (row: Row) => string;

export interface TextReader {
  readonly column: string;
  /** `commune` is the value of `{@commune}` in templates. */
  read(row: Row, commune: string): string;
}

export function cellReader(columns: readonly string[]): CellReader {
  const indexes = new Map(columns.map((name, index) => [name, index]));
  return (column) => {
    const index = indexes.get(column.normalize("NFC")) ?? -1;
    return (row) => row.cells[index] ?? "";
  };
}

export function textReader(from: TextFrom, cells: CellReader): TextReader {
  if (typeof from === "string") return { column: from, read: cells(from) };
  if ("join" in from) return joined(from.join, from.with ?? " ", cells);
  if ("template" in from) return filled(from.template, cells);
  const readers = from.first.map((part) => textReader(part, cells));
  return {
    column: readers[0].column,
    read: (row, commune) => {
      for (const reader of readers) {
        const text = reader.read(row, commune);
        if (text.trim() !== "") return text;
      }
      return "";
    },
  };
}

function joined(columns: readonly string[], between: string, cells: CellReader): TextReader {
  const readers = columns.map(cells);
  return {
    column: columns.join(" + "),
    read: (row) =>
      readers
        .map((read) => read(row))
        .filter((text) => text.trim() !== "")
        .join(between),
  };
}

function filled(template: string, cells: CellReader): TextReader {
  const parts = template.split(/(\{[^{}]+\})/).map((part): ((row: Row, commune: string) => string | null) => {
    if (part === "{@commune}") return (_row, commune) => commune || null;
    if (!part.startsWith("{") || !part.endsWith("}")) return () => part;
    const read = cells(part.slice(1, -1));
    return (row) => read(row).trim() || null;
  });
  return {
    column: template,
    read: (row, commune) => {
      let text = "";
      for (const part of parts) {
        const piece = part(row, commune);
        if (piece === null) return "";
        text += piece;
      }
      return text;
    },
  };
}

/** The non-empty values of a list field, trimmed, with column and optional title. */
export interface ListReader {
  readonly column: string;
  readonly title: string | null;
  read(row: Row): readonly string[];
}

const NONE: readonly string[] = [];

export function listReaders(from: ListFrom | undefined, cells: CellReader): readonly ListReader[] {
  if (from === undefined) return [];
  const several = Array.isArray(from) ? from : [from];
  return several.map((entry) => listReader(typeof entry === "string" ? { from: entry } : entry, cells));
}

function listReader({ from, split, map, prefix, title }: ListColumn, cells: CellReader): ListReader {
  const read = cells(from);
  const translations = map === undefined ? null : new Map(Object.entries(map));
  const translate = (value: string): string => {
    const translated = translations?.get(value);
    if (translated === null) return "";
    const text = translated ?? value;
    return prefix === undefined || /^https?:/i.test(text) ? text : prefix + text.replace(/^@/, "");
  };
  return {
    column: from,
    title: title ?? null,
    read: (row) => {
      const cell = read(row).trim();
      if (cell === "") return NONE;
      const values = split === undefined ? [cell] : cell.split(split).map((value) => value.trim());
      return values
        .filter((value) => value !== "")
        .map(translate)
        .filter((value) => value !== "");
    },
  };
}
