/** The arguments for `bwrap`. Pure, so that the sandbox can be reviewed in one place. */
import type { RunLimits } from "../run/run-request.ts";
import type { SandboxFolders, LaunchPurpose } from "./sandbox-factory.ts";

export interface SandboxShape {
  readonly purpose: LaunchPurpose;
  readonly folders: Pick<SandboxFolders, "tree" | "notes" | "home" | "objects">;
  /** Home and tree on the disk; inside the sandbox, they appear at the run's paths. */
  readonly home: string;
  readonly tree: string;
  /** From `rootfsBinds`, or `imageSystem`. */
  readonly system: readonly string[];
  /** Files that replace the machine's own: users, hosts, and the resolver if the network is open. */
  readonly hostFiles: readonly (readonly [source: string, inside: string])[];
  readonly network: { readonly isShared: boolean; readonly socket: string | null };
  readonly limits: Pick<RunLimits, "memoryMb">;
  readonly cwd: string;
}

export const INNER_SOCKET = "/run/triptych/door.sock";
/** A port on the sandbox's own loopback, so any number works. */
export const INNER_PORT = 8377;

export function bwrapArgs(shape: SandboxShape): readonly string[] {
  const { folders, purpose, network, system, hostFiles, limits, home, tree, cwd } = shape;
  const isWriter = purpose !== "reader";
  const isAgent = purpose === "agent" || purpose === "reader";
  return [
    NAMESPACES,
    network.isShared ? [] : ["--unshare-net"],
    ["--proc", "/proc", "--dev", "/dev"],
    temporary("/dev/shm", limits),
    temporary("/tmp", limits),
    // Programs expect these folders, which are empty.
    ["--symlink", "/tmp", "/var/tmp", "--dir", "/run"],
    system,
    hostFiles.flatMap(([source, inside]) => ["--ro-bind-try", source, inside]),
    ["--bind", home, folders.home],
    // A link planted inside must not redirect the worker's writes.
    isAgent ? ["--ro-bind", folders.notes, folders.notes] : [],
    isAgent || folders.objects === undefined ? [] : ["--ro-bind", folders.objects, folders.objects],
    [isWriter ? "--bind" : "--ro-bind", tree, folders.tree],
    network.socket === null ? [] : ["--ro-bind", network.socket, INNER_SOCKET],
    // The root is a tmpfs, made read-only so that nothing can fill memory.
    ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", cwd],
  ].flat();
}

const NAMESPACES = [
  // An unprivileged user that cannot create another user namespace.
  ["--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"],
  ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"],
  // Prevents injection of terminal input, and ends with the worker.
  ["--new-session", "--die-with-parent"],
].flat();

const MEBIBYTE = 1024 * 1024;
const LARGEST_TEMPORARY_MB = 1024;
const OPEN_FILES = 65_536;
/** Node reserves this address space for code and uses a few pages of it. Real use is monitored separately. */
const RESERVED_MB = 1024;

/** A tmpfs counts as memory of the run. */
function temporary(path: string, { memoryMb }: Pick<RunLimits, "memoryMb">): readonly string[] {
  const mebibytes = Math.min(LARGEST_TEMPORARY_MB, Math.ceil((memoryMb ?? Infinity) / 4));
  return ["--perms", "1777", "--size", String(mebibytes * MEBIBYTE), "--tmpfs", path];
}

/** The kernel limits in use, by their `prlimit` names, capped at this process's own limits. */
export type HardLimits = Readonly<Record<"core" | "nofile" | "data" | "nproc" | "fsize", number>>;

interface LimitTools {
  readonly starters: { readonly prlimit: readonly string[] };
  readonly hardLimits: HardLimits;
}

/**
 * Per-process kernel limits. Memory counts private writable pages, not addresses: Node, Go and Java reserve far more addresses than they
 * use.
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
