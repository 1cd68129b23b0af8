/**
 * The files of an image as the read-only system of a sandbox, in the place of this machine's. Folders in which something of ours must
 * stand at its own path (the run, `/tmp`) are not shown whole but by what lies in them: nothing can be put into what is read-only.
 */
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Made anew for every sandbox. */
const OURS: readonly string[] = ["/proc", "/dev", "/sys", "/run", "/tmp", "/var/tmp"];

/** The words for `bwrap`; `taken`: paths where folders of this machine will stand. Links of the image are links inside, never followed here. */
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
