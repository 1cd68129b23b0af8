/** Runs a program of this folder as a child process. */
import { type ChildProcess, spawn } from "node:child_process";
import { on } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly process: ChildProcess;
  /** Complete lines of its output. */
  readonly lines: AsyncIterableIterator<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>;
}

export function runChild(name: string, ...args: readonly string[]): Child {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`./${name}.ts`, import.meta.url)), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const ended = new Promise<Awaited<Child["ended"]>>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, errors }));
  });
  return { process: child, lines: readLines(child.stdout), ended };
}

/** Starts reading immediately, because a child blocks when its output pipe is full. */
function readLines(output: Readable): AsyncIterableIterator<string> {
  const events = on(createInterface({ input: output }), "line", { close: ["close"] });
  return (async function* () {
    for await (const [line] of events) yield String(line);
  })();
}
