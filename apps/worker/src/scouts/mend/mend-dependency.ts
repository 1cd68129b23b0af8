/** Raises versions in package.json; the repository's package manager writes the lock file. */
import { parseRequirements } from "../gate-command/dep-at-least.ts";
import { LOCK_PATHS } from "../reading/lock-files.ts";
import { MANIFEST, readManifest, type Manifest, type VersionRequirement } from "../reading/npm-packages.ts";
import { lockToolOf } from "./lock-tool.ts";
import type { Repair, RepairContext } from "./repair.ts";

export async function mendDependency(args: readonly string[], { tree }: RepairContext): Promise<Repair | null> {
  const requirements = parseRequirements(args);
  const manifest = await readManifest(tree);
  const before = await tree.read(MANIFEST);
  if (requirements === null || manifest === null || before === null) return null;
  // With two lock files, one would become stale.
  if (LOCK_PATHS.filter((path) => tree.files.has(path)).length > 1) return null;
  const done: string[] = [];
  let text: string = before;
  for (const requirement of requirements) {
    const range = rangeFor(requirement, manifest);
    const edited: string | null = range === null ? null : withRange(text, requirement.name, range);
    if (edited === null) return null;
    text = edited;
    done.push(`${requirement.name} ${range?.after}`);
  }
  const summary = `${MANIFEST}: ${done.join(", ")}`;
  return { summary, edits: [{ path: MANIFEST, text }], lockTool: lockToolOf(manifest) };
}

interface Range {
  readonly before: string;
  readonly after: string;
}

/** A pinned version stays pinned; other ranges become compatible ranges. URLs and tags are a maintainer's decision. */
function rangeFor({ name, version, isEverywhere }: VersionRequirement, { dependencies, lock }: Manifest): Range | null {
  const before = dependencies.find((dependency) => dependency.name === name)?.range ?? "";
  const sign = /^[~^]?(?=\d)/.exec(before)?.[0];
  // Transitive copies are for their own packages to update.
  const isCopied = isEverywhere && (lock?.versions.get(name)?.length ?? 0) > 1;
  return sign === undefined || /\s|\|\|/.test(before) || isCopied ? null : { before, after: sign + version };
}

/** Null where it does not occur exactly once. */
function withRange(text: string, name: string, { before, after }: Range): string | null {
  const key = `${JSON.stringify(name)}:`;
  const entry = new RegExp(`(${escaped(key)}\\s*)${escaped(JSON.stringify(before))}`, "g");
  if ([...text.matchAll(entry)].length !== 1) return null;
  return text.replace(entry, (_, start: string) => start + JSON.stringify(after));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
