/**
 * Ends a run above its limits: disk, which no kernel limit bounds per folder, and memory and processes of the whole sandbox, which rlimits
 * bound only per process. Usage may exceed a limit between samples; a fast drop of free space triggers a disk sample.
 */
import { readdirSync, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createTail } from "../process/tail.ts";
import { runProcess, type ProcessEnd, type ProcessSpec } from "../process/run-process.ts";
import { RunError } from "../run/run-error.ts";
import type { ControlGroup } from "./cgroups.ts";
import type { SandboxFolders, SandboxRequest, LaunchProcess } from "./sandbox-factory.ts";

export interface UseOptions {
  readonly folders: SandboxFolders;
  readonly request: SandboxRequest;
  /** The program that sums a folder, with permission to read folders that a process made unreadable. */
  readonly sum: readonly string[];
  /** Without a sandbox a process can escape its parent, and is not found. */
  readonly hasProcesses: boolean;
  /** Null if the machine delegates none. */
  readonly group: Pick<ControlGroup, "reached"> | null;
}

export interface UseWatch extends Disposable {
  /** Monitors while this runs. */
  during(spec: ProcessSpec, launch: LaunchProcess): Promise<ProcessEnd>;
}

const SAMPLE_INTERVAL_MS = 250;
/** Summing a folder is expensive: at most this share of the time is spent on it. */
const DISK_SHARE = 20;
const DISK_SAMPLE_INTERVAL_MS = 2_000;
/** This many bytes written since the last sum, by any process, make it stale. */
const SHRUNK_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

export function watchUse({ folders, request, sum, hasProcesses, group }: UseOptions): UseWatch {
  const { limits, onBroken } = request;
  const roots = new Set<number>();
  const ending = new AbortController();
  let looking: NodeJS.Timeout | undefined;
  let isLooking = false;
  let nextSumAt = 0;
  let freeAtSum = Infinity;

  return {
    async during(spec, launch) {
      let root: number | undefined;
      looking ??= setInterval(() => void sample(), SAMPLE_INTERVAL_MS).unref();
      const onStarted = (id: number) => {
        root = id;
        roots.add(id);
        spec.onStarted?.(id);
      };
      try {
        return await launch({ ...spec, onStarted });
      } finally {
        // A kill by the kernel looks like any other exit, so the group is asked.
        sampleGroup();
        if (root !== undefined) roots.delete(root);
        if (roots.size === 0) end();
      }
    },
    [Symbol.dispose]() {
      end();
      ending.abort();
    },
  };

  function end(): void {
    clearInterval(looking);
    looking = undefined;
  }

  async function sample(): Promise<void> {
    if (isLooking || ending.signal.aborted) return;
    isLooking = true;
    try {
      sampleGroup();
      if (hasProcesses) for (const root of roots) sampleProcesses(root);
      if (limits.diskMb !== null) await sampleDisk(limits.diskMb);
    } finally {
      isLooking = false;
    }
  }

  function sampleGroup(): void {
    const reached = group?.reached() ?? null;
    if (reached !== null) onBroken(errorOf(reached, limits));
  }

  function sampleProcesses(root: number): void {
    const { memoryMb, processes } = limits;
    const used = usageOfTree(root, processes ?? Infinity);
    if (processes !== null && used.threads > processes) onBroken(errorOf("processes", limits));
    if (memoryMb !== null && used.bytes > memoryMb * MEBIBYTE) onBroken(errorOf("memory", limits));
  }

  async function sampleDisk(diskMb: number): Promise<void> {
    const free = await statfs(folders.tree).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => 0,
    );
    const startedAt = performance.now();
    if (startedAt < nextSumAt && free > freeAtSum - SHRUNK_BYTES) return;
    const bytes = await sumOf(sum, [folders.tree, folders.home, folders.temporary], ending.signal);
    const took = performance.now() - startedAt;
    nextSumAt = startedAt + Math.max(DISK_SAMPLE_INTERVAL_MS, took * DISK_SHARE);
    freeAtSum = free;
    if (bytes > diskMb * MEBIBYTE)
      onBroken(
        new RunError("policy_violation", `disk limit of ${diskMb} MiB exceeded: ${Math.ceil(bytes / MEBIBYTE)} MiB`),
      );
  }
}

function errorOf(what: "memory" | "processes", { memoryMb, processes }: SandboxRequest["limits"]): RunError {
  const limit = what === "memory" ? `memory limit of ${memoryMb} MiB` : `limit of ${processes} processes and threads`;
  return new RunError("policy_violation", `${limit} exceeded`);
}

const SUM_MS = 120_000;
const KIBIBYTE = 1024;

/** Files that vanish during the sum are not counted. */
async function sumOf(program: readonly string[], folders: readonly string[], signal: AbortSignal): Promise<number> {
  const printed = createTail(64 * KIBIBYTE);
  await runProcess({
    argv: [...program, "-skx", "--", ...folders],
    cwd: "/",
    environment: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    limits: { timeoutMs: SUM_MS, outputBytes: 64 * MEBIBYTE },
    signal,
    onStdout: printed.push,
  });
  const sums = printed.text().matchAll(/^(\d+)\t/gm);
  return [...sums].reduce((total, [, kibibytes]) => total + Number(kibibytes) * KIBIBYTE, 0);
}

interface Use {
  readonly threads: number;
  readonly bytes: number;
}

/**
 * Of a process and its descendants: in a PID namespace none can leave the tree. Stops above `most`. Synchronous: these files cost
 * microseconds, and a fork bomb must not gain during a yield.
 */
function usageOfTree(root: number, most: number): Use {
  const waiting = [root];
  let threads = 0;
  let kibibytes = 0;
  for (let id = waiting.pop(); id !== undefined && threads <= most; id = waiting.pop()) {
    try {
      const status = readFileSync(`/proc/${id}/status`, "latin1");
      threads += figure(status, "Threads");
      kibibytes += figure(status, "RssAnon") + figure(status, "RssShmem");
      for (const thread of readdirSync(`/proc/${id}/task`)) {
        const children = readFileSync(`/proc/${id}/task/${thread}/children`, "latin1");
        waiting.push(...children.split(" ").filter(Boolean).map(Number));
      }
    } catch {
      // The process has ended since. Its children have a new parent, and the next sample finds them.
    }
  }
  return { threads, bytes: kibibytes * KIBIBYTE };
}

function figure(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
}
