/** How far this machine can shut an agent in: the one place that looks, by trying. */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ISOLATION_LEVELS, type IsolationLevel } from "@triptych/contracts";
import { findControlGroups, groupsHere, type GroupView } from "./sandbox/cgroups.ts";
import type { OpenEnclosure } from "./sandbox/sandbox-factory.ts";
import type { ModelAccess } from "./sandbox/network.ts";
import { programOnPath, readableSystem, type MachineView } from "./sandbox/rootfs-binds.ts";
import { createSandboxes, startersHere, type SandboxTools } from "./sandbox/sandbox.ts";
import { limitWords, sandboxWords, type HardLimits } from "./sandbox/bwrap-args.ts";
import { createWorktrees } from "./sandbox/worktree.ts";
import { createTail } from "./process/tail.ts";
import { runProcess } from "./process/run-process.ts";
import { RunFault } from "./run-error.ts";

export const ISOLATION_WISHES = ["auto", ...ISOLATION_LEVELS] as const;
export type IsolationWish = (typeof ISOLATION_WISHES)[number];

export interface Isolation {
  readonly level: IsolationLevel;
  /** Why there is no more than that; null where there is, or where no more was wished. */
  readonly lacks: string | null;
  /** Why the kernel does not hold memory and processes of a whole run; null where it does, and below a sandbox. */
  readonly heldByEyes: string | null;
  readonly enclosures: (access: ModelAccess) => OpenEnclosure;
}

/** Throws where more is asked for than there is: a level is never lowered in silence. Not for a container, which needs an image. */
export async function isolationHere(
  wish: Exclude<IsolationWish, "container">,
  machine: MachineView,
  groups: () => GroupView = groupsHere,
): Promise<Isolation> {
  if (wish === "none" || wish === "worktree") return below(wish, null);
  const found = await trySandbox(machine);
  if ("why" in found) {
    if (wish !== "auto") throw new Error(`--isolation ${wish}: ${found.why}`);
    return below("worktree", found.why);
  }
  return shutIn(found, groups);
}

export async function shutIn(found: Omit<SandboxTools, "groups">, groups = groupsHere): Promise<Isolation> {
  const divided = await findControlGroups(groups());
  const heldByEyes = "why" in divided ? divided.why : null;
  const tools = { ...found, groups: "why" in divided ? null : divided };
  const enclosures = atMost(found.level, (access) => createSandboxes(tools, access));
  return { level: found.level, lacks: null, heldByEyes, enclosures };
}

function below(level: "none" | "worktree", lacks: string | null): Isolation {
  return { level, lacks, heldByEyes: null, enclosures: atMost(level, (access) => createWorktrees(level, access)) };
}

/** The panel does not give a worker what it cannot shut in; an order that comes all the same is not carried out. */
function atMost(level: IsolationLevel, make: Isolation["enclosures"]): Isolation["enclosures"] {
  return (access) => {
    const open = make(access);
    return async (place, order) => {
      const wanted = order.isolation.levelRequired;
      if (ISOLATION_LEVELS.indexOf(wanted) > ISOLATION_LEVELS.indexOf(level))
        throw new RunFault("isolation_unavailable", `the repo asks for ${wanted}, this worker has ${level}`);
      return open(place, order);
    };
  };
}

const TRY_MS = 10_000;

/** Builds one, as for any command, and runs nothing in it. */
async function trySandbox(machine: MachineView): Promise<Omit<SandboxTools, "groups"> | Lack> {
  const parts = await sandboxParts(machine);
  if ("why" in parts) return parts;
  const { prlimit, ...found } = parts;
  const starters = startersHere(prlimit);
  const system = await readableSystem(machine);
  const tools = { ...found, level: "sandbox", starters, system, environment: () => ({}) } as const;
  const said = await whatItSays(tools, ["true"]);
  return said === null ? tools : { why: `bubblewrap cannot build one here: ${said}` };
}

export interface Lack {
  readonly why: string;
}

export type SandboxParts = Pick<SandboxTools, "bwrap" | "hardLimits"> & { readonly prlimit: string };

/** What of this machine every sandbox is built with. */
export async function sandboxParts({ path }: Pick<MachineView, "path">): Promise<SandboxParts | Lack> {
  if (process.platform !== "linux") return { why: "a sandbox needs Linux." };
  const bwrap = await programOnPath("bwrap", path);
  if (bwrap === null) return { why: "bubblewrap is not installed, or not in PATH (Debian: apt install bubblewrap)." };
  const prlimit = await programOnPath("prlimit", path);
  if (prlimit === null) return { why: "prlimit of util-linux is not installed, or not in PATH." };
  return { bwrap, prlimit, hardLimits: hardLimitsIn(await readFile("/proc/self/limits", "latin1")) };
}

/** Null: it works, and so does the program. */
export async function whatItSays(tools: Omit<SandboxTools, "groups">, argv: readonly string[]): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-"));
  const place = (name: string) => join(folder, name);
  for (const name of ["tree", "notes", "home"]) await mkdir(place(name));
  const said = createTail(1024);
  try {
    const words = sandboxWords({
      purpose: "agent",
      place: { tree: place("tree"), notes: place("notes"), home: place("home") },
      home: place("home"),
      tree: place("tree"),
      system: tools.system,
      guise: [],
      network: { isShared: false, socket: null },
      limits: { memoryMb: null },
      cwd: place("tree"),
    });
    const end = await runProcess({
      argv: [
        tools.bwrap,
        ...words,
        "--",
        ...limitWords(tools, { memoryMb: null, processes: null, diskMb: null }),
        ...argv,
      ],
      cwd: "/",
      environment: { PATH: "/usr/bin:/bin" },
      limits: { timeoutMs: TRY_MS, outputBytes: 1024 * 1024 },
      signal: new AbortController().signal,
      onStderr: said.push,
    });
    return end.kind === "exited" && end.code === 0 ? null : said.text().trim() || end.kind;
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

/** A row: the name, the soft limit, the hard one. */
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
