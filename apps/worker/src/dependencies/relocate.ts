/**
 * Absolute paths of a run in what its setup created: shebangs of a virtual environment, shims of pnpm. Text files and links are rewritten
 * for the run that restores them. A binary with a path cannot move.
 */
import { lstat, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { findMentions } from "./folder-tools.ts";

/** Where processes of the run see their files. */
export interface SeenFolders {
  readonly tree: string;
  readonly home: string;
}

export const Relocation = Type.Object({
  from: Type.Object({ tree: Type.String(), home: Type.String() }),
  /** Paths below the folder of the entry. */
  text: Type.Array(Type.String()),
  links: Type.Array(Type.String()),
});
export type Relocation = Static<typeof Relocation>;

/** A larger number of files cannot be a set of shims. */
const FILES_MAX = 20_000;

/** Removes compiled Python files that name the run: Python compiles them again. Returns the reason why the entry cannot move. */
export async function planRelocation(folder: string, from: SeenFolders): Promise<Relocation | string> {
  const { text, binary, links } = await findMentions(folder, [from.tree, from.home]);
  for (const name of binary) {
    if (!name.endsWith(".pyc")) return `${JSON.stringify(name)} is a binary file that contains the path of the run`;
    await rm(join(folder, name), { force: true });
  }
  if (text.length + links.length > FILES_MAX) return `${text.length + links.length} files contain the path of the run`;
  return { from: { tree: from.tree, home: from.home }, text: [...text], links: [...links] };
}

/** `below`: `tree` or `home`; the files are in `folder`. */
export async function relocate(
  { from, text, links }: Relocation,
  below: "tree" | "home",
  { folder, to }: { readonly folder: string; readonly to: SeenFolders },
): Promise<void> {
  const replace = (value: string, form = (path: string) => path) =>
    value.replaceAll(form(from.tree), form(to.tree)).replaceAll(form(from.home), form(to.home));
  const pathsIn = (names: readonly string[]) =>
    names.filter((name) => name.startsWith(`./${below}/`)).map((name) => join(folder, name.slice(below.length + 3)));
  for (const path of pathsIn(text)) {
    const { mode } = await lstat(path);
    const content = replace(await readFile(path, "latin1"), bytesOf);
    // Removed first: the file may be read-only.
    await rm(path);
    await writeFile(path, content, { encoding: "latin1", mode, flag: "wx" });
  }
  for (const path of pathsIn(links)) {
    const target = replace(await readlink(path));
    await rm(path);
    await symlink(target, path);
  }
}

/** One character per byte: a file need not be UTF-8. */
function bytesOf(path: string): string {
  return Buffer.from(path).toString("latin1");
}
