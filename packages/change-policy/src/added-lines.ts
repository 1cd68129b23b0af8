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

export interface AddedText {
  /** As git prints it: an unusual name stands in quotes. */
  readonly path: string;
  readonly text: string;
  /** The number in the file of each line of `text`. */
  readonly lines: readonly number[];
}

/**
 * What is added to each file, in the order of the diff. The counts in the head of each hunk say how many lines follow: a line that was
 * added and looks like a head is still a line that was added.
 */
export function readAdded(diff: string): readonly AddedText[] {
  const files: { readonly path: string; readonly added: string[]; readonly lines: number[] }[] = [];
  let removedLeft = 0;
  let addedLeft = 0;
  let number = 0;
  for (const line of diff.split("\n")) {
    if (removedLeft > 0 && line.startsWith("-")) removedLeft--;
    else if (addedLeft > 0 && line.startsWith("+")) {
      addedLeft--;
      files.at(-1)?.added.push(line.slice(1));
      files.at(-1)?.lines.push(number++);
    } else if (removedLeft + addedLeft === 0) {
      const head = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      if (head === null) {
        if (line.startsWith("+++ ")) files.push({ path: pathOf(line), added: [], lines: [] });
        continue;
      }
      removedLeft = Number(head[1] ?? 1);
      number = Number(head[2]);
      addedLeft = Number(head[3] ?? 1);
    }
  }
  return files
    .filter(({ lines }) => lines.length > 0)
    .map(({ path, added, lines }) => ({ path, text: added.join("\n"), lines }));
}

/** `+++ b/path`, or `+++ "b/path"`; a name with a blank is followed by a tab. */
function pathOf(line: string): string {
  return line
    .slice("+++ ".length)
    .replace(/\t$/, "")
    .replace(/^("?)b\//, "$1");
}
