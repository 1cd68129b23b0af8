/** Finds columns by name and values; a column has at most one field. */
import { foldName } from "../reference.ts";
import { COLUMN_EXCLUSIONS, COLUMN_HINTS, COLUMN_PATTERNS, PERSONAL, type GuessedField } from "./column-name-hints.ts";
import { FEATURE_POINT } from "./read-json.ts";
import type { Row } from "./table.ts";

export interface Column {
  readonly name: string;
  readonly folded: string;
  /** The name as words joined by `_`. */
  readonly words: string;
  /** Values of the first rows, without empty ones. */
  readonly values: readonly string[];
  /** Values of the first rows, with empty ones. */
  readonly cells: readonly string[];
}

export interface Columns {
  readonly all: readonly Column[];
  readonly rows: number;
  find(field: GuessedField, fits?: Fits): Column | undefined;
  /** The unused column with the highest score above 0. */
  best(score: (column: Column) => number): Column | undefined;
  isUsed(column: Column): boolean;
  use(column: Column): void;
}

export type Fits = (column: Column) => boolean;

const isFilled: Fits = ({ values }) => values.length > 0;
/** Opendatasoft and ArcGIS put the columns of a record in an object of this name. */
const WRAPPER = /^(?:fields|properties|attributes|record)\./;

export function createColumns(names: readonly string[], sample: readonly Row[]): Columns {
  const all = names.map((name, index) =>
    columnOf(
      name,
      sample.map((row) => (row.cells[index] ?? "").trim()),
    ),
  );
  const used = new Set<Column>();
  const isFree = (column: Column): boolean =>
    !used.has(column) && column.name !== FEATURE_POINT && !PERSONAL.test(column.words);
  const take = (column: Column | undefined): Column | undefined => {
    if (column !== undefined) used.add(column);
    return column;
  };
  return {
    all,
    rows: sample.length,
    find(field, fits = isFilled) {
      for (const isNamed of nameTests(field)) {
        const found = all.find((column) => isNamed(column) && isFree(column) && fits(column));
        if (found !== undefined) return take(found);
      }
      return undefined;
    },
    best(score) {
      let best: Column | undefined;
      let highest = 0;
      for (const column of all.filter(isFree)) {
        const own = score(column);
        if (own > highest) [best, highest] = [column, own];
      }
      return take(best);
    },
    isUsed: (column) => used.has(column),
    use: (column) => void used.add(column),
  };
}

export function isNamedLike(field: GuessedField, column: Column): boolean {
  return nameTests(field).some((isNamed) => isNamed(column));
}

/** The most specific first. */
function nameTests(field: GuessedField): readonly Fits[] {
  const exclusions = COLUMN_EXCLUSIONS[field];
  return [
    ...COLUMN_HINTS[field].split(" ").map(
      (hint): Fits =>
        (column) =>
          column.folded === hint,
    ),
    ...(COLUMN_PATTERNS[field] ?? []).map(
      (pattern): Fits =>
        ({ words }) =>
          pattern.test(words) && exclusions?.test(words) !== true,
    ),
  ];
}

function columnOf(name: string, cells: readonly string[]): Column {
  const bare = name.replace(WRAPPER, "");
  return { name, folded: foldName(bare), words: wordsOf(bare), values: cells.filter((cell) => cell !== ""), cells };
}

function wordsOf(name: string): string {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1_$2")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_|_$/g, "");
}

/** Whether at least four of five values pass the test. */
export function mostly(test: (value: string) => boolean): Fits {
  return ({ values }) => shareOf(values, test) >= 0.8;
}

export function shareOf(values: readonly string[], test: (value: string) => boolean): number {
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

export function isText(value: string): boolean {
  return /\p{L}{2}/u.test(value);
}

export function distinctShare(values: readonly string[]): number {
  return values.length === 0 ? 0 : new Set(values).size / values.length;
}
