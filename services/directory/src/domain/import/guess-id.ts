/**
 * Guesses what identifies a row: a column named like an ID with unique values, else a column of unique codes, else one
 * named like an ID with a few repetitions, else the content that tells the rows apart.
 */
import { COLUMN_HINTS, COLUMN_PATTERNS, NOT_THE_FIELD, PERSONAL } from "./column-name-hints.ts";
import { readCoordinate } from "./coordinates.ts";
import { distinctShare, type Column, type Columns } from "./guess-columns.ts";
import type { Mapping } from "./mapping.ts";

/** A smaller share of rows with a value, or of distinct values, means a category. */
const FILLED_MIN = 0.95;
const DISTINCT_MIN = 0.8;
/** Content must tell apart at least this share of the first rows. */
const CONTENT_DISTINCT_MIN = 0.95;
const CONTENT_COLUMNS_MAX = 10;
const HINTS = new Set(COLUMN_HINTS.id.split(" "));

/** `content`: columns of the title, address and position, the most telling first. */
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

/** Why a file has no ID, for the person who writes the mapping. */
export function unfitIdColumn({ all }: Columns): string | undefined {
  return all.find(
    ({ folded, words }) =>
      HINTS.has(folded) ||
      (COLUMN_PATTERNS.id?.some((pattern) => pattern.test(words)) === true && NOT_THE_FIELD.id?.test(words) !== true),
  )?.name;
}

/** Short words with a letter; numbers of an unknown kind, dates and sentences change. */
function isCode({ values, words }: Column): boolean {
  return (
    !PERSONAL.test(words) &&
    values.every((value) => value.length <= 40 && /^[\w.:-]+$/.test(value) && !/^\d{4}-\d{2}-\d{2}/.test(value)) &&
    values.some((value) => readCoordinate(value) === null)
  );
}

/** Columns that together tell most rows apart: each adds the most; those of the title and the address come first. */
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
