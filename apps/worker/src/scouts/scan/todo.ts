/** TODO comments, oldest first. */
import { quoted } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
import { commentsIn, commentSyntaxOf } from "../reading/comments.ts";
import { isForeign } from "../reading/kinds.ts";
import { isGenerated } from "../reading/tests.ts";
import { foundBy, type Check, type ScanContext } from "./check.ts";

interface Note {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const todo: Check = {
  name: "todo",
  async run(scanContext) {
    const notes = await notesIn(scanContext);
    const byFile = Map.groupBy(notes, ({ path }) => path);
    const selected = [...byFile].slice(0, FILES_MAX);
    const dated = (await Promise.all(inLanes(selected, LANES).map((lane) => dateAll(scanContext, lane)))).flat();
    const old = dated.filter(({ at }) => scanContext.today - at >= OLD_MS);
    old.sort(
      (one, other) =>
        one.at - other.at || (one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line),
    );
    const missed =
      byFile.size > selected.length ? [`TODOs in ${byFile.size - selected.length} more files were not examined`] : [];
    return foundBy("todo", SCORE, old.map(toRawFinding(scanContext.today)), missed);
  },
};

const SCORE = 0.5;
const DAY_MS = 86_400_000;
const OLD_MS = 30 * DAY_MS;
const LINE_LENGTH_MAX = 300;
/** Excludes file names that contain such a word, and items in a list of such words. */
const NOTE = /(?<![\w./-])(?:TODO|FIXME|HACK)(?![\w/-]|\.\w).*$/;
/** The comment itself defers the work, or explains a linter rule. */
const NOT_NOW =
  /\b(?:next|future) (?:major|breaking)|\b(?:major|breaking) (?:version|release|change)|\bv\d+(?:\.\d+)*\b.*\b(?:remove|drop)|\b(?:remove|drop)\b.*\b(?:v?\d+\.\d+|support|deprecat)|\b(?:when|once|until|after)\b.*\b(?:support|suport|drop|releas|land|merg|upgrad|target|stable|available|appropriate|possible|ready|needed|node|python|rewrite|\d+\.\d+)|\bremove\b.*\b(?:when|once|until|after)\b|\bat some point\b|\b(?:some ?day|eventually)\b|(?:TODO|FIXME|HACK)\W*(?:when|once|until|after)\b|\bupstream\b/i;
const CHECKER_NOTE =
  /\b(?:type:\s*ignore|noqa|pylint|mypy|pyright|nosec|pragma|eslint-|@ts-|tslint|biome-ignore|istanbul|c8 ignore|v8 ignore|nolint|rubocop|phpcs|prettier-ignore|oxlint-|spell-?check|cspell)/i;
/** Each file needs a git process. */
const FILES_MAX = 200;
const LANES = 4;
const LINES_AFTER = 5;

async function notesIn({ tree }: ScanContext): Promise<readonly Note[]> {
  const notes: Note[] = [];
  for (const path of tree.files.keys()) {
    const comments = isForeign(path) ? null : commentSyntaxOf(path);
    const text = comments === null ? null : await tree.read(path);
    if (comments === null || text === null || !/TODO|FIXME|HACK/.test(text) || isGenerated(text)) continue;
    const lines = text.split("\n");
    for (const { line, comment } of commentsIn(lines, comments)) {
      const note = lines[line - 1].length > LINE_LENGTH_MAX ? null : NOTE.exec(comment);
      // A single word is not actionable, and a question needs a decision.
      if (note !== null && (!/^\w+\W+\w+/.test(note[0]) || note[0].trimEnd().endsWith("?"))) continue;
      if (note === null || NOT_NOW.test(commentOf(lines, line)) || CHECKER_NOTE.test(commentAround(lines, line)))
        continue;
      notes.push({ path, line, text: note[0].replace(/\s*(?:\*\/|-->|\*\})?\s*$/, "") });
    }
  }
  return notes;
}

/** The note with the rest of its comment and the next line of code, where linter suppressions appear. */
function commentAround(lines: readonly string[], line: number): string {
  const after = lines.slice(line, line + LINES_AFTER);
  const code = after.findIndex((text) => text.trim() !== "" && !/^\s*(?:\/\/|#|\*|--|;)/.test(text));
  return [lines[line - 1], ...after.slice(0, code === -1 ? undefined : code + 1)].join("\n");
}

/** The comment's line, and the next one if the comment continues there. */
function commentOf(lines: readonly string[], line: number): string {
  const next = lines[line] ?? "";
  return lines[line - 1] + (/^\s*(?:\/\/|#|\*|--|;)/.test(next) ? `\n${next}` : "");
}

type DatedNote = Note & { readonly at: number };

async function dateAll(
  scanContext: ScanContext,
  files: readonly (readonly [string, readonly Note[]])[],
): Promise<readonly DatedNote[]> {
  const dated: DatedNote[] = [];
  for (const [path, notes] of files) {
    const dates = await scanContext.blame(
      path,
      notes.map(({ line }) => line),
    );
    for (const note of notes) {
      const at = dates.get(note.line);
      if (at !== undefined) dated.push({ ...note, at });
    }
  }
  return dated;
}

function inLanes<T>(all: readonly T[], count: number): readonly (readonly T[])[] {
  return Array.from({ length: count }, (_, lane) => all.filter((_, index) => index % count === lane));
}

const toRawFinding =
  (today: number) =>
  ({ path, line, text, at }: DatedNote) => ({
    key: [path, text],
    title: titleOf(
      `Resolve "${text}" in ${path}`,
      `Resolve the ${text.slice(0, text.startsWith("FIXME") ? 5 : 4)} in ${path}`,
      `Resolve a ${text.slice(0, text.startsWith("FIXME") ? 5 : 4)} from ${Math.floor((today - at) / DAY_MS)} days ago`,
    ),
    focus: truncate(
      `${path}, line ${line}: ${text}\n\nImplement it, with a test where possible, and remove the comment. If it is obsolete, remove only the comment.`,
      4_000,
    ),
    gate: `! grep -qF -- ${quoted(text)} ${quoted(path)}`,
    category: "cleanup" as const,
    rationale: `The comment is ${Math.floor((today - at) / DAY_MS)} days old.`,
    effort: "s" as const,
    risk: "low" as const,
    evidence: [{ path, line, excerpt: text }],
  });
