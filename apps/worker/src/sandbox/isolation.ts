/** Detects the isolation that this machine supports, by trying it. */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ISOLATION_LEVELS, type IsolationLevel } from "@triptych/contracts";
import { findControlGroups, hostGroupView, type GroupView } from "./cgroups.ts";
import type { CreateSandbox } from "./sandbox-factory.ts";
import type { ModelAccess } from "./network.ts";
import { programOnPath, rootfsBinds, type VisibleSystem } from "./rootfs-binds.ts";
import { createSandboxes, hostLaunchers, type SandboxTools } from "./sandbox.ts";
import { prlimitArgs, bwrapArgs, type HardLimits } from "./bwrap-args.ts";
import { createWorktrees } from "./worktree.ts";
import { createTail } from "../process/tail.ts";
import { runProcess } from "../process/run-process.ts";
import { RunError } from "../run/run-error.ts";

export const ISOLATION_MODES = ["auto", ...ISOLATION_LEVELS] as const;
export type IsolationMode = (typeof ISOLATION_MODES)[number];

export interface Isolation {
  readonly level: IsolationLevel;
  /** Why no higher level is available; null if it is, or none was requested. */
  readonly lacks: string | null;
  /** Why the kernel cannot limit memory and processes of a whole run; null if it can, and without a sandbox. */
  readonly samplingReason: string | null;
  readonly sandboxes: (access: ModelAccess) => CreateSandbox;
}

/** Throws if the requested level is not supported: a level is never lowered silently. Not for `container`, which needs an image. */
export async function detectIsolation(
  mode: Exclude<IsolationMode, "container">,
  machine: VisibleSystem,
  groups: () => GroupView = hostGroupView,
): Promise<Isolation> {
  if (mode === "none" || mode === "worktree") return below(mode, null);
  const found = await trySandbox(machine);
  if ("why" in found) {
    if (mode !== "auto") throw new Error(`--isolation ${mode}: ${found.why}`);
    return below("worktree", found.why);
  }
  return createIsolation(found, groups);
}

export async function createIsolation(found: Omit<SandboxTools, "groups">, groups = hostGroupView): Promise<Isolation> {
  const divided = await findControlGroups(groups());
  const samplingReason = "why" in divided ? divided.why : null;
  const tools = { ...found, groups: "why" in divided ? null : divided };
  const sandboxes = atMost(found.level, (access) => createSandboxes(tools, access));
  return { level: found.level, lacks: null, samplingReason, sandboxes };
}

function below(level: "none" | "worktree", lacks: string | null): Isolation {
  return { level, lacks, samplingReason: null, sandboxes: atMost(level, (access) => createWorktrees(level, access)) };
}

/** The panel sends no run that requires a higher level than this worker's; if one arrives, it is refused. */
function atMost(level: IsolationLevel, make: Isolation["sandboxes"]): Isolation["sandboxes"] {
  return (access) => {
    const open = make(access);
    return async (folders, request) => {
      const required = request.isolation.levelRequired;
      if (ISOLATION_LEVELS.indexOf(required) > ISOLATION_LEVELS.indexOf(level))
        throw new RunError("isolation_unavailable", `the repo requires ${required}; this worker provides ${level}`);
      return open(folders, request);
    };
  };
}

const TRY_MS = 10_000;

/** Builds a sandbox like that of any command, but runs nothing in it. */
async function trySandbox(machine: VisibleSystem): Promise<Omit<SandboxTools, "groups"> | MissingFeature> {
  const parts = await sandboxParts(machine);
  if ("why" in parts) return parts;
  const { prlimit, ...found } = parts;
  const starters = hostLaunchers(prlimit);
  const system = await rootfsBinds(machine);
  const tools = { ...found, level: "sandbox", starters, system, environment: () => ({}) } as const;
  const failure = await probeSandbox(tools, ["true"]);
  return failure === null ? tools : { why: `bubblewrap cannot create a sandbox here: ${failure}` };
}

export interface MissingFeature {
  readonly why: string;
}

export type SandboxParts = Pick<SandboxTools, "bwrap" | "hardLimits"> & { readonly prlimit: string };

export async function sandboxParts({ path }: Pick<VisibleSystem, "path">): Promise<SandboxParts | MissingFeature> {
  if (process.platform !== "linux") return { why: "a sandbox requires Linux." };
  const bwrap = await programOnPath("bwrap", path);
  if (bwrap === null) return { why: "bubblewrap is not installed, or not in PATH (Debian: apt install bubblewrap)." };
  const prlimit = await programOnPath("prlimit", path);
  if (prlimit === null) return { why: "prlimit of util-linux is not installed, or not in PATH." };
  return { bwrap, prlimit, hardLimits: hardLimitsIn(await readFile("/proc/self/limits", "latin1")) };
}

export async function probeSandbox(
  tools: Omit<SandboxTools, "groups">,
  argv: readonly string[],
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-"));
  const pathOf = (name: string) => join(folder, name);
  for (const name of ["tree", "notes", "home"]) await mkdir(pathOf(name));
  const stderr = createTail(1024);
  try {
    const args = bwrapArgs({
      purpose: "agent",
      folders: { tree: pathOf("tree"), notes: pathOf("notes"), home: pathOf("home") },
      home: pathOf("home"),
      tree: pathOf("tree"),
      system: tools.system,
      hostFiles: [],
      network: { isShared: false, socket: null },
      limits: { memoryMb: null },
      cwd: pathOf("tree"),
    });
    const end = await runProcess({
      argv: [
        tools.bwrap,
        ...args,
        "--",
        ...prlimitArgs(tools, { memoryMb: null, processes: null, diskMb: null }),
        ...argv,
      ],
      cwd: "/",
      environment: { PATH: "/usr/bin:/bin" },
      limits: { timeoutMs: TRY_MS, outputBytes: 1024 * 1024 },
      signal: new AbortController().signal,
      onStderr: stderr.push,
    });
    return end.kind === "exited" && end.code === 0 ? null : stderr.text().trim() || end.kind;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ROWS = {
  core: "Max core file size",
  nofile: "Max open files",
  data: "Max data size",
  nproc: "Max processes",
  fsize: "Max file size",
};

function hardLimitsIn(text: string): HardLimits {
  const hard = (row: string) => {
    const limit = new RegExp(`^${row}\\s+\\S+\\s+(\\d+)`, "m").exec(text)?.[1];
    return limit === undefined ? Infinity : Number(limit);
  };
  return {
    core: hard(ROWS.core),
    nofile: hard(ROWS.nofile),
    data: hard(ROWS.data),
    nproc: hard(ROWS.nproc),
    fsize: hard(ROWS.fsize),
  };
}
