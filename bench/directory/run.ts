/** Runs other programs of the repository to completion: output, duration and cost. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Ended {
  readonly output: string;
  readonly wallSeconds: number;
  /** Includes child processes. */
  readonly cpuSeconds: number;
  /** Peak memory of the program, all threads. */
  readonly peakBytes: number;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Nice value above the benchmark's. */
  readonly niceness?: number;
}

const PRINT_PEAK = new URL("tell-peak.ts", import.meta.url).href;

/** The shell's `times` reports child processes; Node reports only itself. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';

/** Throws with stderr if the program fails. */
export async function runNode(
  args: readonly string[],
  { environment = {}, niceness = 0 }: RunOptions = {},
): Promise<Ended> {
  const began = performance.now();
  const program = [process.execPath, "--import", PRINT_PEAK, ...args];
  const child = spawn("/bin/sh", ["-c", TIMED, "sh", "nice", "-n", String(niceness), ...program], {
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
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${complaints.slice(-2000)}`);
  const wallSeconds = (performance.now() - began) / 1000;
  return { output: printed, wallSeconds, cpuSeconds: childrenSeconds(used), peakBytes: peakOf(used) };
}

function peakOf(output: string): number {
  return Number(/^peak (\d+)$/m.exec(output)?.[1] ?? NaN) * 1024;
}

/** Last line of `times`: user and system time of the children, as `1m2.34s`. */
function childrenSeconds(output: string): number {
  const parts = (output.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g);
  return Array.from(parts, ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds)).reduce(
    (sum, value) => sum + value,
    0,
  );
}
