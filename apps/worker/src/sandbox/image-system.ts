/**
 * An image's files as the read-only system of a sandbox. Folders with mount points of the worker are mounted entry by entry: a mount point
 * cannot be created in a read-only folder.
 */
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

const OURS: readonly string[] = ["/proc", "/dev", "/sys", "/run", "/tmp", "/var/tmp"];

/** The arguments for `bwrap`; `taken`: paths of host folders. Links of the image stay links inside and are never followed here. */
export async function imageSystem(root: string, taken: readonly string[]): Promise<readonly string[]> {
  return bindArgs(root, "/", [...OURS, ...taken]);
}

async function bindArgs(root: string, folder: string, taken: readonly string[]): Promise<readonly string[]> {
  const args: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const inside = join(folder, entry.name);
    if (taken.includes(inside)) continue;
    const isAround = taken.some((path) => path.startsWith(`${inside}/`));
    if (isAround) {
      if (entry.isDirectory()) args.push(...(await bindArgs(root, inside, taken)));
    } else if (entry.isSymbolicLink()) {
      args.push("--symlink", await readlink(join(root, inside)), inside);
    } else if (entry.isDirectory() || entry.isFile()) {
      args.push("--ro-bind", join(root, inside), inside);
    }
  }
  return args;
}
