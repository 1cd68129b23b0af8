/** Parses a unified diff into files, hunks and numbered lines. Unknown lines stay as they are. */
import { t } from "../i18n.ts";

export interface DiffLine {
  readonly sign: "+" | "-" | " " | "@" | "\\";
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

export interface DiffFile {
  readonly path: string;
  /** Renamed from, added or deleted. */
  readonly note: string;
  readonly lines: readonly DiffLine[];
  readonly insertions: number;
  readonly deletions: number;
}

interface Open {
  path: string;
  note: string;
  lines: DiffLine[];
  insertions: number;
  deletions: number;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parseDiff(diff: string): readonly DiffFile[] {
  const files: Open[] = [];
  let before = 0;
  let after = 0;
  let isInHunk = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) {
      files.push({ path: pathOf(line), note: "", lines: [], insertions: 0, deletions: 0 });
      isInHunk = false;
      continue;
    }
    const file = files.at(-1);
    if (file === undefined) continue;
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      isInHunk = true;
      file.lines.push({ sign: "@", text: line, before: null, after: null });
    } else if (!isInHunk) readHead(file, line);
    else if (line.startsWith("+")) {
      file.insertions++;
      file.lines.push({ sign: "+", text: line.slice(1), before: null, after: after++ });
    } else if (line.startsWith("-")) {
      file.deletions++;
      file.lines.push({ sign: "-", text: line.slice(1), before: before++, after: null });
    } else if (line.startsWith(" "))
      file.lines.push({ sign: " ", text: line.slice(1), before: before++, after: after++ });
    else if (line.startsWith("\\")) file.lines.push({ sign: "\\", text: line.slice(2), before: null, after: null });
  }
  return files;
}

/** The name occurs twice; the second half is the new name. */
function pathOf(line: string): string {
  const names = line.slice("diff --git ".length);
  const half = / ("b\/(?:[^"\\]|\\.)*")$/.exec(names) ?? / (b\/.*)$/.exec(names);
  return half?.[1] === undefined ? names : withoutSide(half[1]);
}

/** Without git's prefix `b/` of the new name. */
function withoutSide(name: string): string {
  return unquotePath(name).replace(/^b\//, "");
}

function readHead(file: Open, line: string): void {
  if (line.startsWith("new file")) file.note = t("new");
  else if (line.startsWith("deleted file")) file.note = t("removed");
  else if (line.startsWith("rename from "))
    file.note = t("was {path}", { path: unquotePath(line.slice("rename from ".length)) });
  else if (line.startsWith("Binary files")) file.note = t("binary");
  else if (/^\+\+\+ "?b\//.test(line)) file.path = withoutSide(line.slice("+++ ".length).replace(/\t$/, ""));
}

/** Unquotes file names in git's output: names with control characters or quotes are quoted with C escapes. */

/** A name for display. Escapes of control characters stay, so that the whole name is visible in one line. */
export function unquotePath(name: string): string {
  const quoted = /^"(.*)"$/s.exec(name)?.[1];
  if (quoted === undefined) return name;
  const bytes: number[] = [];
  // An octal escape above 0177 is one byte of UTF-8, so the name is decoded as a whole.
  for (const [part, octal, sign] of quoted.matchAll(/\\([23][0-7]{2})|\\(["\\])|\\?[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(sign ?? part));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
