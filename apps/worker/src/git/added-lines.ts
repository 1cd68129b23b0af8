/** The lines that this run adds to each file. */
import { ADDED_DIFF, readAdded, type AddedText } from "@triptych/change-policy";
import type { Git } from "@triptych/git";

export async function addedTexts(git: Git, range: readonly [string, string]): Promise<readonly AddedText[]> {
  const diff = await git.run([...ADDED_DIFF, ...range]);
  return readAdded(diff.toString("utf8"));
}
