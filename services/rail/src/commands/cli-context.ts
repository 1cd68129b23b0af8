/** What a command may touch of the world around it, given to it so that tests run commands in their own process. */
import type { Readable } from "node:stream";
import type { RandomSource } from "@triptych/metering";
import type { Command } from "commander";

export interface Output {
  write(text: string): unknown;
  /** Width of the terminal. */
  readonly columns?: number;
}

export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => number;
  readonly random: RandomSource;
  readonly fetch: typeof fetch;
  /** Name of whoever types the command: the operator, unless `--operator` says otherwise. */
  readonly user: string;
}

/** Lines are made for this width where the output is no terminal, or one that does not know its own and says 0. */
const USUAL_WIDTH = 100;

export function widthOf(output: Output): number {
  return output.columns || USUAL_WIDTH;
}

export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}

/** The words of the command are wrong: says what is, points at the help, and ends with 2. */
export function usageError(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: 2, code: "triptych.use" });
}
