/**
 * What every peer is given: the same items as words that our analyser has read, and the same queries, with misspelt words already
 * corrected and unfinished words already spelled out. Peers analyse French otherwise, and none of them stems and completes a word
 * at once; only so can the totals be equal, and only equal totals make times comparable.
 */
import type { ItemType } from "@triptych/contracts";
import { analyse, analyseQuery } from "../src/domain/analyse.ts";
import type { Near, NormalQuery, StoredItem } from "../src/domain/catalogue.ts";
import { chordBound, unitVector, type UnitVector } from "../src/domain/geo.ts";
import type { IndexViews } from "../src/domain/index/index-views.ts";
import { textsOf } from "../src/domain/index/item-text.ts";
import { stringAt } from "../src/domain/index/string-table.ts";
import { readWords } from "../src/domain/index/word-query.ts";
import { benchData } from "./generated-items.ts";

export interface PeerItem {
  readonly id: number;
  readonly type: ItemType;
  readonly departement: string | null;
  readonly region: string | null;
  /** Place in French title order: no peer has to collate. */
  readonly titleRank: number;
  readonly tags: readonly string[];
  /** In the order of the text. */
  readonly words: readonly PeerWord[];
  readonly location: { readonly lat: number; readonly lon: number } | null;
  readonly json: string;
}

export interface PeerWord {
  readonly term: string;
  readonly weight: number;
}

/** Any of the terms must occur. An unfinished word also tells how it begins, for peers whose ranking slows down with many terms. */
export interface PeerWords {
  readonly any: readonly string[];
  readonly beginning: string | null;
}

export interface PeerNear {
  readonly lat: number;
  readonly lon: number;
  readonly radiusKm: number;
  readonly vector: UnitVector;
  /** Greatest squared chord inside, and the angle of it: the border as we draw it, half a metre behind the radius. */
  readonly bound: number;
  readonly angle: number;
}

export interface PeerQuery {
  readonly types: readonly string[];
  readonly departements: readonly string[];
  readonly regions: readonly string[];
  /** All of the lists, any tag of one. */
  readonly tags: readonly (readonly string[])[];
  readonly words: readonly PeerWords[];
  readonly near: PeerNear | null;
  readonly sort: "title" | "relevance" | "distance";
  readonly offset: number;
  readonly limit: number;
}

export interface PeerAnswer {
  readonly total: number;
  /** Items of the page. */
  readonly returned: number;
}

/** A database that is being filled. */
export interface PeerLoading extends AsyncDisposable {
  readonly name: string;
  add(batch: readonly PeerItem[]): Promise<void>;
  /** Builds what is built at the end. The peer is closed with its loading. */
  finish(): Promise<Peer>;
}

/** A database with the items in it. */
export interface Peer {
  readonly name: string;
  /** Bytes on the disk, or null when the peer does not tell. */
  readonly bytes: number | null;
  search(query: PeerQuery): Promise<PeerAnswer>;
}

/** A word that no item has: its list must not be empty. */
const NOWHERE = "qqqqqqqq";

export function peerQuery(query: NormalQuery, index: IndexViews): PeerQuery {
  const { near, sort } = query;
  if (sort !== "title" && sort !== "relevance" && sort !== "distance") throw new Error(`no peer sorts by ${sort}`);
  return {
    types: query.types,
    departements: query.departements,
    regions: query.regions,
    tags: query.tags,
    words: query.text === null ? [] : termsOf(query.text, index),
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

function termsOf(text: string, { words }: IndexViews): PeerWords[] {
  const last = analyseQuery(text).words.at(-1)?.surface ?? null;
  const alphabet = Array.from(Buffer.from(words.alphabet).toString());
  return readWords({ ...words, alphabet }, text, { correct: true }).terms.map(({ term, range }) => {
    const numbers = new Set<number>(term < 0 ? [] : [term]);
    if (range !== null) for (let at = range.from; at < range.to; at++) numbers.add(words.surfaceTerms[at]);
    const any = Array.from(numbers, (number) => stringAt(words.terms, number));
    return { any: any.length === 0 ? [NOWHERE] : any, beginning: range === null ? null : last };
  });
}

/** Items in (type, slug) order; `ranks` of the index tells the title order. Generated anew: one generator goes on where it stopped. */
export function* peerItems(index: IndexViews): Generator<PeerItem> {
  const data = benchData(index.count);
  const labels = new Map(data.tagLabels.map(({ slug, label }) => [slug, label]));
  const titleRanks = new Uint32Array(index.count);
  for (const [titleRank, rank] of index.ranks.entries()) titleRanks[rank] = titleRank;

  let id = 0;
  for (const { item } of data.items() as Iterable<StoredItem>) {
    const words = textsOf(item, (slug) => labels.get(slug)).flatMap(({ text, weight, keepsStopWords }) =>
      analyse(text)
        .filter((word) => keepsStopWords || !word.stop)
        .map(({ term }) => ({ term, weight })),
    );
    yield {
      id: id + 1,
      type: item.type,
      departement: item.departement?.code ?? null,
      region: item.region?.code ?? null,
      titleRank: titleRanks[id],
      tags: item.tags,
      words,
      location: item.location,
      json: JSON.stringify(item),
    };
    id++;
  }
}

/** Hands items over some at a time. */
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
