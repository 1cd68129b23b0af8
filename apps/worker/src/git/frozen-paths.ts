/**
 * Paths that a gate relies on: an agent must not pass a failing test by changing it. Changes to them are dropped from checks and delivery.
 */
import { createMatcher } from "@triptych/change-policy";
import { decodePath } from "./snapshots.ts";

export function isFrozenBy(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const matches = createMatcher(globs);
  return (path) => matches(decodePath(path));
}
