import { spawn } from "node:child_process";
import { once } from "node:events";
import type { GateResult, GateDefinition } from "./gate-protocol.ts";

export const fasterThan: GateDefinition = {
  usage: "faster-than <seconds> -- <command>",
  about: "the command succeeds within the time; a single argument is run by a shell",
  async ask({ args: [limit, dashes, ...command], folder, environment }) {
    if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(limit ?? "") || dashes !== "--" || command.length === 0) return null;
    return time(Number(limit), command, { folder, environment });
  },
};

interface CommandContext {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

async function time(
  limitS: number,
  command: readonly string[],
  { folder, environment }: CommandContext,
): Promise<GateResult> {
  const [program, ...args] = command.length === 1 ? ["/bin/sh", "-c", command[0]] : command;
  const startedAt = performance.now();
  // A process group of its own, so that its children are killed with it.
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...environment },
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, limitS * 1000);
  try {
    const [code] = await once(child, "exit");
    const took = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (isLate) return { code: 1, message: `The command timed out after ${limitS} s.` };
    if (code !== 0)
      return {
        code: 1,
        message: `The command failed (${code === null ? "signal" : `exit code ${code}`}) after ${took} s.`,
      };
    return { code: 0, message: `The command took ${took} s.` };
  } finally {
    clearTimeout(limit);
  }
}
