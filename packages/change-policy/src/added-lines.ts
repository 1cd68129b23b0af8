/** What a change adds, as text: the lines behind each `+` of a diff without surroundings, the names of files left out. */

/** The words of git for the diff that is read here, before the two commits or trees. */
export const ADDED_DIFF: readonly string[] = [
  "diff-tree",
  "-r",
  "-p",
  "-U0",
  "--text",
  "--no-color",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
];

/**
 * The counts in the head of each hunk say how many lines follow: a line that was added and looks like a head is still a line that
 * was added.
 */
export function readAdded(diff: string): string {
  const added: string[] = [];
  let removedLeft = 0;
  let addedLeft = 0;
  for (const line of diff.split("\n")) {
    if (removedLeft > 0 && line.startsWith("-")) removedLeft--;
    else if (addedLeft > 0 && line.startsWith("+")) {
      addedLeft--;
      added.push(line.slice(1));
    } else if (removedLeft + addedLeft === 0) {
      const head = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (head === null) continue;
      removedLeft = Number(head[1] ?? 1);
      addedLeft = Number(head[2] ?? 1);
    }
  }
  return added.join("\n");
}
