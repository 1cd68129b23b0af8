/**
 * Prints table rows with fixed column widths. Members without a column are for the report only. A missing member is
 * printed as blank, and an unavailable one as "-".
 */
export type Cell = string | number | null | readonly number[];

export type Row = Readonly<Record<string, Cell>>;

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly width: number;
  /**
   * Shares are printed as percentages, and pairs of shares as intervals. Figures have three decimals, and counts have
   * none.
   */
  readonly as?: "share" | "figure" | "count";
}

export const LINE_MOST = 100;

export function printTable(columns: readonly Column[], write: (line: string) => void): (row: Row) => void {
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  if (width > LINE_MOST) throw new RangeError(`A table of ${width} characters exceeds ${LINE_MOST}.`);
  let begun = false;
  return (row) => {
    if (!begun) print(columns.map(({ title }) => title));
    begun = true;
    print(columns.map(({ key, as }) => formatCell(row[key], as)));
  };

  function print(cells: readonly string[]): void {
    const last = cells.findLastIndex((cell) => cell !== "");
    // The last cell may extend over the blank columns after it.
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

/** At least one space separates columns. */
function fitted(cell: string, width: number): string {
  return cell.slice(0, width - 1).padEnd(width);
}
