/** Runs CLI commands of the directory in this process or in a child process. */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { ConfigError } from "@triptych/config";
import { CommanderError } from "commander";
import { directoryCommands } from "../../src/commands/directory-commands.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly data: string;
  readonly now?: () => number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
}

/** Exits like the CLI: with 2 for usage errors, with 1 for other failures. */
export async function runCommand(
  args: readonly string[],
  { data, now = Date.now, environment = {}, terminal = false }: RunOptions,
): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const commands = directoryCommands({
    environment: { TRIPTYCH_DATA: data, ...environment },
    // Like a terminal that does not know its width.
    stdout: { write: (text) => (stdout += text), columns: 0 },
    stderr: { write: (text) => (stderr += text), isTTY: terminal, columns: 100 },
    now,
    random: (count) => randomBytes(count),
  });
  let code = 0;
  try {
    await commands.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) code = error.exitCode === 0 ? 0 : 2;
    else {
      code = error instanceof ConfigError ? 2 : 1;
      stderr += `${error instanceof Error ? error.message : String(error)}\n`;
    }
  }
  return { code, stdout, stderr };
}

export type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Runs a command in a process that can be killed. `shell` may restrict the process first. */
export function spawnCommand(
  args: readonly string[],
  { data, shell = "" }: { readonly data: string; readonly shell?: string },
): Child {
  const script = [process.execPath, import.meta.filename, ...args];
  const line = `${shell} exec "$@"`;
  return spawn("/bin/sh", ["-c", line, "sh", ...script], {
    env: { ...process.env, TRIPTYCH_DATA: data, DATABASE_URL: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

if (process.argv[1] === import.meta.filename) {
  const { code, stdout, stderr } = await runInProcess();
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = code;
}

/** Emits lines immediately, so that the caller can kill on one. */
async function runInProcess(): Promise<Ran> {
  const { env: environment, stdout, stderr } = process;
  const commands = directoryCommands({
    environment,
    stdout,
    stderr,
    now: () => Date.now(),
    random: (count) => randomBytes(count),
  });
  try {
    await commands.parseAsync(process.argv.slice(2), { from: "user" });
    return { code: 0, stdout: "", stderr: "" };
  } catch (error) {
    return { code: 1, stdout: "", stderr: `${error instanceof Error ? error.message : String(error)}\n` };
  }
}
