/** Cache of check results before any change, by repository, commit, commands and environment. A lost or corrupt file only costs time. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import type { CheckOptions, CheckedRun } from "../run/run-summary.ts";
import { readJson } from "../process/json-access.ts";
import type { CommandEnd, RunRequest } from "../run/run-request.ts";

export interface Baselines {
  find(request: RunRequest, options: CheckOptions): Promise<CheckedRun | undefined>;
  /** Only results of completed commands are cached: a timeout may not repeat. */
  keep(request: RunRequest, options: CheckOptions, run: CheckedRun): Promise<void>;
}

const check = Type.Enum(["green", "red", "none"]);
const end = Type.Union([
  Type.Object({ exitCode: Type.Integer(), durationMs: Type.Number(), log: Type.Optional(Type.String()) }),
  Type.Null(),
]);
const StoredBaseline = Type.Object({
  checks: Type.Object({ verify: check, gate: check }),
  durationMs: Type.Number(),
  output: Type.String(),
  verify: end,
  gate: end,
  // A missing tool may be installed later.
  unavailable: Type.Null(),
  isCached: Type.Boolean(),
});

const ENTRIES_MAX = 500;
/** With `ENTRIES_MAX` files of two logs each, the cache stays below 256 MB. */
const LOG_LENGTH_MAX = 256 * 1024;

/** `environment`: everything else that affects a command, such as the programs in PATH. */
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
      // Unique per call: two runs at one commit may write at the same time.
      const part = `${path}.${randomUUID()}.part`;
      await writeFile(part, JSON.stringify(cacheable(run)), { mode: 0o600 });
      await rename(part, path);
      await forgetOldest(folder);
    },
  };
}

function cacheable({ verify, gate, ...run }: CheckedRun): CheckedRun {
  const bounded = (end: CommandEnd | null): CommandEnd | null => {
    if (end === null || (end.log ?? "").length <= LOG_LENGTH_MAX) return end;
    return { exitCode: end.exitCode, durationMs: end.durationMs };
  };
  return { ...run, verify: bounded(verify), gate: bounded(gate) };
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
  if (names.length <= ENTRIES_MAX) return;
  const aged = await Promise.all(
    // A file that vanishes was renamed or removed by another run.
    names.map(async (name) => ({
      name,
      usedAt: (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? Infinity,
    })),
  );
  aged.sort((a, b) => b.usedAt - a.usedAt);
  for (const { name } of aged.slice(ENTRIES_MAX)) await rm(join(folder, name), { force: true });
}
