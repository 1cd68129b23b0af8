/** Limits for mirror size and free disk space, checked before and during a fetch. */
import { readdir, rm, stat, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { Unreachable } from "./addresses.ts";

export interface MirrorLimits {
  readonly bytesMax: number;
  /** Free bytes reserved on the mirror disk. */
  readonly reserveBytes: number;
}

export const NO_LIMITS: MirrorLimits = { bytesMax: Infinity, reserveBytes: 0 };

const MB = 1024 ** 2;
const POLL_INTERVAL_MS = 100;

export class RepositoryTooLarge extends Unreachable {}

/** Runs `fetch`, aborts it when a limit is exceeded, and removes partial files. */
export async function fetchWithin(
  path: string,
  limits: MirrorLimits,
  fetch: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const before = await findExceededLimit(path, limits);
  if (before !== null) throw before;
  const controller = new AbortController();
  const isOver = new AbortController();
  const watching = watch(path, limits, isOver.signal).then((excess) => {
    if (excess !== null) controller.abort();
    return excess;
  });
  try {
    await fetch(controller.signal);
  } catch (error) {
    isOver.abort();
    await removePartial(path);
    throw (await watching) ?? error;
  }
  isOver.abort();
  await watching;
  const after = await findExceededLimit(path, limits);
  if (after instanceof RepositoryTooLarge) throw after;
}

async function watch(path: string, limits: MirrorLimits, isOver: AbortSignal): Promise<Unreachable | null> {
  while (!isOver.aborted) {
    const excess = await findExceededLimit(path, limits);
    if (excess !== null) return excess;
    await pause(isOver);
  }
  return null;
}

function pause(isOver: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      isOver.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, POLL_INTERVAL_MS);
    isOver.addEventListener("abort", end, { once: true });
    if (isOver.aborted) end();
  });
}

async function findExceededLimit(path: string, { bytesMax, reserveBytes }: MirrorLimits): Promise<Unreachable | null> {
  if (reserveBytes > 0) {
    const { bavail, bsize } = await statfs(path);
    if (bavail * bsize < reserveBytes)
      return new Unreachable(
        `the panel's disk has less than ${reserveBytes / MB} MB of free space; fetching is paused`,
      );
  }
  if (bytesMax === Infinity || (await bytesOf(path)) <= bytesMax) return null;
  return new RepositoryTooLarge(`the repository exceeds the panel's size limit of ${bytesMax / MB} MB`);
}

async function removePartial(path: string): Promise<void> {
  const objects = join(path, "objects");
  for (const name of await readdir(objects, { recursive: true }).catch(() => []))
    if (/^\.?tmp[_-]/.test(basename(name))) await rm(join(objects, name), { recursive: true, force: true });
}

/** Files removed during the scan count as zero. */
export async function bytesOf(path: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(path, { recursive: true }).catch(() => [])) {
    const stats = await stat(join(path, name)).catch(() => null);
    if (stats?.isFile() === true) bytes += stats.size;
  }
  return bytes;
}
