import type { ItemType } from "@triptych/contracts";
import { type CellReader, listReaders, textReader } from "./read-cells.ts";
import type { Mapping, TextField } from "./mapping.ts";
import { notesOf, type Notes } from "./rules.ts";
import { slugify } from "../slug.ts";
import type { Row } from "./table.ts";
import type { TagSpelling } from "./tag-labels.ts";
import { cleanLine, type Cell } from "./text.ts";
import { cleanUrl } from "./web.ts";

const ENTRIES_MAX = 20;
const EXTRA_BYTES = 8192;

/** A raw text and its cell; null when neither column nor constant has a value. */
export interface RawText extends Cell {
  readonly raw: string;
}
export type FieldReader = (row: Row, notes: Notes, commune?: string) => RawText | null;

export function fieldReader(mapping: Mapping, field: TextField, cells: CellReader): FieldReader {
  const from = mapping[field];
  const constant = mapping.const?.[field] ?? "";
  if (from === undefined && constant === "") return () => null;
  const reader = from === undefined ? { column: `const.${field}`, read: () => constant } : textReader(from, cells);
  return (row, notes, commune = "") => {
    const mapped = reader.read(row, commune);
    const raw = mapped === "" ? constant : mapped;
    return raw === "" ? null : { raw, column: reader.column, notes };
  };
}

const NO_TAGS: readonly TagSpelling[] = [];

/** Distinct tags of a row, in mapping order, each with slug and spelling. */
export function tagsReader(mapping: Mapping, cells: CellReader): (row: Row, notes: Notes) => readonly TagSpelling[] {
  const lists = listReaders(mapping.tags, cells);
  const constant = (mapping.const?.tags ?? [])
    .map((label) => ({ slug: slugify(label), label }))
    .filter((tag) => tag.slug !== "");
  const slugs = remembered(slugify);
  return (row, notes) => {
    if (lists.length === 0) return constant;
    const tags = new Map<string, string>(constant.map((tag) => [tag.slug, tag.label]));
    for (const list of lists) {
      for (const value of list.read(row)) {
        const label = cleanLine(value, { column: list.column, notes }).slice(0, 200);
        const slug = slugs(label);
        if (slug === "") notes.note("tag_unreadable", { column: list.column, value });
        else if (!tags.has(slug)) tags.set(slug, label);
      }
    }
    if (tags.size === 0) return NO_TAGS;
    const all = Array.from(tags, ([slug, label]) => ({ slug, label }));
    if (all.length > ENTRIES_MAX)
      notes.note("tags_too_many", { column: "tags", value: String(all.length), result: String(ENTRIES_MAX) });
    return all.slice(0, ENTRIES_MAX);
  };
}

export interface TitledUrl {
  url: string;
  title: string | null;
}

export function urlsReader(
  mapping: Mapping,
  field: "images" | "links" | "same_as",
  cells: CellReader,
): (row: Row, notes: Notes) => TitledUrl[] {
  const lists = listReaders(mapping[field], cells);
  if (lists.length === 0) return () => [];
  return (row, notes) => {
    const urls = new Map<string, TitledUrl>();
    for (const { column, title, read } of lists) {
      for (const value of read(row)) {
        const url = cleanUrl(value, { column, notes });
        if (url !== null && !urls.has(url)) urls.set(url, { url, title });
      }
    }
    return bounded([...urls.values()], field, notes);
  };
}

export interface ItemReference {
  type: ItemType;
  slug: string;
}

/** Items referenced by slug, or by a title that folds to one. */
export function referencesReader(
  mapping: Mapping,
  field: "managed_by" | "mentions",
  cells: CellReader,
): (row: Row, notes: Notes) => ItemReference[] {
  const from = mapping[field];
  if (from === undefined) return () => [];
  const { type } = from;
  const lists = listReaders({ from: from.from, ...(from.split !== undefined && { split: from.split }) }, cells);
  return (row, notes) => {
    const references = new Map<string, ItemReference>();
    for (const { column, read } of lists) {
      for (const value of read(row)) {
        const slug = slugify(value);
        if (slug === "") notes.note("reference_unreadable", { column, value });
        else references.set(slug, { type, slug });
      }
    }
    return bounded([...references.values()], field, notes);
  };
}

export type Extra = Record<string, string | number | boolean | null>;

/** Further columns; empty cells are left out. */
export function extraReader(mapping: Mapping, cells: CellReader): (row: Row, notes: Notes) => Extra {
  const columns = (mapping.extra ?? []).map((entry) => {
    const { from, as = from, type = "text" } = typeof entry === "string" ? { from: entry } : entry;
    // The header is untrusted text too, and becomes a key in responses.
    return { from, as: cleanLine(as, { column: from, notes: notesOf(1) }), type, read: cells(from) };
  });
  return (row, notes) => {
    const entries: [string, Extra[string]][] = [];
    // Upper bound (`{}`, and quotes, colon and comma per entry) that spares most rows the exact count.
    let most = 2;
    for (const { from, as, type, read } of columns) {
      const cell = read(row);
      if (cell === "") continue;
      const text = cleanLine(cell, { column: from, notes });
      if (text === "") continue;
      entries.push([as, type === "text" ? text : typed(text, type, { column: from, notes })]);
      most += 6 + 6 * (as.length + text.length);
    }
    // `fromEntries` makes own properties, so a column named `__proto__` is safe.
    return Object.fromEntries(most <= EXTRA_BYTES ? entries : withinBytes(entries, notes));
  };
}

function typed(text: string, type: "number" | "boolean", { column, notes }: Cell): string | number | boolean {
  if (type === "number") {
    const number = Number(/^[+-]?\d+,\d+$/.test(text) ? text.replace(",", ".") : text);
    if (Number.isFinite(number)) return number;
  } else {
    if (/^(?:true|vrai|oui|1)$/i.test(text)) return true;
    if (/^(?:false|faux|non|0)$/i.test(text)) return false;
  }
  notes.note("extra_unreadable", { column, value: text, result: text });
  return text;
}

function withinBytes(entries: readonly [string, Extra[string]][], notes: Notes): [string, Extra[string]][] {
  let bytes = 2;
  return entries.filter(([key, value]) => {
    const size = Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value)) + 2;
    const fits = bytes + size <= EXTRA_BYTES;
    if (fits) bytes += size;
    else notes.note("extra_too_large", { column: key, value: `${size} bytes` });
    return fits;
  });
}

function bounded<Item>(entries: Item[], field: string, notes: Notes): Item[] {
  if (entries.length <= ENTRIES_MAX) return entries;
  notes.note("list_too_long", { column: field, value: String(entries.length), result: String(ENTRIES_MAX) });
  return entries.slice(0, ENTRIES_MAX);
}

/** Bounded cache: most rows repeat a few texts, but a column of free text may be mapped by mistake. */
function remembered<Result>(compute: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>();
  return (text) => {
    const before = cache.get(text);
    if (before !== undefined) return before;
    const result = compute(text);
    if (cache.size >= 10_000) cache.clear();
    cache.set(text, result);
    return result;
  };
}
