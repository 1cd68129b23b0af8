/** Manifests whose dependencies the repository maintains, without packages that must not be looked up in this machine's registry. */
import { createMatcher, globIssue } from "@triptych/change-policy";
import {
  listManifests,
  readManifest,
  scopeOf,
  scopesWithOwnRegistry,
  type Dependency,
  type Manifest,
} from "../reading/npm-packages.ts";
import type { Tree } from "../reading/tree.ts";

export interface MaintainedManifests {
  readonly manifests: readonly Manifest[];
  /** A package of the repository itself, or of a scope with another registry. */
  readonly isForeign: (name: string) => boolean;
  /** Skipped parts, and why. */
  readonly missed: readonly string[];
}

/** Limit for a monorepo, in which each manifest may have its own group. */
const MANIFESTS_MAX = 50;

export async function readManifests(tree: Tree): Promise<MaintainedManifests> {
  const matcherOf = (globs: readonly string[]) => createMatcher(globs.filter((glob) => globIssue(glob) === null));
  const paths = await listManifests(tree, matcherOf);
  const read = await Promise.all(paths.slice(0, MANIFESTS_MAX).map((path) => readManifest(tree, path)));
  const found = read.filter((manifest) => manifest !== null);
  // The registry may have a package of this name, but the workspace uses its own.
  const own = new Set(found.map(({ name }) => name));
  const elsewhere = await scopesWithOwnRegistry(tree);
  const isElsewhere = (name: string) => elsewhere.has(scopeOf(name) ?? "");
  const isForeign = (name: string) => own.has(name) || isElsewhere(name);
  const named = (dependencies: readonly Dependency[]) => dependencies.map(({ name }) => name);
  const scopes = new Set(
    found.flatMap(({ dependencies }) =>
      named(dependencies)
        .filter(isElsewhere)
        .map((name) => scopeOf(name)),
    ),
  );
  const left = paths.length - MANIFESTS_MAX;
  const invalid = paths.slice(0, MANIFESTS_MAX).filter((_, index) => read[index] === null);
  return {
    manifests: found.map((manifest) => ({
      ...manifest,
      dependencies: manifest.dependencies.filter(({ name }) => !isForeign(name)),
    })),
    isForeign,
    missed: [
      ...invalid.map((path) => `${path} is not a JSON object`),
      ...[...scopes].map((scope) => `packages of ${scope} were skipped: the repository has another registry for them`),
      ...(left > 0 ? [`${left} manifests beyond the first ${MANIFESTS_MAX} were not read`] : []),
    ],
  };
}

export function byDepth(one: string, other: string): number {
  return one.split("/").length - other.split("/").length || (one < other ? -1 : 1);
}
