/** Renders tables of goals and parts, and readable numbers. */
import { availableParallelism, cpus, release, totalmem } from "node:os";

export interface Row {
  readonly goal: string;
  readonly bar: string;
  readonly measured: string;
  /** Null if there is no goal. */
  readonly met: boolean | null;
}

export interface Table {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Figures {
  readonly goals: readonly Row[];
  readonly tables: readonly Table[];
}

export function renderGoals(rows: readonly Row[]): string {
  const cells = rows.map(({ goal, bar, measured, met }) => [goal, bar, measured, metText(met)]);
  return renderTable({ title: "", heads: ["goal", "bar", "measured", "met"], rows: cells });
}

function metText(met: boolean | null): string {
  if (met === null) return "";
  return met ? "yes" : "**no**";
}

/** GitHub-flavored Markdown, aligned for reading in a terminal. */
export function renderTable({ title, heads, rows }: Table): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [...(title === "" ? [] : [`### ${title}`, ""]), line(heads), rule, ...rows.map(line), ""].join("\n");
}

/** Formats milliseconds as microseconds. */
export function microseconds(value: number): string {
  return `${(1000 * value).toFixed(value < 0.01 ? 1 : 0)} µs`;
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

/** Describes the machine of the measurement. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 1e9);
  const processor = cpus()[0]?.model.trim() ?? "?";
  return `${availableParallelism()} cores (${processor}), ${gigabytes} GB, Linux ${release()}, Node ${process.version}`;
}

/** Progress goes to stderr; stdout contains only the result. */
export function progress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);
}
