/** The words that make `bwrap` build a sandbox: nothing here looks at the machine, so that the whole of it can be read in one place. */
import type { RunLimits } from "../run-request.ts";
import type { SandboxFolders, LaunchPurpose } from "./sandbox-factory.ts";

export interface SandboxShape {
  readonly purpose: LaunchPurpose;
  readonly folders: Pick<SandboxFolders, "tree" | "notes" | "home" | "objects">;
  /** Home and tree of this process, on the disk; inside they stand where those of the run stand. */
  readonly home: string;
  readonly tree: string;
  /** From `readableSystem`, or `imageSystem`. */
  readonly system: readonly string[];
  /** A few files that stand for the machine's own: users, hosts, and the resolver where the network is open. */
  readonly guise: readonly (readonly [source: string, inside: string])[];
  readonly network: { readonly isShared: boolean; readonly socket: string | null };
  readonly limits: Pick<RunLimits, "memoryMb">;
  readonly cwd: string;
}

export const INNER_SOCKET = "/run/triptych/door.sock";
/** On the loopback of the sandbox, which is its own: any number would do. */
export const INNER_PORT = 8377;

export function bwrapArgs(shape: SandboxShape): readonly string[] {
  const { folders, purpose, network, system, guise, limits, home, tree, cwd } = shape;
  const isWriter = purpose !== "reader";
  const isAgent = purpose === "agent" || purpose === "reader";
  return [
    NAMESPACES,
    network.isShared ? [] : ["--unshare-net"],
    ["--proc", "/proc", "--dev", "/dev"],
    temporary("/dev/shm", limits),
    temporary("/tmp", limits),
    // Programs look for these, and find nothing in them.
    ["--symlink", "/tmp", "/var/tmp", "--dir", "/run"],
    system,
    guise.flatMap(([source, inside]) => ["--ro-bind-try", source, inside]),
    ["--bind", home, folders.home],
    // What the worker writes there must not be led astray by a link that was planted inside.
    isAgent ? ["--ro-bind", folders.notes, folders.notes] : [],
    isAgent || folders.objects === undefined ? [] : ["--ro-bind", folders.objects, folders.objects],
    [isWriter ? "--bind" : "--ro-bind", tree, folders.tree],
    network.socket === null ? [] : ["--ro-bind", network.socket, INNER_SOCKET],
    // The frame that all this hangs in lives in memory: nothing is to be written there.
    ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", cwd],
  ].flat();
}

const NAMESPACES = [
  // A user of no name, without any right, that cannot make itself another namespace to have rights in.
  ["--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"],
  ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"],
  // No terminal to push keys into, and no life after the worker.
  ["--new-session", "--die-with-parent"],
].flat();

const MEBIBYTE = 1024 * 1024;
const LARGEST_TEMPORARY_MB = 1024;
const OPEN_FILES = 65_536;
/** Node does not begin without this room for code, of which it uses a few pages. What is really used is looked at besides. */
const RESERVED_MB = 1024;

/** It lives in memory, so it is a part of what the run may have of that. */
function temporary(path: string, { memoryMb }: Pick<RunLimits, "memoryMb">): readonly string[] {
  const mebibytes = Math.min(LARGEST_TEMPORARY_MB, Math.ceil((memoryMb ?? Infinity) / 4));
  return ["--perms", "1777", "--size", String(mebibytes * MEBIBYTE), "--tmpfs", path];
}

/** Of the kernel's limits those that are used here, by the names of `prlimit`; what this process itself may not pass. */
export type HardLimits = Readonly<Record<"core" | "nofile" | "data" | "nproc" | "fsize", number>>;

interface LimitTools {
  readonly starters: { readonly prlimit: readonly string[] };
  readonly hardLimits: HardLimits;
}

/**
 * What the kernel holds of each process. Memory as private pages that may be written, not as addresses: Node, Go and Java reserve far
 * more addresses than they ever use.
 */
export function prlimitArgs(
  { starters, hardLimits }: LimitTools,
  { memoryMb, processes, diskMb }: Pick<RunLimits, "memoryMb" | "processes" | "diskMb">,
): readonly string[] {
  const limits: HardLimits = {
    core: 0,
    nofile: OPEN_FILES,
    data: ((memoryMb ?? Infinity) + RESERVED_MB) * MEBIBYTE,
    nproc: processes ?? Infinity,
    fsize: (diskMb ?? Infinity) * MEBIBYTE,
  };
  const args: string[] = [];
  for (const name of ["core", "nofile", "data", "nproc", "fsize"] as const) {
    const limit = Math.min(limits[name], hardLimits[name]);
    if (limit !== Infinity) args.push(`--${name}=${limit}`);
  }
  return [...starters.prlimit, ...args, "--"];
}
