/** A text table for terminals: columns fit their cells, numbers are right-aligned. */
import stringWidth from "string-width";

const WIDTH_MIN = 8;
const GAP = "  ";
const graphemes = new Intl.Segmenter();

export interface TextTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /**
   * Columns that may be truncated on a narrow terminal. The others never are, because a truncated ID could not be
   * copied into the next command; the terminal wraps long lines.
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

/** Truncates at the start and keeps the end, which identifies a path. */
export function clipStart(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const clipped: string[] = [];
  let used = 0;
  for (const { segment } of [...graphemes.segment(text)].reverse()) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    clipped.unshift(segment);
  }
  return `…${clipped.join("")}`;
}

/** Splits text into lines of at most this width, at spaces if possible. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(`${line} ${word}`) <= width) {
      line = `${line} ${word}`;
      continue;
    }
    if (line !== "") lines.push(line);
    line = "";
    for (const { segment } of graphemes.segment(word)) {
      if (textWidth(line + segment) > width) {
        lines.push(line);
        line = "";
      }
      line += segment;
    }
  }
  return [...lines, line];
}

/** Display width in terminal columns: zero for a combining accent, two for wide letters and emoji. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

export function pad(text: string, width: number, isRight: boolean): string {
  const blanks = " ".repeat(Math.max(0, width - textWidth(text)));
  return isRight ? blanks + text : text + blanks;
}

/** Shrinks the widest of these columns until all fit, or none can shrink further. */
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
