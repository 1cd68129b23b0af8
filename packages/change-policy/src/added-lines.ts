/** Extracts the text that a change adds: the `+` lines of a diff without context and file headers. */

/** Git options for the expected diff, before the two commits or trees. */
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
  /** As Git prints it: unusual names are quoted. */
  readonly path: string;
  readonly text: string;
  /** The line number in the file, for each line of `text`. */
  readonly lines: readonly number[];
}

/**
 * Returns the added text per file, in diff order. Line counts in hunk headers are authoritative: an added line may
 * look like a header.
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

/** Parses `+++ b/path` or `+++ "b/path"`; a name with a space is followed by a tab. */
function pathOf(line: string): string {
  return line
    .slice("+++ ".length)
    .replace(/\t$/, "")
    .replace(/^("?)b\//, "$1");
}
