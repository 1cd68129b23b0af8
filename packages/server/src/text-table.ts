/** A table of text that fits its terminal: columns as wide as their cells, the widest giving way, numbers to the right. */

/** Narrowest that a column is cut to. */
const NARROWEST = 8;
const GAP = "  ";

export interface TextTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export function renderTable({ heads, rows }: TextTable, width: number): string {
  const cells = [heads, ...rows.map((row) => row.map(String))];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  shrink(widths, width - GAP.length * (heads.length - 1));
  const isNumeric = heads.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => {
        const text = clip(cell, widths[column]);
        return isNumeric[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]);
      })
      .join(GAP)
      .trimEnd(),
  );
  return lines.join("\n");
}

export function clip(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Takes from the widest column until all fit, or nothing can be taken. */
function shrink(widths: number[], room: number): void {
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest] <= NARROWEST) return;
    widths[widest] = widths[widest] - 1;
  }
}

export function timeText(time: number | null): string {
  return time === null ? "-" : `${new Date(time).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
