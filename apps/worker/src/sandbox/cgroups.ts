/**
 * cgroups v2, if the machine delegates a group: the kernel limits and kills all processes of a run together. A group contains either
 * processes or subgroups, so the worker moves into one subgroup, and each sandbox gets another.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RunLimits } from "../run/run-request.ts";

export interface ControlGroups {
  /** Null if the kernel refuses: the resource monitor enforces the limits then. */
  open(limits: Pick<RunLimits, "memoryMb" | "processes">): Promise<ControlGroup | null>;
}

export interface ControlGroup extends AsyncDisposable {
  /** Argv prefix: processes start inside the group. */
  readonly args: readonly string[];
  /** The limit reached so far, if any; read synchronously. */
  reached(): "memory" | "processes" | null;
}

/** The kernel's mount; tests pass another folder. */
export interface GroupView {
  /** The mount point of a pure version 2 system. */
  readonly root: string;
  readonly own: string;
  readonly user: number;
  /** This process and its ancestors. */
  readonly line: readonly number[];
}

const OF_WORKER = "triptych-worker";
const OF_RUN = "triptych-run-";
const MEBIBYTE = 1024 * 1024;

/** Changes nothing yet; opening the first group splits the worker's own one. */
export async function findControlGroups(view: GroupView): Promise<ControlGroups | { readonly why: string }> {
  const path = /^0::(\/.*)$/m.exec(view.own)?.[1];
  if (path === undefined || !existsSync(join(view.root, "cgroup.controllers")))
    return { why: "this machine does not use control groups version 2 only" };
  // If another worker with the same parent has already split the group, this one is in the subgroup.
  const group = join(view.root, basename(path) === OF_WORKER ? dirname(path) : path);
  const why = await whyNot(group, view).catch(() => "its control group cannot be read");
  if (why !== null) return { why };
  let divided: Promise<boolean> | undefined;
  return {
    async open(limits) {
      divided ??= divide(group).then(
        () => true,
        () => false,
      );
      if (!(await divided)) return null;
      return openGroup(join(group, `${OF_RUN}${process.pid}-${randomUUID()}`), limits).catch(() => null);
    },
  };
}

async function whyNot(group: string, { root, user, line }: GroupView): Promise<string | null> {
  const { uid } = await stat(group);
  if (uid !== user) return "its control group is not delegated: start it from a unit with `Delegate=memory pids`";
  // Root owns every group, so only the root group of a container is certain to be delegated.
  if (user === 0 && group !== join(root, "/")) return "as root, it cannot tell whether its control group is delegated";
  const controllers = (await readFile(join(group, "cgroup.controllers"), "utf8")).trim().split(" ");
  const missing = ["memory", "pids"].filter((name) => !controllers.includes(name));
  if (missing.length > 0) return `its control group lacks the controller ${missing.join(" and ")}`;
  const others = (await membersOf(group)).filter((id) => !line.includes(id));
  return others.length === 0 ? null : "its control group contains other processes: start it in a separate one";
}

async function membersOf(group: string): Promise<readonly number[]> {
  return (await readFile(join(group, "cgroup.procs"), "utf8")).split("\n").filter(Boolean).map(Number);
}

async function divide(group: string): Promise<void> {
  for (const name of await readdir(group)) if (isLeftOver(name)) await removeGroup(join(group, name));
  const own = join(group, OF_WORKER);
  await mkdir(own, { recursive: true });
  for (const id of await membersOf(group)) await writeFile(join(own, "cgroup.procs"), String(id));
  await writeFile(join(group, "cgroup.subtree_control"), "+memory +pids");
}

/** Whether the group is left over from a killed worker. Other workers may share the parent group. */
function isLeftOver(name: string): boolean {
  const [worker] = name.startsWith(OF_RUN) ? name.slice(OF_RUN.length).split("-") : [];
  return worker !== undefined && !existsSync(`/proc/${worker}`);
}

/** A fixed shell text; the argv is its arguments. Its name prefixes its errors. */
const ENTER = ["/bin/sh", "-c", 'echo $$ > "$1" && shift && exec "$@"'];
export const ENTERING = "control-group";

async function openGroup(
  group: string,
  { memoryMb, processes }: Pick<RunLimits, "memoryMb" | "processes">,
): Promise<ControlGroup> {
  await mkdir(group);
  const settle = (name: string, value: number | string) => writeFile(join(group, name), String(value));
  if (memoryMb !== null) {
    await settle("memory.max", memoryMb * MEBIBYTE);
    // Without this, a run would swap instead of ending. A kernel without swap lacks the file.
    await settle("memory.swap.max", 0).catch(() => {});
    await settle("memory.oom.group", 1);
  }
  if (processes !== null) await settle("pids.max", processes);
  const count = (file: string, name: string) => {
    try {
      const text = readFileSync(join(group, file), "latin1");
      return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  return {
    args: [...ENTER, ENTERING, join(group, "cgroup.procs")],
    reached() {
      if (count("memory.events", "oom_kill") > 0) return "memory";
      return count("pids.events", "max") > 0 ? "processes" : null;
    },
    [Symbol.asyncDispose]: () => removeGroup(group),
  };
}

const REMOVE_ATTEMPTS_MAX = 20;
const WAIT_MS = 50;

/** Removes the group with all its processes. The next worker removes what the kernel has not ended in time. */
async function removeGroup(group: string): Promise<void> {
  await writeFile(join(group, "cgroup.kill"), "1").catch(() => {});
  for (let tries = 0; tries < REMOVE_ATTEMPTS_MAX; tries++) {
    const isGone = await rmdir(group).then(
      () => true,
      (error: unknown) => !(error instanceof Error && "code" in error && error.code === "EBUSY"),
    );
    if (isGone) return;
    await setTimeout(WAIT_MS);
  }
}

export function hostGroupView(): GroupView {
  const own = existsSync("/proc/self/cgroup") ? readFileSync("/proc/self/cgroup", "latin1") : "";
  return { root: "/sys/fs/cgroup", own, user: process.getuid?.() ?? -1, line: lineOf(process.pid) };
}

function lineOf(id: number): readonly number[] {
  const line: number[] = [];
  for (let current = id; current > 0; current = parentOf(current)) line.push(current);
  return line;
}

/** A program name in brackets may contain anything: parse after the last bracket. */
function parentOf(id: number): number {
  try {
    const [, , parent] = readFileSync(`/proc/${id}/stat`, "latin1").split(")").at(-1)?.split(" ") ?? [];
    return Number(parent ?? 0);
  } catch {
    return 0;
  }
}
