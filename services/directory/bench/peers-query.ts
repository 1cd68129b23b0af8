/**
 * Input of all peers: the same items as analyzed words, and the same queries with corrected and expanded words. Peers
 * analyze French differently, and none both stems and completes a word. Only with the same words are totals equal, and only equal totals
 * make times comparable.
 */
import type { ItemType } from "@triptych/contracts";
import { analyse, termOf } from "../src/domain/analyse.ts";
import type { Near, NormalQuery, StoredItem } from "../src/domain/catalogue.ts";
import { chordBound, unitVector, type UnitVector } from "../src/domain/geo.ts";
import type { IndexViews } from "../src/domain/index/index-views.ts";
import { textsOf } from "../src/domain/index/impact-scores.ts";
import { prefixRange, stringAt } from "../src/domain/index/string-table.ts";
import { readQueryText } from "../src/domain/search/query-text.ts";
import { benchData } from "./generated-items.ts";

export interface PeerItem {
  readonly id: number;
  readonly type: ItemType;
  readonly departement: string | null;
  readonly region: string | null;
  /** Position in French title order, so that no peer has to collate. */
  readonly titleRank: number;
  readonly tags: readonly string[];
  /** In text order. */
  readonly terms: readonly PeerTerm[];
  readonly location: { readonly lat: number; readonly lon: number } | null;
  readonly json: string;
}

export interface PeerTerm {
  readonly term: string;
  readonly weight: number;
}

/** OR of the terms. An unfinished word also has its prefix, for peers whose ranking is slow with many terms. */
export interface PeerTermGroup {
  readonly any: readonly string[];
  readonly beginning: string | null;
}

export interface PeerNear {
  readonly lat: number;
  readonly lon: number;
  readonly radiusKm: number;
  readonly vector: UnitVector;
  /** Greatest squared chord inside, and its angle: our boundary, half a meter beyond the radius. */
  readonly bound: number;
  readonly angle: number;
}

export interface PeerQuery {
  readonly types: readonly string[];
  readonly departements: readonly string[];
  readonly regions: readonly string[];
  /** AND of the lists, OR within a list of tags. */
  readonly tags: readonly (readonly string[])[];
  readonly termGroups: readonly PeerTermGroup[];
  readonly near: PeerNear | null;
  readonly sort: "title" | "relevance" | "distance";
  readonly offset: number;
  readonly limit: number;
}

export interface PeerAnswer {
  readonly total: number;
  /** Items per page. */
  readonly returned: number;
}

/** A database being loaded. */
export interface PeerLoading extends AsyncDisposable {
  readonly name: string;
  add(batch: readonly PeerItem[]): Promise<void>;
  /** Builds indexes. Closes the loader. */
  finish(): Promise<Peer>;
}

/** A loaded database. */
export interface Peer {
  readonly name: string;
  /** Bytes on disk, or null if unknown. */
  readonly bytes: number | null;
  /** Null: the database cannot express the query. */
  search(query: PeerQuery): Promise<PeerAnswer | null>;
}

export function peerQuery(query: NormalQuery, index: IndexViews): PeerQuery {
  const { near, sort } = query;
  if (sort !== "title" && sort !== "relevance" && sort !== "distance") throw new Error(`no peer sorts by ${sort}`);
  return {
    types: query.types,
    departements: query.departements,
    regions: query.regions,
    tags: query.tags,
    termGroups: query.text === null ? [] : termsOf(query.text, index),
    near: near && peerNear(near),
    sort,
    offset: query.offset,
    limit: query.limit,
  };
}

function peerNear(near: Near): PeerNear {
  const bound = chordBound(near.radiusKm);
  return { ...near, vector: unitVector(near.lat, near.lon), bound, angle: 2 * Math.asin(Math.sqrt(bound) / 2) };
}

/** Words of generated items, so none is corrected. */
function termsOf(text: string, { termIndex }: IndexViews): PeerTermGroup[] {
  const { tokens, unfinished } = readQueryText(text);
  const unique = new Map(tokens.map(({ surface, term }) => [term, surface]));
  return Array.from(unique, ([term, surface]) => {
    const isPrefix = unfinished && surface === tokens.at(-1)?.surface;
    if (!isPrefix) return { any: [term], beginning: null };
    const any = new Set([termOf(surface)]);
    const { from, to } = prefixRange(termIndex.surfaces, surface);
    for (let at = from; at < to; at++) any.add(stringAt(termIndex.terms, termIndex.surfaceTerms[at]));
    return { any: [...any], beginning: surface };
  });
}

/**
 * Items by (type, slug); `ranks` of the index gives the title order. Generated again, because a generator is not
 * restartable.
 */
export function* peerItems(index: IndexViews): Generator<PeerItem> {
  const data = benchData(index.count);
  const labels = new Map(data.tagLabels.map(({ slug, label }) => [slug, label]));
  const titleRanks = new Uint32Array(index.count);
  for (const [titleRank, rank] of index.ranks.entries()) titleRanks[rank] = titleRank;

  let id = 0;
  for (const { item } of data.items() as Iterable<StoredItem>) {
    const terms = textsOf(item, (slug) => labels.get(slug)).flatMap(({ text, weight, keepsStopWords }) =>
      analyse(text)
        .filter((token) => keepsStopWords || !token.stop)
        .map(({ term }) => ({ term, weight })),
    );
    yield {
      id: id + 1,
      type: item.type,
      departement: item.departement?.code ?? null,
      region: item.region?.code ?? null,
      titleRank: titleRanks[id],
      tags: item.tags,
      terms,
      location: item.location,
      json: JSON.stringify(item),
    };
    id++;
  }
}

/** Yields items in batches. */
export function* inBatches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
