/** Notes to oneself that nobody came back to, oldest first. */
import { quoted } from "../../gate-command/gate-words.ts";
import { cut } from "../finding.ts";
import { isForeign } from "../reading/kinds.ts";
import { foundBy, type Check, type Ground } from "./check.ts";

interface Note {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const todo: Check = {
  name: "todo",
  async look(ground) {
    const notes = await notesIn(ground);
    const byFile = Map.groupBy(notes, ({ path }) => path);
    const asked = [...byFile].slice(0, MOST_FILES);
    const dated = (await Promise.all(inLanes(asked, LANES).map((lane) => dateAll(ground, lane)))).flat();
    const old = dated.filter(({ at }) => ground.today - at >= OLD_MS);
    old.sort(
      (one, other) =>
        one.at - other.at || (one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line),
    );
    const missed =
      byFile.size > asked.length ? [`notes in ${byFile.size - asked.length} more files were not dated`] : [];
    return foundBy("todo", SCORE, old.map(roughOf(ground.today)), missed);
  },
};

const SCORE = 0.5;
const DAY_MS = 86_400_000;
const OLD_MS = 30 * DAY_MS;
const LONGEST_LINE = 300;
const NOTE = /(?<![\w-])(?:TODO|FIXME|HACK)(?![\w-]).*$/;
/** Each is a process of git. */
const MOST_FILES = 200;
const LANES = 4;
const NOT_READ =
  /(?:^|\/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|go\.sum|CHANGELOG[^/]*|.*\.(?:min\.js|map|svg|snap))$/i;

async function notesIn({ tree }: Ground): Promise<readonly Note[]> {
  const notes: Note[] = [];
  for (const path of tree.files.keys()) {
    if (isForeign(path) || NOT_READ.test(path)) continue;
    const text = await tree.read(path);
    if (text === null || !/TODO|FIXME|HACK/.test(text)) continue;
    for (const [place, line] of text.split("\n").entries()) {
      const note = line.length > LONGEST_LINE ? null : NOTE.exec(line);
      if (note !== null) notes.push({ path, line: place + 1, text: note[0].replace(/\s*(?:\*\/|-->)?\s*$/, "") });
    }
  }
  return notes;
}

type Dated = Note & { readonly at: number };

async function dateAll(
  ground: Ground,
  files: readonly (readonly [string, readonly Note[]])[],
): Promise<readonly Dated[]> {
  const dated: Dated[] = [];
  for (const [path, notes] of files) {
    const dates = await ground.blame(
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
  return Array.from({ length: count }, (_, lane) => all.filter((_, place) => place % count === lane));
}

const roughOf =
  (today: number) =>
  ({ path, line, text, at }: Dated) => ({
    key: [path, text],
    title: cut(`${path}: ${text}`, 120),
    focus: cut(
      `In ${path}, line ${line}, stands: ${text}\n\nDo what it asks for, with a test where that can be tested, and remove the note. If it is not wanted any more, remove the note alone.`,
      4_000,
    ),
    gate: `! grep -qF -- ${quoted(text)} ${quoted(path)}`,
    category: "cleanup" as const,
    rationale: `It has stood there for ${Math.floor((today - at) / DAY_MS)} days.`,
    effort: "s" as const,
    risk: "low" as const,
    evidence: [{ path, line, excerpt: text }],
  });
