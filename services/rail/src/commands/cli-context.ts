/** The environment of a command, injected so that tests run commands in their own process. */
import type { Readable } from "node:stream";
import type { RandomSource } from "@triptych/ids";
import type { Command } from "commander";

export interface Output {
  write(text: string): unknown;
  /** Terminal width in columns. */
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
  readonly user: string;
}

export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}

export function usageError(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: 2, code: "triptych.use" });
}
