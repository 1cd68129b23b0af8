/** Creates an empty bare repository as `git init` does, but without starting git, because many are created for a single command each. */
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";

/** `HEAD` is written last and atomically: git does not accept a folder without it, so a crash leaves no partial repository. */
export async function makeBareRepository(folder: string): Promise<void> {
  for (const name of ["objects/info", "objects/pack", "refs/heads"])
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "config"), CONFIG);
  await writeFile(join(folder, "HEAD.new"), "ref: refs/heads/main\n");
  await rename(join(folder, "HEAD.new"), join(folder, "HEAD"));
}

export async function isRepository(folder: string): Promise<boolean> {
  return stat(join(folder, "HEAD")).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
