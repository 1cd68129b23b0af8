/** The rows of the table of goals, with rounded metrics. */

export interface Row {
  readonly goal: string;
  readonly bar: string;
  readonly measured: string;
  /** Null if the goal applies to another machine or size. */
  readonly met: boolean | null;
}

/** Markdown with aligned columns, readable in a terminal. */
export function renderRows(rows: readonly Row[]): string {
  const cells = rows.map(({ goal, bar, measured, met }) => [
    goal,
    bar,
    measured,
    met === null ? "" : met ? "yes" : "**no**",
  ]);
  const all = [["goal", "bar", "measured", "met"], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [heads = [], ...body] = all;
  return [line(heads), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body.map(line), ""].join("\n");
}

export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en-US")}/s`;
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

/** Progress goes to stderr; stdout contains only the result. */
export function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}
