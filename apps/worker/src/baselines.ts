/**
 * What the checks said before any change, by everything that it depends on: repository, commit, commands, and the surroundings of this
 * machine. Green or red, a run at the same commit need not wait for the same answer again. A lost or broken file only costs time.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { CheckOptions, CheckedRun } from "./phases/checks.ts";
import { readJson } from "./read-json.ts";
import type { RunRequest } from "./run-request.ts";

export interface Baselines {
  find(request: RunRequest, options: CheckOptions): Promise<CheckedRun | undefined>;
  /** Only what ended by itself is kept: a limit that was met today may not be met tomorrow. */
  keep(request: RunRequest, options: CheckOptions, run: CheckedRun): Promise<void>;
}

const check = Type.Enum(["green", "red", "none"]);
const end = Type.Union([Type.Object({ exitCode: Type.Integer(), durationMs: Type.Number() }), Type.Null()]);
const StoredBaseline = Type.Object({
  checks: Type.Object({ verify: check, gate: check }),
  durationMs: Type.Number(),
  output: Type.String(),
  verify: end,
  gate: end,
  // A tool that is missing today may be installed tomorrow.
  unavailable: Type.Null(),
  isCached: Type.Boolean(),
});

const MOST = 500;

/** `surroundings`: whatever else decides what a command says, such as the programs that are found. */
export function createBaselines(folder: string, hostContext: Readonly<Record<string, string | undefined>>): Baselines {
  return {
    async find(request, options) {
      const path = join(folder, nameOf(request, options, hostContext));
      const stored = await readJson(path);
      if (!Value.Check(StoredBaseline, stored)) return undefined;
      const now = new Date();
      await utimes(path, now, now);
      return stored;
    },
    async keep(request, options, run) {
      if (!Value.Check(StoredBaseline, run)) return;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, nameOf(request, options, hostContext));
      // Of this call alone: two runs at one commit may learn the same at once.
      const part = `${path}.${randomUUID()}.part`;
      await writeFile(part, JSON.stringify(run), { mode: 0o600 });
      await rename(part, path);
      await forgetOldest(folder);
    },
  };
}

function nameOf(
  { clone, verify, gate, environment = [] }: RunRequest,
  options: CheckOptions,
  hostContext: object,
): string {
  const commands = [
    verify.setupCommand,
    options.verify ? verify.command : null,
    options.gate ? (gate?.command ?? null) : null,
  ];
  const key = JSON.stringify([clone.repository, clone.sha, commands, hostContext, environment]);
  return `${createHash("sha256").update(key).digest("hex")}.json`;
}

async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MOST) return;
  const aged = await Promise.all(
    // One that vanishes meanwhile was put in its place, or forgotten, by another run.
    names.map(async (name) => ({
      name,
      usedAt: (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? Infinity,
    })),
  );
  aged.sort((a, b) => b.usedAt - a.usedAt);
  for (const { name } of aged.slice(MOST)) await rm(join(folder, name), { force: true });
}
