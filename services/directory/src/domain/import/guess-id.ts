/**
 * Guesses what identifies a row. In order: a column named like an ID with unique values, a column of unique codes, a
 * column named like an ID with a few repetitions, columns that together distinguish the rows.
 */
import { PERSONAL } from "./column-name-hints.ts";
import { readCoordinate } from "./coordinates.ts";
import { distinctShare, isNamedLike, type Column, type Columns } from "./guess-columns.ts";
import type { Mapping } from "./mapping.ts";

/** A smaller share of rows with a value, or of distinct values, means a category. */
const FILLED_MIN = 0.95;
const DISTINCT_MIN = 0.8;
/** Content must distinguish at least this share of the first rows. */
const CONTENT_DISTINCT_MIN = 0.95;
const CONTENT_COLUMNS_MAX = 10;

/** `content`: columns to identify a row by, the most distinctive first. */
export function guessId(columns: Columns, content: readonly Column[]): Mapping["id"] | undefined {
  const isUnique = ({ values }: Column): boolean =>
    values.length === columns.rows && new Set(values).size === columns.rows && columns.rows > 0;
  const isMostlyUnique = ({ values }: Column): boolean =>
    values.length >= columns.rows * FILLED_MIN && distinctShare(values) >= DISTINCT_MIN;
  const named =
    columns.find("id", isUnique) ??
    columns.all.find((column) => column.name === "@id" && isUnique(column)) ??
    columns.best((column) => Number(isUnique(column) && isCode(column))) ??
    columns.find("id", isMostlyUnique);
  return named?.name ?? fromContent(columns, content);
}

/** A column named like an ID, to explain why it was not taken. */
export function unfitIdColumn({ all }: Columns): string | undefined {
  return all.find((column) => isNamedLike("id", column))?.name;
}

/** Short words, some with a letter. Numbers, dates and sentences may change with a correction. */
function isCode({ values, words }: Column): boolean {
  return (
    !PERSONAL.test(words) &&
    values.every((value) => value.length <= 40 && /^[\w.:-]+$/.test(value) && !/^\d{4}-\d{2}-\d{2}/.test(value)) &&
    values.some((value) => readCoordinate(value) === null)
  );
}

/** Columns that together distinguish most rows. Greedy: each further column adds the most distinct rows. */
function fromContent({ rows }: Columns, content: readonly Column[]): string[] | undefined {
  const chosen: Column[] = [];
  // Rows that are equal in all columns are one item.
  const distinctRows = new Set(keysOf(content, rows)).size;
  let best = 0;
  while (chosen.length < CONTENT_COLUMNS_MAX && best < distinctRows) {
    let next: Column | undefined;
    for (const column of content) {
      const keys = keysOf([...chosen, column], rows).filter((key) => /[^/]/.test(key));
      const distinct = keys.length < rows * FILLED_MIN ? 0 : new Set(keys).size;
      if (distinct <= best || chosen.includes(column)) continue;
      [best, next] = [distinct, column];
      if (chosen.length === 0) break;
    }
    if (next === undefined) break;
    chosen.push(next);
  }
  return chosen.length > 0 && best >= distinctRows * CONTENT_DISTINCT_MIN ? chosen.map(({ name }) => name) : undefined;
}

function keysOf(columns: readonly Column[], rows: number): string[] {
  return Array.from({ length: rows }, (_, row) => columns.map(({ cells }) => cells[row] ?? "").join("/"));
}
