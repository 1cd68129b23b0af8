/** Other programs of the repository, run to their end: what they print, how long they took, and what they cost. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Ended {
  readonly output: string;
  readonly wallSeconds: number;
  /** Of the program and of what it started. */
  readonly cpuSeconds: number;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Gives way to others: niceness above that of the bench. */
  readonly niceness?: number;
}

/** The shell's `times` tells what its children have used; Node tells that of itself only. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';

/** Fails, with what it wrote to stderr, when the program does. */
export async function runNode(
  words: readonly string[],
  { environment = {}, niceness = 0 }: RunOptions = {},
): Promise<Ended> {
  const began = performance.now();
  const child = spawn("/bin/sh", ["-c", TIMED, "sh", "nice", "-n", String(niceness), process.execPath, ...words], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const [, output, errors, fourth] = child.stdio;
  if (output === null || errors === null || fourth == null || !("read" in fourth)) throw new Error("no pipes");
  const [printed, complaints, used, [code]] = await Promise.all([
    text(output),
    text(errors),
    text(fourth),
    once(child, "exit"),
  ]);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}:\n${complaints.slice(-2000)}`);
  return { output: printed, wallSeconds: (performance.now() - began) / 1000, cpuSeconds: childrenSeconds(used) };
}

/** Second line of `times`: user and system time of the children, as `1m2.34s`. */
function childrenSeconds(printed: string): number {
  const parts = (printed.trim().split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g);
  return Array.from(parts, ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds)).reduce(
    (sum, one) => sum + one,
    0,
  );
}
