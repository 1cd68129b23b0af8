/** Results of a benchmark phase: goals with measured figures, detail tables, notes. */

export interface Goal {
  readonly goal: string;
  readonly bar: string;
  readonly measured: string;
  /** Null if not measured; `measured` says why. */
  readonly met: boolean | null;
}

export interface Table {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Figures {
  readonly goals: readonly Goal[];
  readonly tables: readonly Table[];
  readonly notes?: readonly string[];
}

export function renderGoals(goals: readonly Goal[]): string {
  return renderTable({
    title: "Goals",
    heads: ["goal", "bar", "measured", "met"],
    rows: goals.map(({ goal, bar, measured, met }) => [
      goal,
      bar,
      measured,
      met === null ? "not measured" : met ? "yes" : "**missed**",
    ]),
  });
}

/** GitHub Markdown with aligned columns. */
export function renderTable({ title, heads, rows }: Table): string {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [`### ${title}`, "", line(heads), rule, ...rows.map(line), ""].join("\n");
}

export function milliseconds(value: number): string {
  return value < 10 ? `${value.toFixed(3)} ms` : `${value.toFixed(1)} ms`;
}

export function times(ratio: number): string {
  return `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)} x`;
}

export function perSecond(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Progress goes to stderr, results to stdout. */
export function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}
