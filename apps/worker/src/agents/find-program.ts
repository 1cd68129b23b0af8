/** Programs of this machine: where they lie, and what they print when they are asked about themselves. */
import { access, constants, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { environmentOf } from "../process/environment.ts";
import { runProcess } from "../process/run-process.ts";

export type HostEnvironment = Readonly<Record<string, string | undefined>>;

/** The file that a shell would start; undefined: there is none. */
export async function findProgram(name: string, host: HostEnvironment): Promise<string | undefined> {
  for (const folder of (host["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    if (await isProgram(file)) return file;
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** A program of npm needs the packages beside it, any other one what lies in its folder. */
export async function folderOf(program: string): Promise<string> {
  const file = await realpath(program);
  const packages = file.indexOf(`${sep}node_modules${sep}`);
  return packages === -1 ? dirname(file) : file.slice(0, packages) + `${sep}node_modules`;
}

const OUTPUT_BYTES = 4 * 1024 * 1024;

interface Asking {
  readonly host: HostEnvironment;
  readonly timeoutMs: number;
  /** What it prints beside its standard output, too: some say their version there. */
  readonly both?: boolean;
}

/**
 * What it prints on standard output, in a home of its own that is gone afterwards; undefined where it does not end well in time. It is
 * asked without keys, like every process of a run.
 */
export async function printed(
  argv: readonly string[],
  { host, timeoutMs, both = false }: Asking,
): Promise<string | undefined> {
  const home = await mkdtemp(join(tmpdir(), "triptych-agent-"));
  const chunks: Buffer[] = [];
  try {
    const end = await runProcess({
      argv,
      cwd: home,
      environment: environmentOf(host, { home, temporary: home }),
      limits: { timeoutMs, outputBytes: OUTPUT_BYTES },
      signal: new AbortController().signal,
      onStdout: (chunk) => chunks.push(chunk),
      ...(both && { onStderr: (chunk: Buffer) => chunks.push(chunk) }),
    });
    return end.kind === "exited" && end.code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined;
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The first version in a text: `codex-cli 0.169.0`, `2.1.330 (Claude Code)`. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0];
}

/** Whether the version is this one or a later one, number by number. */
export function isSince(version: string, since: string): boolean {
  const [own, least] = [version, since].map((text) => text.split(".").map(Number));
  for (const [place, number] of (least ?? []).entries()) {
    const found = own?.[place] ?? 0;
    if (found !== number) return found > number;
  }
  return true;
}
