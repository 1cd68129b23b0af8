/** Resolves a Python module name to files of the repository: `sys.path` is unknown, so it may start at any folder. */
import { posix } from "node:path";
import type { PythonImport } from "./imports.ts";
import type { Tree } from "./tree.ts";

export interface PythonResolver {
  /** The module itself, its parent packages, and those of its names that are modules. */
  resolve(from: string, imported: PythonImport): readonly string[];
}

export function createPythonResolver({ files }: Tree): PythonResolver {
  const byName = new Map<string, string[]>();
  for (const path of files.keys()) {
    if (!path.endsWith(".py")) continue;
    const name = posix.basename(moduleOf(path));
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }

  return {
    resolve(from, { module, names }) {
      const [, dots = "", dotted = ""] = /^(\.*)(.*)$/.exec(module) ?? [];
      const path = dotted.replaceAll(".", "/");
      const around = dots === "" ? null : posix.join(posix.dirname(from), "../".repeat(dots.length - 1), path);
      const members = ["", ...names.map(({ name }) => `/${name}`)];
      return [...new Set(members.flatMap((member) => find(around === null ? path + member : around + member, around)))];
    },
  };

  function find(path: string, around: string | null): readonly string[] {
    const clean = posix.normalize(path);
    const candidates = byName.get(posix.basename(clean)) ?? [];
    return candidates.filter((candidate) => {
      const module = moduleOf(candidate);
      return module === clean || (around === null && module.endsWith(`/${clean}`));
    });
  }
}

function moduleOf(path: string): string {
  return path.replace(/(?:\/__init__)?\.py$/, "");
}
