/** Output of a command: text for people, or exactly one JSON value with `--json`. */
import type { Command } from "commander";

export interface Output {
  write(text: string): unknown;
  /** Terminal width in columns. */
  readonly columns?: number;
  readonly isTTY?: boolean;
}

const USUAL_WIDTH = 100;

/** Has a default for output that is not a terminal, and for terminals that report 0 columns. */
export function widthOf({ columns }: Pick<Output, "columns">): number {
  return columns || USUAL_WIDTH;
}

export function addJsonOption(command: Command): Command {
  return command.option("--json", "print JSON only");
}

export interface Result {
  readonly json: unknown;
  /** Without a final line break. */
  readonly text: () => string;
}

export function printResult(command: Command, output: Output, { json, text }: Result): void {
  output.write(command.opts()["json"] === true ? `${JSON.stringify(json, null, 2)}\n` : `${text()}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text.trimEnd()}\n`);
}

/** On a terminal, one line that updates; elsewhere nothing. */
export function showStep(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${step}`);
}

export function clearStep(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
}
