/** What a change of this run adds, as text. */
import { ADDED_DIFF, readAdded } from "@triptych/change-policy";
import type { Git } from "./git.ts";

export async function addedText(git: Git, range: readonly [string, string], path?: string): Promise<string> {
  const only = path === undefined ? [] : ["--", path];
  const diff = await git.run([...ADDED_DIFF, ...range, ...only]);
  return readAdded(diff.toString("utf8"));
}
