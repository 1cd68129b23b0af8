/**
 * Test splits outside the training data. They never reach shipped models, so they need no entry in data.lock.json.
 *
 * Missing files count as held back; unreadable files, malformed lines and rows with training texts are reported and
 * skipped, so that a long evaluation continues.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { hashOfText } from "./data-folder.ts";

export interface TestFile {
  readonly file: string;
  readonly sha256: string;
  readonly rows: number;
  readonly odd: number;
  readonly learned: number;
}

export interface TestFolder {
  /** Returns the rows of the file under one of its names (`testNames`), or null if it is held back or unreadable. */
  rows<T extends { readonly text: string }>(file: string, is: (row: unknown) => row is T): readonly T[] | null;
  /** The sets in `intents/` that have a test split, including nested ones (`HINT3/curekart`). */
  intentSets(): readonly string[];
  readonly read: readonly TestFile[];
  /** The unused files of the first folder; their names may be misspelled. */
  unread(): readonly string[];
}

export interface TestFolderOptions {
  /** The folder of --data, tried first; null if not given. */
  readonly testFolder: string | null;
  /** The training data folder, which may contain test splits. */
  readonly beside: string | null;
  /** Whether a file is a training file, wherever it is. */
  readonly isTraining: (file: string) => boolean;
  /** SHA-256 of every normalized training text; computed when the first file is read. */
  readonly learned: () => ReadonlySet<string>;
  readonly say: (message: string) => void;
}

interface FileLocation {
  readonly folder: string;
  readonly name: string;
}

const JSON_LINES = /\.jsonl(?:\.gz)?$/;
/** Shorter messages occur in many conversations, and are different rows if the history differs. */
const DISTINCTIVE_WORDS_MIN = 6;

export function openTests({ testFolder, beside, isTraining, learned, say }: TestFolderOptions): TestFolder {
  const read: TestFile[] = [];
  const rowsByName = new Map<string, readonly unknown[] | null>();
  const requestedNames = new Set<string>();
  const listed = testFolder === null ? [] : filesIn(testFolder, "", say);
  if (testFolder !== null && !existsSync(testFolder))
    say(`${testFolder} does not exist: every test split counts as held back.`);
  return { rows, intentSets, read, unread };

  function rows<T extends { readonly text: string }>(
    file: string,
    is: (row: unknown) => row is T,
  ): readonly T[] | null {
    const location = locate(file);
    if (location === null) return null;
    const before = rowsByName.get(location.name);
    if (before !== undefined) return before === null ? null : before.filter(is);
    const found = readRows(location, is);
    rowsByName.set(location.name, found);
    return found;
  }

  function readRows<T extends { readonly text: string }>(
    { name, folder }: FileLocation,
    is: (row: unknown) => row is T,
  ): readonly T[] | null {
    const bytes = bytesOf(join(folder, name));
    if (bytes === null) return null;
    const lines = bytes.text.split("\n").filter((line) => line.trim() !== "");
    const parsed = lines.map(jsonIn);
    const whole = parsed.filter(is);
    const odd = lines.length - whole.length;
    const first = parsed.findIndex((row) => !is(row));
    if (odd > 0) say(`${name}: ${odd} of ${lines.length} lines are malformed, first line ${first + 1}.`);
    const hashes = whole.length === 0 ? new Set<string>() : learned();
    const judgedRows = whole.filter((row) => !isRecalled(row, hashes));
    if (judgedRows.length < whole.length)
      say(`${name}: skipped ${whole.length - judgedRows.length} rows that equal training texts.`);
    read.push({
      file: name,
      sha256: bytes.sha256,
      rows: judgedRows.length,
      odd,
      learned: whole.length - judgedRows.length,
    });
    if (judgedRows.length > 0) return judgedRows;
    say(`${name}: no rows left to evaluate.`);
    return null;
  }

  function bytesOf(path: string): { readonly text: string; readonly sha256: string } | null {
    try {
      const bytes = readFileSync(path);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
      return { text: (isPacked ? gunzipSync(bytes) : bytes).toString("utf8").replace(/^\uFEFF/, ""), sha256 };
    } catch (error) {
      say(`Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}.`);
      return null;
    }
  }

  function locate(file: string): FileLocation | null {
    const names = testNames(file);
    for (const name of names) requestedNames.add(name);
    const found = names.find((name) => listed.includes(name) && !isTraining(name));
    if (testFolder !== null && found !== undefined) return { folder: testFolder, name: found };
    const laid = packedOrNot(file).find((name) => beside !== null && existsSync(join(beside, name)));
    return beside === null || laid === undefined ? null : { folder: beside, name: laid };
  }

  function intentSets(): readonly string[] {
    const inside = listed.flatMap((file) => /^intents\/(.+)\/test\.jsonl(?:\.gz)?$/.exec(file)?.[1] ?? []);
    return [...new Set(inside)].toSorted();
  }

  function unread(): readonly string[] {
    const used = new Set([...requestedNames].flatMap(packedOrNot));
    return listed.filter((file) => JSON_LINES.test(file) && !used.has(file) && !isTraining(file));
  }
}

/** Our splits are named `…_dev` and `…_test`; other layouts may use other suffixes. */
export function testNames(file: string): readonly string[] {
  const stem = file.replace(JSON_LINES, "").replace(/_test$/, "");
  const endings = stem.endsWith("/test") ? [""] : ["_test", "_heldout", "_held_out", "_held_back", ""];
  return endings.flatMap((ending) => packedOrNot(`${stem}${ending}.jsonl`));
}

function packedOrNot(file: string): readonly string[] {
  const plain = file.replace(/\.gz$/, "");
  return [plain, `${plain}.gz`];
}

function isRecalled(row: { readonly text: string }, learned: ReadonlySet<string>): boolean {
  const context: unknown = Reflect.get(row, "context");
  const isConversation = Array.isArray(context) && context.length > 0;
  if (isConversation && row.text.split(/\s+/).length < DISTINCTIVE_WORDS_MIN) return false;
  return learned.has(hashOfText(row.text));
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

/** Paths of all files relative to the folder, sorted by name. */
function filesIn(folder: string, under: string, say: TestFolderOptions["say"]): readonly string[] {
  try {
    return readdirSync(join(folder, under), { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = under === "" ? entry.name : `${under}/${entry.name}`;
        return entry.isDirectory() ? filesIn(folder, path, say) : [path];
      });
  } catch (error) {
    say(`Cannot list ${join(folder, under)}: ${error instanceof Error ? error.message : String(error)}.`);
    return [];
  }
}
