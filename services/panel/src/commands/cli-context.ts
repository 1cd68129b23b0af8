/** Environment of a command, injected so that tests run commands in their own process. */
import type { Readable } from "node:stream";

export interface Output {
  write(text: string): unknown;
  readonly columns?: number;
}

export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Machine-readable output: one JSON object per line. */
export function sayJson(output: Output, object: object): void {
  output.write(`${JSON.stringify(object)}\n`);
}

export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}
