/** Locates the programs of agents and runs their version and model queries. */
import { access, constants, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { environmentOf } from "../process/environment.ts";
import { createTemporarySandbox } from "../sandbox/temporary-sandbox.ts";
import type { LaunchProcess, CreateSandbox } from "../sandbox/sandbox-factory.ts";
import { runProcess, type ProcessSpec } from "../process/run-process.ts";

export type HostEnvironment = Readonly<Record<string, string | undefined>>;

export interface Programs {
  /** The file that a shell would start; undefined if there is none. */
  find(name: string): Promise<string | undefined>;
  /** The folder that a sandbox must show besides the system; null if the program is part of the system. */
  folderOf(program: string): Promise<string | null>;
  /** Its standard output; undefined if it fails or times out. Runs without keys, like every process of a run. */
  printed(argv: readonly string[], asking: Asking): Promise<string | undefined>;
}

interface Asking {
  readonly timeoutMs: number;
  /** Include stderr: some programs print their version there. */
  readonly both?: boolean;
}

export function hostPrograms(host: HostEnvironment): Programs {
  return {
    find: (name) => findProgram(name, host),
    folderOf,
    async printed(argv, asking) {
      const home = await mkdtemp(join(tmpdir(), "triptych-agent-"));
      const environment = environmentOf(host, { home, temporary: home });
      try {
        return await captureOutput(runProcess, { argv, cwd: home, environment }, asking);
      } finally {
        await rm(home, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

/** Programs of the image, each queried inside it. */
export function programsInside(open: CreateSandbox, host: HostEnvironment): Programs {
  const printed: Programs["printed"] = async (argv, asking) => {
    await using temporary = await createTemporarySandbox(open, { network: "none", host });
    const { sandbox, environment, sandboxFolders } = temporary;
    return await captureOutput(sandbox.launcher("reader"), { argv, cwd: sandboxFolders.tree, environment }, asking);
  };
  return {
    async find(name) {
      const path = await printed(["/bin/sh", "-c", 'command -v "$1"', "sh", name], { timeoutMs: FIND_MS });
      return path?.startsWith("/") === true ? path.trimEnd() : undefined;
    },
    folderOf: async () => null,
    printed,
  };
}

const FIND_MS = 20_000;

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

/** An npm program needs the packages beside it, any other one its folder. */
export async function folderOf(program: string): Promise<string> {
  const file = await realpath(program);
  const packages = file.indexOf(`${sep}node_modules${sep}`);
  return packages === -1 ? dirname(file) : file.slice(0, packages) + `${sep}node_modules`;
}

const OUTPUT_BYTES = 4 * 1024 * 1024;

async function captureOutput(
  launch: LaunchProcess,
  spec: Pick<ProcessSpec, "argv" | "cwd" | "environment">,
  { timeoutMs, both = false }: Asking,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  const end = await launch({
    ...spec,
    limits: { timeoutMs, outputBytes: OUTPUT_BYTES },
    signal: new AbortController().signal,
    onStdout: (chunk) => chunks.push(chunk),
    ...(both && { onStderr: (chunk: Buffer) => chunks.push(chunk) }),
  });
  return end.kind === "exited" && end.code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined;
}

/** The first version in a text: `codex-cli 0.169.0`, `2.1.330 (Claude Code)`. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0];
}

export function isSince(version: string, since: string): boolean {
  const [own, least] = [version, since].map((text) => text.split(".").map(Number));
  for (const [index, number] of (least ?? []).entries()) {
    const found = own?.[index] ?? 0;
    if (found !== number) return found > number;
  }
  return true;
}
