/** Runs a CLI command of the rail in this process. */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { ConfigError } from "@triptych/config";
import { CommanderError } from "commander";
import { railCommands } from "../../src/commands/index.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The exit code as in the CLI: 2 for usage errors, 1 for failures. */
export async function runCommand(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const commands = railCommands({
    environment,
    stdin: Readable.from([]),
    stdout: { write: (text) => (stdout += text), columns: 100 },
    stderr: { write: (text) => (stderr += text), columns: 100 },
    now: Date.now,
    random: (count) => randomBytes(count),
    fetch,
    user: "grace",
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
