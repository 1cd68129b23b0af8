/** A newer version of a package that package.json asks for; npm itself writes the lock file, without running anything of anybody. */
import { MANIFEST, readManifest } from "../scouts/reading/npm-packages.ts";
import type { Repair, RepairGround } from "./repair.ts";

export async function mendDependency(
  [name = "", version = ""]: readonly string[],
  { tree }: RepairGround,
): Promise<Repair | null> {
  const manifest = await readManifest(tree);
  const text = await tree.read(MANIFEST);
  const asked = manifest?.dependencies.find((one) => one.name === name);
  if (text === null || asked === undefined) return null;
  // What is pinned stays pinned; every other range takes what is compatible. Addresses and tags are somebody's decision.
  const sign = /^[~^]?(?=\d)/.exec(asked.range)?.[0];
  if (sign === undefined || /\s|\|\|/.test(asked.range)) return null;
  const before = `${JSON.stringify(name)}: ${JSON.stringify(asked.range)}`;
  const after = `${JSON.stringify(name)}: ${JSON.stringify(sign + version)}`;
  if (text.split(before).length !== 2) return null;
  const isLocked = manifest?.lock !== null;
  return {
    says: `${MANIFEST}: ${name} ${sign}${version}`,
    edits: [{ path: MANIFEST, text: text.replace(before, () => after) }],
    command: isLocked ? lockedBy : null,
  };
}

/** The registry is said, so that no settings in the tree name another. */
function lockedBy(registry: string): readonly string[] {
  const words = ["--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
  return ["npm", "install", ...words, "--registry", registry];
}
