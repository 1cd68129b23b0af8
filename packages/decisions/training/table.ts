/**
 * Rows of a table on standard output, each column as wide as it is said to be; the titles come with the first row. A row may have more
 * members than columns: those are for the report only. A member that is absent is blank, one that cannot be said is "-".
 */
export type Cell = string | number | null | readonly number[];

export type Row = Readonly<Record<string, Cell>>;

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly width: number;
  /** A share is shown in percent, a pair of shares as an interval; a figure has three decimals; a count has none. */
  readonly as?: "share" | "figure" | "count";
}

/** A line longer than this is broken by a terminal. */
export const LINE_MOST = 100;

export function printTable(columns: readonly Column[], write: (line: string) => void): (row: Row) => void {
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  if (width > LINE_MOST) throw new RangeError(`A table of ${width} characters does not fit ${LINE_MOST}.`);
  let begun = false;
  return (row) => {
    if (!begun) print(columns.map(({ title }) => title));
    begun = true;
    print(columns.map(({ key, as }) => formatCell(row[key], as)));
  };

  function print(cells: readonly string[]): void {
    const last = cells.findLastIndex((cell) => cell !== "");
    // What stands last may go on over the blank columns behind it.
    const line = cells.map((cell, index) => (index < last ? fitted(cell, columns[index].width) : cell)).join("");
    write(`${line.slice(0, LINE_MOST).trimEnd()}\n`);
  }
}

export function formatCell(cell: Cell | undefined, as: Column["as"]): string {
  if (cell === undefined) return "";
  if (cell === null) return "-";
  if (typeof cell === "string") return cell;
  if (typeof cell === "object") return cell.map((item) => formatCell(item, as)).join("-");
  if (!Number.isFinite(cell)) return "-";
  if (as === "share") return (100 * cell).toFixed(1);
  return as === "figure" ? cell.toFixed(3) : String(cell);
}

/** One blank at least stands between two columns. */
function fitted(cell: string, width: number): string {
  return cell.slice(0, width - 1).padEnd(width);
}
