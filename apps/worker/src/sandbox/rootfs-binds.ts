/**
 * Host paths that a sandbox shows, read-only: system programs and libraries, parts of `/etc`, PATH, Node and the worker's program. An allow
 * list: homes and data folders are absent.
 */
import { readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { LIBRARIES } from "./host-binaries.ts";

export interface VisibleSystem {
  readonly path: string;
  /** Never shown, nor their parents: the home of the worker's user and the worker's folder. */
  readonly hidden: readonly string[];
  readonly exposed: readonly string[];
}

/** The arguments for `bwrap`. Computed once: the machine does not change while the worker runs. */
export async function rootfsBinds(machine: VisibleSystem): Promise<readonly string[]> {
  const { path, hidden } = machine;
  const exposed = visiblePaths(machine);
  const ofPath = path.split(":").filter((folder) => folder.startsWith("/"));
  const candidates = [...ofPath.flatMap(withLibraries(hidden)), dirname(process.execPath), ...OWN, ...exposed];
  const mounted: string[] = [];
  // Sorted, so that a folder comes before its contents.
  for (const folder of (await existing([...SYSTEM, ...candidates])).toSorted((a, b) => a.length - b.length)) {
    const isMounted = mounted.some((parent) => isWithin(folder, parent)) || ROOT_FOLDERS.test(folder.split("/")[1]);
    if (!isMounted && (!isAround(folder, hidden) || SYSTEM.includes(folder))) mounted.push(folder);
  }
  // Covers a worker's folder under /usr or /opt, which would be shown otherwise.
  const covered = hidden.filter((hiddenPath) => mounted.some((folder) => isWithin(hiddenPath, folder)));
  return [
    ...(await rootFolders()),
    ...mounted.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...(await ofEtc()),
    ...covered.flatMap((folder) => ["--tmpfs", folder]),
    ...(await procMaskArgs()),
  ];
}

/** The operator's paths, resolved. Throws if one would expose a hidden path. */
export function visiblePaths({ hidden, exposed }: Pick<VisibleSystem, "hidden" | "exposed">): readonly string[] {
  const folders = exposed.map((folder) => resolve(folder));
  const exposing = folders.find((folder) => isAround(folder, hidden));
  if (exposing !== undefined)
    throw new Error(
      `--mount-ro ${exposing}: this path contains the worker's folder or its user's home. Name a folder below it.`,
    );
  return folders;
}

const SYSTEM: readonly string[] = ["/usr", "/nix/store", "/gnu/store"];
const ROOT_FOLDERS = /^(?:bin|sbin|lib\d*|libx?\d*)$/;

/** The worker's program, for checks and agents. Only source and packages: data may lie beside them. */
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const OWN = [
  ...["apps", "packages", "services", "package.json", "start.mjs"].map((name) => join(ROOT, name)),
  LIBRARIES,
];

const BESIDE_BIN = ["lib", "lib64", "libexec", "share", "include", "pkg"];

/** `…/bin` of an unpacked package needs its siblings; in a home that would expose too much. */
function withLibraries(hidden: readonly string[]) {
  return (folder: string): readonly string[] => {
    const around = dirname(folder);
    if (!folder.endsWith("/bin")) return [folder];
    const isInHome = hidden.some((path) => isWithin(around, path));
    const beside = isInHome ? [join("lib", "node_modules")] : BESIDE_BIN;
    return [folder, ...beside.map((name) => join(around, name))];
  };
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) =>
      stat(path).then(
        () => path.replace(/\/+$/, ""),
        () => null,
      ),
    ),
  );
  return [...new Set(found.filter((path) => path !== null))];
}

/** This includes the root, which contains every hidden path. */
function isAround(folder: string, hidden: readonly string[]): boolean {
  return folder === "" || folder === sep || hidden.some((path) => isWithin(path, folder));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** `/bin` and similar are links on most machines, folders on others. */
async function rootFolders(): Promise<readonly string[]> {
  const args: string[] = [];
  for (const name of (await readdir("/")).filter((entry) => ROOT_FOLDERS.test(entry))) {
    const target = await readlink(`/${name}`).catch(() => null);
    args.push(...(target === null ? ["--ro-bind", `/${name}`, `/${name}`] : ["--symlink", target, `/${name}`]));
  }
  return args;
}

/** Excludes users, hosts and credentials; the worker writes its own. */
const ETC =
  /^(?:alternatives|ca-certificates|ca-certificates\.conf|crypto-policies|debian_version|fonts|gai\.conf|host\.conf|java.*|ld\.so\..*|locale\..*|localtime|lsb-release|magic.*|mime\.types|nsswitch\.conf|os-release|perl|php|pki|protocols|python.*|services|terminfo|timezone)$/;
const ETC_DEEPER = ["/etc/ssl/certs", "/etc/ssl/openssl.cnf"];

async function ofEtc(): Promise<readonly string[]> {
  const names = (await readdir("/etc")).filter((name) => ETC.test(name)).map((name) => `/etc/${name}`);
  return (await existing([...names, ...ETC_DEEPER])).flatMap((path) => ["--ro-bind", path, path]);
}

const PROC_FOLDERS = ["acpi", "bus", "driver", "fs", "irq", "pressure", "scsi", "sys", "tty"];

/**
 * A root worker's children are root in `/proc`, whatever their user inside: root-writable files are read-only, root-readable ones are
 * empty.
 */
export async function procMaskArgs(): Promise<readonly string[]> {
  if (process.getuid?.() !== 0) return [];
  const args: string[] = [];
  for (const entry of await readdir("/proc", { withFileTypes: true })) {
    const path = `/proc/${entry.name}`;
    if (entry.isDirectory() && PROC_FOLDERS.includes(entry.name)) args.push("--ro-bind", path, path);
    if (!entry.isFile()) continue;
    const { mode } = await stat(path);
    const isForAll = (mode & 0o004) !== 0 && (mode & 0o222) === 0;
    if (!isForAll) args.push("--ro-bind", "/dev/null", path);
  }
  return args;
}

/** The target of a link in PATH: a program must be found inside by the same name. */
export async function programOnPath(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(":")) {
    const file = await realpath(join(folder, name)).catch(() => null);
    if (file !== null && folder.startsWith("/")) return file;
  }
  return null;
}
