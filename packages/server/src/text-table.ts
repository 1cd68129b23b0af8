/** A table of text for a terminal: columns as wide as their cells, numbers to the right. */
import stringWidth from "string-width";

/** Narrowest that a column is cut to. */
const WIDTH_MIN = 8;
const GAP = "  ";
const graphemes = new Intl.Segmenter();

export interface TextTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /**
   * Heads of the columns that are cut where the terminal is too narrow. No other column ever is: an id that was cut cannot be
   * copied into the next command. What does not fit then is wrapped by the terminal.
   */
  readonly shrink?: readonly string[];
}

export function renderTable({ heads, rows, shrink = [] }: TextTable, width: number): string {
  const cells = [heads, ...rows.map((row) => row.map(String))];
  const natural = heads.map((_, column) => Math.max(...cells.map((row) => stringWidth(row[column]))));
  const widths = shrinkWidths(
    natural,
    heads.flatMap((head, column) => (shrink.includes(head) ? [column] : [])),
    width - GAP.length * (heads.length - 1),
  );
  const isNumeric = heads.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => pad(clip(cell, widths[column]), widths[column], isNumeric[column]))
      .join(GAP)
      .trimEnd(),
  );
  return lines.join("\n");
}

/** At most `width` columns of a terminal. */
export function clip(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let clipped = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    clipped += segment;
  }
  return `${clipped}…`;
}

function pad(text: string, width: number, isNumeric: boolean): string {
  const blanks = " ".repeat(Math.max(0, width - stringWidth(text)));
  return isNumeric ? blanks + text : text + blanks;
}

/** Takes from the widest of these columns until all fit, or nothing can be taken. */
function shrinkWidths(natural: readonly number[], columns: readonly number[], total: number): number[] {
  const widths = [...natural];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - total; over > 0; over--) {
    const widest = columns.reduce<number | null>(
      (best, column) => (best === null || widths[column] > widths[best] ? column : best),
      null,
    );
    if (widest === null || widths[widest] <= WIDTH_MIN) break;
    widths[widest] = widths[widest] - 1;
  }
  return widths;
}

export function timeText(time: number | null): string {
  return time === null ? "-" : `${new Date(time).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
