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
import type { IndexStatistics } from "./index-sections.ts";
import { spotFilter } from "./geo-cells.ts";

export interface IndexReader {
  readonly db: Db;
  readonly tables: IndexTables;
  readonly statistics: IndexStatistics;
  readonly reader: BlockReader;
  readonly bounds: Bounds;
}

export interface Bounds {
  readonly cacheBytes: number;
  /** Up to this many candidates are measured by id; above, the whole circle is fetched. */
  readonly measuredSingly: number;
  /** Circle pages that end by this offset are sorted in the database; for deeper ones the whole circle is fetched. */
  readonly sortedThere: number;
}

export interface Matches extends Candidates {
  /** Squared chords, parallel to the ids; null without a circle. */
  readonly chords: Float64Array | null;
}

export async function match(indexReader: IndexReader, query: ReadQuery): Promise<Matches> {
  const matches = await matchIncluded(indexReader, query);
  return query.excluded.length === 0 ? matches : excludeTags(indexReader, matches, query.excluded);
}

async function matchIncluded(indexReader: IndexReader, query: ReadQuery): Promise<Matches> {
  const { db, tables, statistics, reader } = indexReader;
  const { kinds, near } = query;
  const listed = await findCandidates(reader, statistics, query);
  if (listed === null && near !== null) {
    const measured = await measureCircle(db, tables, { near, kinds: kinds?.numbers ?? null });
    return { ...measured, scores: new Uint16Array(measured.ids.length) };
  }
  const all = listed ?? everything(statistics.items);
  const left = kinds === null ? all : await ofKinds(indexReader, all, new Set(kinds.numbers));
  return near === null ? { ...left, chords: null } : inside(indexReader, left, near);
}

async function excludeTags(
  { statistics: { items, tags }, reader }: IndexReader,
  { ids, scores, chords }: Matches,
  excluded: readonly number[],
): Promise<Matches> {
  const hasTag = bitsFor(items);
  const takers = excluded.map((tag) => ({
    spans: [spanOf(tags, tag)],
    take: (text: Uint8Array) => addBits(hasTag, readIds(text, tags.documents[tag])),
  }));
  await takeAll(reader, takers);
  let count = 0;
  for (let i = 0; i < ids.length; i++) {
    if (hasBit(hasTag, ids[i])) continue;
    ids[count] = ids[i];
    scores[count] = scores[i];
    if (chords !== null) chords[count] = chords[i];
    count++;
  }
  return { ...firstOf({ ids, scores }, count), chords: chords === null ? null : chords.subarray(0, count) };
}

function everything(items: number): Candidates {
  return { ids: Uint32Array.from({ length: items }, (_, id) => id), scores: new Uint16Array(items) };
}

async function ofKinds(
  { reader, statistics }: IndexReader,
  { ids, scores }: Candidates,
  accepted: ReadonlySet<number>,
): Promise<Candidates> {
  const isAccepted = Uint8Array.from(statistics.kinds, (_, kind) => (accepted.has(kind) ? 1 : 0));
  let count = 0;
  await visitColumn(reader, statistics.columns.kind, ids, (text, at, i) => {
    if (isAccepted[readColumnNumber(text, at, COLUMN_WIDTHS.kind)] === 0) return;
    ids[count] = ids[i];
    scores[count++] = scores[i];
  });
  return firstOf({ ids, scores }, count);
}

async function inside(indexReader: IndexReader, candidates: Candidates, near: Near): Promise<Matches> {
  const { db, tables, statistics, reader, bounds } = indexReader;
  const { ids, scores } = candidates;
  const maybeInside = spotFilter(near);
  let count = 0;
  await visitColumn(reader, statistics.columns.spot, ids, (text, at, i) => {
    if (!maybeInside(text, at)) return;
    ids[count] = ids[i];
    scores[count++] = scores[i];
  });
  const left = firstOf(candidates, count);
  if (count === 0) return { ...left, chords: new Float64Array(0) };
  const measured =
    count <= bounds.measuredSingly
      ? await measureSome(db, tables, near, left.ids)
      : await measureCircle(db, tables, { near, kinds: null });
  return common(left, measured);
}

function common(candidates: Candidates, measured: Measured): Matches {
  const { ids, scores } = candidates;
  const chords = new Float64Array(ids.length);
  let count = 0;
  for (let i = 0, at = 0; i < ids.length && at < measured.ids.length; i++) {
    while (at < measured.ids.length && measured.ids[at] < ids[i]) at++;
    if (measured.ids[at] !== ids[i]) continue;
    ids[count] = ids[i];
    scores[count] = scores[i];
    chords[count++] = measured.chords[at];
  }
  return { ...firstOf(candidates, count), chords: chords.subarray(0, count) };
}
