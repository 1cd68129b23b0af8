/**
 * What a gate relies on: an agent that turns a red test green by changing the test has repaired nothing. Such paths are never taken
 * over, so they stand as at the base where the checks judge, and in what is delivered.
 */
import { createMatcher } from "@triptych/change-policy";
import { decodePath } from "./snapshots.ts";

/** Of paths as snapshots give them. */
export function isFrozenBy(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const matches = createMatcher(globs);
  return (path) => matches(decodePath(path));
}
