/**
 * The folder of one epoch of one run, with its unsent events and its final message for a restart. The final message is synced to disk
 * before it is sent: it cannot be recreated.
 */
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import { readJson } from "../process/json-access.ts";

const RunLease = Type.Object({ run_id: Type.String({ minLength: 1 }), epoch: Type.Integer() });
export type RunLease = Static<typeof RunLease>;

const Report = Type.Object({
  mid: Type.String({ minLength: 1 }),
  state: Type.Enum(["pushing", "no_change", "failed", "succeeded", "cancelled"]),
  data: Type.Record(Type.String(), Type.Unknown()),
  /** Unacknowledged state frames before it: the panel needs them to apply it. */
  before: Type.Optional(Type.Array(Type.Object({ mid: Type.String(), text: Type.String() }))),
});
export type Report = Static<typeof Report>;

export interface RunFolder {
  readonly path: string;
  readonly events: string;
  begin(lease: RunLease): Promise<void>;
  keep(report: Report): Promise<void>;
  /** Removes all but the record that this worker stopped the run. */
  mark(): Promise<void>;
  remove(): Promise<void>;
}

const LEASE = "held.json";
const REPORT = "report.json";
const STOPPED = "stopped.json";

export function runFolder(runs: string, { run_id, epoch }: RunLease): RunFolder {
  const path = join(runs, `${encodeURIComponent(run_id)}.${epoch}`);
  return {
    path,
    events: join(path, "events.jsonl"),
    async begin(lease) {
      await rm(path, { recursive: true, force: true });
      await mkdir(path, { recursive: true, mode: 0o700 });
      await writeSynced(path, LEASE, lease);
    },
    keep: (report) => writeSynced(path, REPORT, report),
    async mark() {
      await writeSynced(path, STOPPED, true);
      for (const name of await readdir(path).catch(() => []))
        if (name !== LEASE && name !== STOPPED) await rm(join(path, name), { recursive: true, force: true });
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

export interface LeftRun {
  readonly lease: RunLease;
  readonly report: Report | null;
  /** Whether the worker stopped the run. If not, the worker was killed, possibly by the run itself. */
  readonly wasStopped: boolean;
}

/** Runs of an earlier process; unreadable folders are removed. */
export async function findLeftRuns(runs: string): Promise<readonly LeftRun[]> {
  const left: LeftRun[] = [];
  for (const name of await readdir(runs).catch(() => [])) {
    const lease = await readJson(join(runs, name, LEASE));
    const report = await readJson(join(runs, name, REPORT));
    const wasStopped = (await readJson(join(runs, name, STOPPED))) === true;
    if (Value.Check(RunLease, lease))
      left.push({ lease, wasStopped, report: Value.Check(Report, report) ? report : null });
    else await rm(join(runs, name), { recursive: true, force: true });
  }
  return left;
}

/** Atomic and durable. */
async function writeSynced(folder: string, name: string, value: unknown): Promise<void> {
  const part = join(folder, `${name}.part`);
  const file = await open(part, "w", 0o600);
  try {
    await file.writeFile(JSON.stringify(value));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, join(folder, name));
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
