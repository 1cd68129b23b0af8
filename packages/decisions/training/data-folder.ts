/**
 * The folder of training data. A file can be read only if data.lock.json lists it with its license, its permitted uses
 * and its hash, so that no unlisted data reaches the weights.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { normaliseText } from "../src/text/readable.ts";

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
  /** Names of classes. A label may equal a held-back text ("transfer money") without being one. */
  readonly labels?: readonly Label[];
  readonly lists?: readonly List[];
}

export interface DataFolder {
  readonly path: string;
  /**
   * Reads the rows of a JSONL file, which may be gzipped, with the requested members: texts, labels, lists of labels.
   * Rows with held-back texts are skipped and counted.
   */
  rows<Text extends string, Label extends string = never, List extends string = never>(
    file: string,
    use: Use,
    members: Members<Text, Label, List>,
  ): readonly Row<Text, Label, List>[];
  /** Reads rows with a text that pass the type guard `is`; otherwise like `rows`. */
  typed<T extends { readonly text: string }>(file: string, use: Use, is: (row: unknown) => row is T): readonly T[];
  json(file: string, use: Use): unknown;
  /** Whether one of our own texts happens to equal a held-back one, so that it must not be used for training. */
  isHeldOut(text: string): boolean;
  /** SHA-256 of normalized held-back texts. */
  readonly heldOut: ReadonlySet<string>;
  readonly dropped: ReadonlyMap<string, number>;
}

const LOCK = new URL("../data.lock.json", import.meta.url);
const HELD_OUT_FILE = /^HELDOUT(-\d+)?\.sha256$/;
const BESIDE = new URL("../../../../shared/data/routing/", import.meta.url);

/** Null if the folder is missing. Everything except training and evaluation works without it. */
export function openDataFolder(override = process.env["TRIPTYCH_ROUTING_DATA"]): DataFolder | null {
  const path = override ?? fileURLToPath(BESIDE);
  if (!existsSync(path)) return null;
  return dataFolder(path.endsWith("/") ? path : `${path}/`, readDataLock());
}

export function readDataLock(): Readonly<Record<string, LockedFile>> {
  return JSON.parse(readFileSync(LOCK, "utf8")) as Readonly<Record<string, LockedFile>>;
}

export function dataFolder(path: string, lock: Readonly<Record<string, LockedFile>>): DataFolder {
  const heldOut = new Set(
    Object.keys(lock)
      .filter((file) => HELD_OUT_FILE.test(file))
      .flatMap((file) => readLocked(file, "evaluation").toString("utf8").split("\n").filter(Boolean)),
  );
  const dropped = new Map<string, number>();
  return {
    path,
    heldOut,
    dropped,
    isHeldOut: (text) => heldOut.has(hashOfText(text)),
    rows: (file, use, { texts, labels = [], lists = [] }) =>
      loadRows(file, use, (row) => hasMembers(row, { texts, labels, lists }), {
        texts,
        requirement: `${[...texts, ...labels, ...lists].join(", ")} are required`,
      }),
    typed: (file, use, is) => loadRows(file, use, is, { texts: ["text"], requirement: "this row has another format" }),
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
    if (locked === undefined)
      throw new Error(`${file} is not listed in data.lock.json and cannot be used for training.`);
    if (!locked.uses.includes(use))
      throw new Error(`${file} cannot be used for ${use}, only for ${locked.uses.join(", ")}.`);
    const bytes = readFileSync(path + file);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (sha256 !== locked.sha256) throw new Error(`${file} does not match data.lock.json: its SHA-256 is ${sha256}.`);
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
