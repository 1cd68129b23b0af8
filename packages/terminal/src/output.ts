/** What a command prints: a text for people, or with `--json` one JSON value and nothing else. */
import type { Command } from "commander";

export interface Output {
  write(text: string): unknown;
  /** Terminal width in columns. */
  readonly columns?: number;
  readonly isTTY?: boolean;
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
