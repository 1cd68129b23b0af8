/**
 * Finds a page: its total and its ids in order. Queries of kinds only need no matching: the total is precomputed, and
 * the page is found by scanning items in title order. All others are matched, then sorted and cut by the memory
 * engine's functions.
 */
import type { NormalQuery } from "../../domain/catalogue.ts";
import { distanceKm } from "../../domain/geo.ts";
import { IMPACT_MAX } from "../../domain/index/impact-scores.ts";
import { gallop } from "../../domain/index/posting-sets.ts";
import { pageByKey, pageByScore, pageByTitle, type Window } from "../../domain/index/top-k-page.ts";
import { BLOCK } from "./blocks.ts";
import { COLUMN_WIDTHS, visitColumn, type Column } from "./doc-values.ts";
import { readColumnNumber, writeColumnNumber } from "./posting-codec.ts";
import { match, type Matches, type IndexReader } from "./match.ts";
import { isOfKindsAlone, readQuery, type ReadQuery } from "./read-query.ts";
import type { FacetKeyFilter } from "./facet-keys.ts";

/** Maximum blocks per read of a scan. */
const WALKED_AT_ONCE = 512;

export interface FoundPage {
  readonly total: number;
  readonly ids: Uint32Array;
  readonly distances: readonly number[] | null;
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly unknownTags: readonly string[];
}

export async function findPage(indexReader: IndexReader, query: Omit<NormalQuery, "variant">): Promise<FoundPage> {
  const read = readQuery(indexReader.statistics, query);
  const { corrected, unknownTags } = read;
  const found = read.isHopeless ? NOTHING : await find(indexReader, read, query);
  return { ...found, corrected, unknownTags };
}

type Found = Pick<FoundPage, "total" | "ids" | "distances">;

const NOTHING: Found = { total: 0, ids: new Uint32Array(0), distances: null };

async function find(indexReader: IndexReader, read: ReadQuery, query: Omit<NormalQuery, "variant">): Promise<Found> {
  const { statistics } = indexReader;
  if (isOfKindsAlone(read)) {
    const total = read.kinds?.size ?? statistics.items;
    const window = { offset: query.offset, limit: Math.min(query.limit, total - query.offset) };
    if (window.limit <= 0) return { ...NOTHING, total };
    const ids = await pageOfKinds(indexReader, read.kinds, query.sort, window);
    if (ids !== null) return { total, ids, distances: null };
  }
  const matches = await match(indexReader, read);
  const total = matches.ids.length;
  if (query.limit === 0 || query.offset >= total) return { ...NOTHING, total };
  const ids = await cut(indexReader, matches, { query, termCount: read.termQueries.length });
  return { total, ids, distances: distancesOf(matches, ids) };
}

async function cut(
  { statistics, reader }: IndexReader,
  { ids, scores, chords }: Matches,
  { query, termCount }: { readonly query: Pick<NormalQuery, "sort" | "offset" | "limit">; readonly termCount: number },
): Promise<Uint32Array> {
  switch (query.sort) {
    case "title":
      return pageByTitle(ids, query);
    case "relevance":
      return pageByScore(ids, scores, termCount * IMPACT_MAX, query);
    case "distance":
      return chords === null ? pageByTitle(ids, query) : pageByKey(ids, chords, query);
    case "updated_at":
    case "-updated_at": {
      const sign = query.sort === "updated_at" ? 1 : -1;
      const keys = new Float64Array(ids.length);
      await visitColumn(reader, statistics.columns.updated, ids, (text, at, i) => {
        keys[i] = sign * readColumnNumber(text, at, COLUMN_WIDTHS.updated);
      });
      return pageByKey(ids, keys, query);
    }
  }
}

function distancesOf({ ids, chords }: Matches, page: Uint32Array): number[] | null {
  if (chords === null) return null;
  return Array.from(page, (id) => distanceKm(chords[gallop(ids, id, 0)]));
}

/** The window is within the total. Null when matching is required: kinds ordered by update time. */
async function pageOfKinds(
  indexReader: IndexReader,
  kinds: FacetKeyFilter | null,
  sort: NormalQuery["sort"],
  window: Window,
): Promise<Uint32Array | null> {
  const { columns } = indexReader.statistics;
  const isByUpdate = sort === "updated_at" || sort === "-updated_at";
  if (kinds === null && isByUpdate)
    return readWindow(indexReader, sort === "updated_at" ? columns.rising : columns.falling, window);
  if (kinds === null) return Uint32Array.from({ length: window.limit }, (_, index) => window.offset + index);
  return isByUpdate ? null : walk(indexReader, kinds, window);
}

async function readWindow({ reader }: IndexReader, column: Column, { offset, limit }: Window): Promise<Uint32Array> {
  const page = Uint32Array.from({ length: limit }, (_, index) => offset + index);
  await visitColumn(reader, column, page.slice(), (text, at, i) => {
    page[i] = readColumnNumber(text, at, column.width);
  });
  return page;
}

/** Reads the expected number of blocks, assuming evenly spread kinds, then as many again. */
async function walk({ reader, statistics }: IndexReader, kinds: FacetKeyFilter, window: Window): Promise<Uint32Array> {
  const { from, width, count } = statistics.columns.kind;
  const perBlock = BLOCK / width;
  const end = window.offset + window.limit;
  const blocks = Math.min(WALKED_AT_ONCE, 1 + Math.ceil(((end / kinds.size) * count) / perBlock));
  const isAccepted = acceptedPairs(kinds);
  const page = new Uint32Array(window.limit);
  let passed = 0;
  for (let first = 0; first < count && passed < end; first += blocks * perBlock) {
    const behind = Math.min(count, first + blocks * perBlock);
    const spans = [];
    for (let id = first; id < behind; id += perBlock)
      spans.push({ from: from + id * width, to: from + Math.min(behind, id + perBlock) * width });
    let id = first;
    for (const text of await reader.read(spans)) {
      for (let at = 0; at < text.length && passed < end; at += 2, id++) {
        if (isAccepted[(text[at] << 7) | text[at + 1]] === 0) continue;
        if (passed >= window.offset) page[passed - window.offset] = id;
        passed++;
      }
    }
  }
  return page;
}

/** Indexed by the two characters of a kind number, because the scan visits every item. */
function acceptedPairs({ numbers }: FacetKeyFilter): Uint8Array {
  const pairs = new Uint8Array(1 << 14);
  const text = new Uint8Array(COLUMN_WIDTHS.kind);
  for (const number of numbers) {
    writeColumnNumber(text, 0, COLUMN_WIDTHS.kind, number);
    pairs[(text[0] << 7) | text[1]] = 1;
  }
  return pairs;
}
