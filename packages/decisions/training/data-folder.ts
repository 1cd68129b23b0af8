/**
 * The folder of training data, and the only way into it: a file is read when data.lock.json lists it, with its licence and what it may
 * shape, and when its bytes are those that were listed. Anything else is refused, so that nothing gets into weights by being there.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { normaliseText } from "../src/text/normalise.ts";

export type Use = "trunk" | "experts" | "options" | "signals" | "evaluation";

export interface LockedFile {
  readonly sha256: string;
  readonly licence: string;
  readonly uses: readonly Use[];
}

type Row<Text extends string, Label extends string, List extends string> = Readonly<
  Record<Text | Label, string> & Record<List, readonly string[]>
>;

interface Members<Text extends string, Label extends string, List extends string> {
  readonly texts: readonly Text[];
  /** Names of classes: a label may read like a held-back text ("transfer money") without being one. */
  readonly labels?: readonly Label[];
  readonly lists?: readonly List[];
}

export interface DataFolder {
  readonly path: string;
  /**
   * Rows of a JSONL file, gzipped or not, with those of their members that are asked for: texts, labels, and lists of labels. Rows whose
   * text is a held-back one are left out and counted.
   */
  rows<Text extends string, Label extends string = never, List extends string = never>(
    file: string,
    use: Use,
    members: Members<Text, Label, List>,
  ): readonly Row<Text, Label, List>[];
  /** Rows of which `is` says that they are what they should be, with a text: as above. */
  typed<T extends { readonly text: string }>(file: string, use: Use, is: (row: unknown) => row is T): readonly T[];
  /** The one value of a JSON file. */
  json(file: string, use: Use): unknown;
  /** Whether a text of our own says by chance what a held-back one says: nothing may learn from it. */
  isHeldOut(text: string): boolean;
  /** SHA-256 of normalised texts that are held back. */
  readonly heldOut: ReadonlySet<string>;
  /** Rows that were left out, by file. */
  readonly dropped: ReadonlyMap<string, number>;
}

const LOCK = new URL("../data.lock.json", import.meta.url);
const BESIDE = new URL("../../../../shared/data/routing/", import.meta.url);

/** Null where the folder is absent: everything but training and evaluation works without it. */
export function openDataFolder(override = process.env["TRIPTYCH_ROUTING_DATA"]): DataFolder | null {
  const path = override ?? fileURLToPath(BESIDE);
  if (!existsSync(path)) return null;
  return dataFolder(path.endsWith("/") ? path : `${path}/`, readDataLock());
}

/** What training may read, by file. */
export function readDataLock(): Readonly<Record<string, LockedFile>> {
  return JSON.parse(readFileSync(LOCK, "utf8")) as Readonly<Record<string, LockedFile>>;
}

export function dataFolder(path: string, lock: Readonly<Record<string, LockedFile>>): DataFolder {
  const heldOut = new Set(readLocked("HELDOUT.sha256", "evaluation").toString("utf8").split("\n").filter(Boolean));
  const dropped = new Map<string, number>();
  return {
    path,
    heldOut,
    dropped,
    isHeldOut: (text) => heldOut.has(hashOfText(text)),
    rows: (file, use, { texts, labels = [], lists = [] }) =>
      loadRows(file, use, (row) => hasMembers(row, { texts, labels, lists }), {
        texts,
        requirement: `${[...texts, ...labels, ...lists].join(", ")} must be there`,
      }),
    typed: (file, use, is) => loadRows(file, use, is, { texts: ["text"], requirement: "this row has another form" }),
    json: (file, use) => JSON.parse(readLocked(file, use).toString("utf8")) as unknown,
  };

  function loadRows<T extends Readonly<Record<Text, string>>, Text extends string>(
    file: string,
    use: Use,
    is: (row: unknown) => row is T,
    { texts, requirement }: { readonly texts: readonly Text[]; readonly requirement: string },
  ): readonly T[] {
    const bytes = readLocked(file, use);
    const lines = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").split("\n").filter(Boolean);
    const rows = lines.map((line, index) => {
      const row: unknown = JSON.parse(line);
      if (!is(row)) throw new Error(`${file}, line ${index + 1}: ${requirement}.`);
      return row;
    });
    const own = rows.filter((row) => texts.every((name) => !heldOut.has(hashOfText(row[name]))));
    dropped.set(file, rows.length - own.length);
    return own;
  }

  function readLocked(file: string, use: Use): Buffer {
    const locked = lock[file];
    if (locked === undefined) throw new Error(`${file} is not in data.lock.json: nothing may be learned from it.`);
    if (!locked.uses.includes(use))
      throw new Error(`${file} may not be used for ${use}, only for ${locked.uses.join(", ")}.`);
    const bytes = readFileSync(path + file);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (sha256 !== locked.sha256)
      throw new Error(`${file} is not the file of data.lock.json: its SHA-256 is ${sha256}.`);
    return bytes;
  }
}

export function hashOfText(text: string): string {
  return createHash("sha256").update(normaliseText(text)).digest("hex");
}

function hasMembers<Text extends string, Label extends string, List extends string>(
  row: unknown,
  { texts, labels = [], lists = [] }: Members<Text, Label, List>,
): row is Row<Text, Label, List> {
  if (typeof row !== "object" || row === null) return false;
  const member = (name: string): unknown => Reflect.get(row, name);
  return (
    [...texts, ...labels].every((name) => typeof member(name) === "string") &&
    lists.every((name) => Array.isArray(member(name)))
  );
}
