/**
 * The data that a PostgreSQL catalogue loads when it opens: vocabulary, tags, kinds with counts, list offsets. About 45
 * bytes per distinct word, and nothing per item.
 */
import { sql } from "@triptych/storage";
import type { TermIndex } from "../../domain/index/build-words.ts";
import type { Vocabulary } from "../../domain/index/correction.ts";
import type { StringTable } from "../../domain/index/string-table.ts";
import { COLUMN_NAMES, COLUMN_WIDTHS, type Column, type ColumnName } from "./doc-values.ts";
import type { Db, IndexTables } from "./index-tables.ts";
import type { FacetKey } from "./facet-keys.ts";

const PART = 1 << 20;

export const SECTION_NAMES = [
  "terms",
  "termNames",
  "documents",
  "wordStarts",
  "surfaces",
  "surfaceNames",
  "surfaceTerms",
  "surfaceDocuments",
  "alphabet",
  "tags",
  "tagNames",
  "tagDocuments",
  "tagStarts",
  "kinds",
  "columns",
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];
export type SectionArrays = Readonly<Record<SectionName, Uint8Array | Uint32Array | Float64Array>>;

/** List n occupies the blocks from `starts[n]` to `starts[n + 1]` and has `documents[n]` ids. */
export interface ListOffsets {
  readonly starts: Float64Array;
  readonly documents: Uint32Array;
}

export interface IndexStatistics {
  readonly items: number;
  readonly termLists: ListOffsets;
  readonly vocabulary: Pick<TermIndex, "terms" | "surfaceTerms"> & Vocabulary;
  readonly tags: ListOffsets & { readonly names: StringTable };
  readonly kinds: readonly FacetKey[];
  readonly columns: Readonly<Record<ColumnName, Column>>;
}

export async function writeSections(db: Db, { section }: IndexTables, arrays: SectionArrays): Promise<void> {
  for (const name of SECTION_NAMES) {
    const { buffer, byteOffset, byteLength } = arrays[name];
    for (let part = 0; part === 0 || part * PART < byteLength; part++) {
      const from = part * PART;
      const bytes = new Uint8Array(buffer, byteOffset + from, Math.min(PART, byteLength - from));
      await sql`insert into ${section} (name, part, bytes) values (${name}, ${part}, ${bytes})`.execute(db);
    }
  }
}

export async function readSections(db: Db, { section }: IndexTables, items: number): Promise<IndexStatistics> {
  const { rows } = await sql<{ name: string; bytes: Uint8Array }>`
    select name, bytes from ${section} order by name, part`.execute(db);
  const parts = Map.groupBy(rows, ({ name }) => name);
  const bytes = (name: SectionName): Uint8Array<ArrayBuffer> => {
    const found = parts.get(name);
    if (found === undefined) throw new Error(`the index tables of a version lack the section "${name}"`);
    const whole = new Uint8Array(found.reduce((sum, part) => sum + part.bytes.length, 0));
    let filled = 0;
    for (const part of found) {
      whole.set(part.bytes, filled);
      filled += part.bytes.length;
    }
    return whole;
  };
  const integers = (name: SectionName) => new Uint32Array(bytes(name).buffer);
  const doubles = (name: SectionName) => new Float64Array(bytes(name).buffer);
  const table = (text: SectionName, starts: SectionName): StringTable => ({
    bytes: bytes(text),
    starts: integers(starts),
  });
  const documents = integers("documents");
  const beginnings = doubles("columns");
  const column = (name: ColumnName): Column => ({
    from: beginnings[COLUMN_NAMES.indexOf(name)],
    width: COLUMN_WIDTHS[name],
    count: items,
  });
  return {
    items,
    termLists: { starts: doubles("wordStarts"), documents },
    vocabulary: {
      terms: table("terms", "termNames"),
      surfaces: table("surfaces", "surfaceNames"),
      surfaceTerms: integers("surfaceTerms"),
      surfaceDocuments: integers("surfaceDocuments"),
      alphabet: Array.from(Buffer.from(bytes("alphabet")).toString()),
    },
    tags: {
      names: table("tags", "tagNames"),
      starts: doubles("tagStarts"),
      documents: integers("tagDocuments"),
    },
    kinds: readKinds(integers("kinds")),
    columns: {
      kind: column("kind"),
      spot: column("spot"),
      updated: column("updated"),
      rising: column("rising"),
      falling: column("falling"),
    },
  };
}

export function writeKinds(kinds: readonly FacetKey[]): Uint32Array {
  return Uint32Array.from(kinds.flatMap(({ type, departement, region, count }) => [type, departement, region, count]));
}

function readKinds(numbers: Uint32Array): FacetKey[] {
  return Array.from({ length: numbers.length / 4 }, (_, at) => {
    const [type, departement, region, count] = numbers.subarray(at * 4, at * 4 + 4);
    return { type, departement, region, count };
  });
}
