/**
 * What of this machine a sandbox shows, read-only: the programs and libraries of the system, the parts of `/etc` that programs look
 * into, what stands on PATH, the Node that runs us and our own program. A list of what is shown, never of what is not: a home, a data
 * folder, a key nobody thought of is simply not there.
 */
import { readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

export interface VisibleSystem {
  readonly path: string;
  /** Never shown, nor anything around them: the home of the worker's user and the worker's own folder. */
  readonly hidden: readonly string[];
  /** What the operator shows besides. */
  readonly exposed: readonly string[];
}

/** The words for `bwrap`. Looked up once: a machine does not change under its worker. */
export async function rootfsBinds(machine: VisibleSystem): Promise<readonly string[]> {
  const { path, hidden } = machine;
  const exposed = visiblePaths(machine);
  const ofPath = path.split(":").filter((folder) => folder.startsWith("/"));
  const candidates = [...ofPath.flatMap(withLibraries(hidden)), dirname(process.execPath), ...OWN, ...exposed];
  const mounted: string[] = [];
  // A folder before what lies in it.
  for (const folder of (await existing([...SYSTEM, ...candidates])).toSorted((a, b) => a.length - b.length)) {
    const isMounted = mounted.some((parent) => isWithin(folder, parent)) || ROOT_FOLDERS.test(folder.split("/")[1]);
    if (!isMounted && (!isAround(folder, hidden) || SYSTEM.includes(folder))) mounted.push(folder);
  }
  // A worker's folder under /usr or /opt: shown with them, were it not covered.
  const covered = hidden.filter((hiddenPath) => mounted.some((folder) => isWithin(hiddenPath, folder)));
  return [
    ...(await rootFolders()),
    ...mounted.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...(await ofEtc()),
    ...covered.flatMap((folder) => ["--tmpfs", folder]),
    ...(await quietProc()),
  ];
}

/** What the operator shows besides, by paths without detours. Throws where that would show what is hidden. */
export function visiblePaths({ hidden, exposed }: Pick<VisibleSystem, "hidden" | "exposed">): readonly string[] {
  const folders = exposed.map((folder) => resolve(folder));
  const tooMuch = folders.find((folder) => isAround(folder, hidden));
  if (tooMuch !== undefined)
    throw new Error(
      `--mount-ro ${tooMuch}: the worker's own folder or its user's home is there. Name what is needed of it.`,
    );
  return folders;
}

const SYSTEM: readonly string[] = ["/usr", "/nix/store", "/gnu/store"];
const ROOT_FOLDERS = /^(?:bin|sbin|lib\d*|libx?\d*)$/;

/** Our own program: checks and agents may call it. Source and packages alone; beside them may lie data. */
const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const OWN = ["apps", "packages", "services", "node_modules", "package.json", "start.mjs"].map((name) =>
  join(ROOT, name),
);

const BESIDE_BIN = ["lib", "lib64", "libexec", "share", "include", "pkg"];

/** `…/bin` of a package that was unpacked somewhere needs what lies beside it; in a home that would show too much. */
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

/** The root too: whatever is hidden lies in it. */
function isAround(folder: string, hidden: readonly string[]): boolean {
  return folder === "" || folder === sep || hidden.some((path) => isWithin(path, folder));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** `/bin` and its like are links on most machines, folders on others. */
async function rootFolders(): Promise<readonly string[]> {
  const args: string[] = [];
  for (const name of (await readdir("/")).filter((entry) => ROOT_FOLDERS.test(entry))) {
    const target = await readlink(`/${name}`).catch(() => null);
    args.push(...(target === null ? ["--ro-bind", `/${name}`, `/${name}`] : ["--symlink", target, `/${name}`]));
  }
  return args;
}

/** Nothing that names users, hosts or credentials: those are ours to write. */
const ETC =
  /^(?:alternatives|ca-certificates|ca-certificates\.conf|crypto-policies|debian_version|fonts|gai\.conf|host\.conf|java.*|ld\.so\..*|locale\..*|localtime|lsb-release|magic.*|mime\.types|nsswitch\.conf|os-release|perl|php|pki|protocols|python.*|services|terminfo|timezone)$/;
const ETC_DEEPER = ["/etc/ssl/certs", "/etc/ssl/openssl.cnf"];

async function ofEtc(): Promise<readonly string[]> {
  const names = (await readdir("/etc")).filter((name) => ETC.test(name)).map((name) => `/etc/${name}`);
  return (await existing([...names, ...ETC_DEEPER])).flatMap((path) => ["--ro-bind", path, path]);
}

const PROC_FOLDERS = ["acpi", "bus", "driver", "fs", "irq", "pressure", "scsi", "sys", "tty"];

/**
 * Where the worker is root, what it starts is root to the kernel's files in `/proc`, whatever it is called inside: what root alone may
 * write is read-only, what root alone may read is empty.
 */
export async function quietProc(): Promise<readonly string[]> {
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

/** Where the link on PATH leads: what is started by name must be found inside by the same name. */
export async function programOnPath(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(":")) {
    const file = await realpath(join(folder, name)).catch(() => null);
    if (file !== null && folder.startsWith("/")) return file;
  }
  return null;
}
