/** Starts with the rarest list; every other list narrows the candidates, and words add their impact to the scores. */
import { halved } from "../../domain/index/impact-scores.ts";
import { gallop } from "../../domain/index/posting-sets.ts";
import type { BlockReader, Span } from "./blocks.ts";
import { maxInto, readIds, readPostings, type Postings } from "./posting-codec.ts";
import type { ReadQuery, TagQuery, TermQuery } from "./read-query.ts";
import type { IndexStatistics, ListOffsets } from "./index-sections.ts";

/** Bytes of long lists in memory at a time. */
const READ_AT_ONCE = 1 << 24;

export interface Candidates {
  readonly ids: Uint32Array;
  /** Word scores, parallel to `ids`. */
  readonly scores: Uint16Array;
}

interface Constraint {
  readonly size: number;
  readonly spans: readonly Span[];
  /** Takes the text of span `place`; called in order. */
  take(text: Uint8Array, index: number): void;
  begin(): Candidates;
  narrow(candidates: Candidates): Candidates;
}

/** Null when the query has neither words nor tags. */
export async function findCandidates(
  reader: BlockReader,
  statistics: IndexStatistics,
  query: ReadQuery,
): Promise<Candidates | null> {
  const constraints = [
    ...query.termQueries.map((termQuery) =>
      termQuery.longer === null
        ? termConstraint(statistics.termLists, termQuery.exact)
        : prefixConstraint(statistics, termQuery),
    ),
    ...query.tags.map((tags) => tagConstraint(statistics, tags)),
  ].sort((a, b) => a.size - b.size);
  let left: Candidates | null = null;
  while (constraints.length > 0 && left?.ids.length !== 0) {
    // Removed from the array, so that processed lists can be collected before the next are read.
    const next = constraints.splice(0, fewAtOnce(constraints));
    await takeAll(reader, next);
    for (const constraint of next) left = left === null ? constraint.begin() : constraint.narrow(left);
  }
  return left;
}

function fewAtOnce(constraints: readonly Constraint[]): number {
  let count = 0;
  for (let length = 0; count < constraints.length && (count === 0 || length < READ_AT_ONCE); count++)
    length += lengthOf(constraints[count].spans);
  return count;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Reads all lists, in one batch unless very long, and passes each to its constraint. */
export async function takeAll(
  reader: BlockReader,
  takers: readonly Pick<Constraint, "spans" | "take">[],
): Promise<void> {
  const requests = takers.flatMap(({ spans, take }) => spans.map((span, index) => ({ span, take, place: index })));
  for (let from = 0; from < requests.length;) {
    let to = from;
    for (let length = 0; to < requests.length && (to === from || length < READ_AT_ONCE); to++)
      length += requests[to].span.to - requests[to].span.from;
    const part = requests.slice(from, to);
    const texts = await reader.read(part.map(({ span }) => span));
    for (const [number, { take, place: index }] of part.entries()) take(texts[number], index);
    from = to;
  }
}

export function spanOf({ starts }: ListOffsets, number: number): Span {
  return { from: starts[number], to: starts[number + 1] };
}

function termConstraint(lists: ListOffsets, term: number): Constraint {
  const size = lists.documents[term];
  let list: Postings = { ids: new Uint32Array(0), impacts: new Uint8Array(0) };
  return {
    size,
    spans: [spanOf(lists, term)],
    take(text) {
      list = readPostings(text, size);
    },
    begin: () => ({ ids: list.ids, scores: Uint16Array.from(list.impacts) }),
    narrow: (candidates) => intersected(candidates, list.ids, list.impacts),
  };
}

/** An unfinished word: full impact for its exact term, half of the best impact for terms it is a prefix of. */
function prefixConstraint({ termLists, items }: IndexStatistics, { exact, longer, size }: TermQuery): Constraint {
  const terms = longer ?? [];
  let best = new Uint8Array(0);
  return {
    size,
    spans: [...terms, ...(exact < 0 ? [] : [exact])].map((term) => spanOf(termLists, term)),
    take(text, index) {
      if (index === 0) best = columnFor(items);
      // Halving after the merge keeps the inner loop short.
      if (index === terms.length) halve(best);
      maxInto(best, text);
      if (index === terms.length - 1 && exact < 0) halve(best);
    },
    begin: () => presentIn(best),
    narrow: (candidates) => narrowed(candidates, best, { counts: true }),
  };
}

/** Any of the tags; no score. */
function tagConstraint({ tags, items }: IndexStatistics, { numbers, size }: TagQuery): Constraint {
  const spans = numbers.map((number) => spanOf(tags, number));
  if (numbers.length === 1) {
    let ids: Uint32Array = new Uint32Array(0);
    return {
      size,
      spans,
      take(text) {
        ids = readIds(text, size);
      },
      begin: () => ({ ids, scores: new Uint16Array(ids.length) }),
      narrow: (candidates) => intersected(candidates, ids, null),
    };
  }
  let has = new Uint8Array(0);
  return {
    size,
    spans,
    take(text, index) {
      if (index === 0) has = columnFor(items);
      for (const id of readIds(text, tags.documents[numbers[index]])) has[id] = 1;
    },
    begin() {
      const { ids } = presentIn(has);
      return { ids, scores: new Uint16Array(ids.length) };
    },
    narrow: (candidates) => narrowed(candidates, has, { counts: false }),
  };
}

/** One byte per item, 0 = absent. Padded to whole 32-bit words, so that absent items are skipped four at a time. */
function columnFor(items: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Math.ceil(items / 4) * 4);
}

function halve(column: Uint8Array): void {
  for (let id = 0; id < column.length; id++) column[id] = halved(column[id]);
}

function presentIn(column: Uint8Array): Candidates {
  const fours = new Uint32Array(column.buffer);
  let count = 0;
  for (let four = 0; four < fours.length; four++) {
    if (fours[four] === 0) continue;
    for (let id = four * 4; id < four * 4 + 4; id++) if (column[id] > 0) count++;
  }
  const [ids, scores] = [new Uint32Array(count), new Uint16Array(count)];
  for (let four = 0, filled = 0; four < fours.length; four++) {
    if (fours[four] === 0) continue;
    for (let id = four * 4; id < four * 4 + 4; id++) {
      if (column[id] === 0) continue;
      ids[filled] = id;
      scores[filled++] = column[id];
    }
  }
  return { ids, scores };
}

// Candidates belong to one query, so narrowing works in place.

function narrowed({ ids, scores }: Candidates, column: Uint8Array, { counts }: { counts: boolean }): Candidates {
  let count = 0;
  for (let i = 0; i < ids.length; i++) {
    const value = column[ids[i]];
    if (value === 0) continue;
    ids[count] = ids[i];
    scores[count++] = scores[i] + (counts ? value : 0);
  }
  return firstOf({ ids, scores }, count);
}

function intersected({ ids, scores }: Candidates, list: Uint32Array, impacts: Uint8Array | null): Candidates {
  const isSparse = ids.length * 16 < list.length;
  let count = 0;
  for (let i = 0, at = 0; i < ids.length; i++) {
    const id = ids[i];
    if (isSparse) at = gallop(list, id, at);
    else while (at < list.length && list[at] < id) at++;
    if (at === list.length) break;
    if (list[at] !== id) continue;
    ids[count] = id;
    scores[count++] = scores[i] + (impacts === null ? 0 : impacts[at]);
  }
  return firstOf({ ids, scores }, count);
}

export function firstOf({ ids, scores }: Candidates, count: number): Candidates {
  return { ids: ids.subarray(0, count), scores: scores.subarray(0, count) };
}
