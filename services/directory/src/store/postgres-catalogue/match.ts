/**
 * Evaluates a parsed query. Words and tags are posting lists, joined here; kinds are looked up for the remaining ids;
 * PostgreSQL measures those that may be inside the circle. A circle without words or tags is a PostGIS query.
 */
import type { Near } from "../../domain/catalogue.ts";
import { addBits, bitsFor, hasBit } from "../../domain/index/posting-sets.ts";
import type { BlockReader } from "./blocks.ts";
import { findCandidates, firstOf, spanOf, takeAll, type Candidates } from "./candidate-postings.ts";
import { COLUMN_WIDTHS, visitColumn } from "./doc-values.ts";
import type { Db, IndexTables } from "./index-tables.ts";
import { readColumnNumber, readIds } from "./posting-codec.ts";
import { measureCircle, measureSome, type Measured } from "./distance-filter.ts";
import type { ReadQuery } from "./read-query.ts";
import type { Holdings } from "./index-sections.ts";
import { spotFilter } from "./geo-cells.ts";

export interface Shelves {
  readonly db: Db;
  readonly tables: IndexTables;
  readonly holdings: Holdings;
  readonly reader: BlockReader;
  readonly bounds: Bounds;
}

export interface Bounds {
  readonly keptBytes: number;
  /** Up to this many candidates are measured by id; above, the whole circle is fetched. */
  readonly measuredSingly: number;
  /** Circle pages that end by this offset are sorted in the database; for deeper ones the whole circle is fetched. */
  readonly sortedThere: number;
}

export interface Matches extends Candidates {
  /** Squared chords, parallel to the ids; null without a circle. */
  readonly chords: Float64Array | null;
}

export async function match(shelves: Shelves, query: ReadQuery): Promise<Matches> {
  const matches = await matchIncluded(shelves, query);
  return query.excluded.length === 0 ? matches : withoutTags(shelves, matches, query.excluded);
}

async function matchIncluded(shelves: Shelves, query: ReadQuery): Promise<Matches> {
  const { db, tables, holdings, reader } = shelves;
  const { kinds, near } = query;
  const listed = await findCandidates(reader, holdings, query);
  if (listed === null && near !== null) {
    const measured = await measureCircle(db, tables, { near, kinds: kinds?.numbers ?? null });
    return { ...measured, scores: new Uint16Array(measured.ids.length) };
  }
  const all = listed ?? everything(holdings.items);
  const left = kinds === null ? all : await ofKinds(shelves, all, new Set(kinds.numbers));
  return near === null ? { ...left, chords: null } : inside(shelves, left, near);
}

async function withoutTags(
  { holdings: { items, tags }, reader }: Shelves,
  { ids, scores, chords }: Matches,
  excluded: readonly number[],
): Promise<Matches> {
  const hasTag = bitsFor(items);
  const takers = excluded.map((tag) => ({
    spans: [spanOf(tags, tag)],
    take: (text: Uint8Array) => addBits(hasTag, readIds(text, tags.documents[tag])),
  }));
  await takeAll(reader, takers);
  let kept = 0;
  for (let i = 0; i < ids.length; i++) {
    if (hasBit(hasTag, ids[i])) continue;
    ids[kept] = ids[i];
    scores[kept] = scores[i];
    if (chords !== null) chords[kept] = chords[i];
    kept++;
  }
  return { ...firstOf({ ids, scores }, kept), chords: chords === null ? null : chords.subarray(0, kept) };
}

function everything(items: number): Candidates {
  return { ids: Uint32Array.from({ length: items }, (_, id) => id), scores: new Uint16Array(items) };
}

async function ofKinds(
  { reader, holdings }: Shelves,
  { ids, scores }: Candidates,
  wanted: ReadonlySet<number>,
): Promise<Candidates> {
  const isWanted = Uint8Array.from(holdings.kinds, (_, kind) => (wanted.has(kind) ? 1 : 0));
  let kept = 0;
  await visitColumn(reader, holdings.columns.kind, ids, (text, at, i) => {
    if (isWanted[readColumnNumber(text, at, COLUMN_WIDTHS.kind)] === 0) return;
    ids[kept] = ids[i];
    scores[kept++] = scores[i];
  });
  return firstOf({ ids, scores }, kept);
}

async function inside(shelves: Shelves, candidates: Candidates, near: Near): Promise<Matches> {
  const { db, tables, holdings, reader, bounds } = shelves;
  const { ids, scores } = candidates;
  const maybeInside = spotFilter(near);
  let kept = 0;
  await visitColumn(reader, holdings.columns.spot, ids, (text, at, i) => {
    if (!maybeInside(text, at)) return;
    ids[kept] = ids[i];
    scores[kept++] = scores[i];
  });
  const left = firstOf(candidates, kept);
  if (kept === 0) return { ...left, chords: new Float64Array(0) };
  const measured =
    kept <= bounds.measuredSingly
      ? await measureSome(db, tables, near, left.ids)
      : await measureCircle(db, tables, { near, kinds: null });
  return common(left, measured);
}

function common(candidates: Candidates, measured: Measured): Matches {
  const { ids, scores } = candidates;
  const chords = new Float64Array(ids.length);
  let kept = 0;
  for (let i = 0, at = 0; i < ids.length && at < measured.ids.length; i++) {
    while (at < measured.ids.length && measured.ids[at] < ids[i]) at++;
    if (measured.ids[at] !== ids[i]) continue;
    ids[kept] = ids[i];
    scores[kept] = scores[i];
    chords[kept++] = measured.chords[at];
  }
  return { ...firstOf(candidates, kept), chords: chords.subarray(0, kept) };
}
