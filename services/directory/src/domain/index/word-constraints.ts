/** Groups of words as constraints that also add their impact to scores. */
import { NO_COLUMN, type TermIndex } from "./build-term-sections.ts";
import type { Constraint } from "./constraints.ts";
import { EXACT_IMPACTS, IMPACT_MAX } from "./impact-scores.ts";
import { drainBits, gallop, hasBit, intersect } from "./posting-sets.ts";
import type { QueryScratch } from "./query-scratch.ts";
import type { GroupMatch, ResolvedGroup } from "./resolve-groups.ts";

export interface TermConstraint extends Constraint {
  /** Adds `share` times the impact for each of `ids`, which all satisfy it, to the parallel `scores`. */
  addScores(ids: Uint32Array, scores: Uint16Array, share: number): void;
}

/** Comparisons of a binary search. */
const STEPS_OF_LOOKUP = 16;

export function groupConstraint(termIndex: TermIndex, group: ResolvedGroup, scratch: QueryScratch): TermConstraint {
  const { matches } = group;
  if (matches.length === 0) return NO_TERM;
  const [{ terms, phrases, impacts }] = matches;
  if (matches.length === 1 && terms.length === 1 && phrases.length === 0)
    return termConstraint(termIndex, terms[0], scratch, impacts);
  return unionConstraint(termIndex, group, scratch);
}

const NO_TERM: TermConstraint = {
  size: 0,
  ids: () => new Uint32Array(0),
  narrow: () => 0,
  addScores: () => {},
};

/** @param counted what an impact counts, by impact. */
export function termConstraint(
  termIndex: TermIndex,
  term: number,
  scratch: QueryScratch,
  counted = EXACT_IMPACTS,
): TermConstraint {
  const size = termIndex.documents[term];
  const column = columnOf(termIndex, term, scratch.count);
  return column === null
    ? listConstraint(...listOf(termIndex, term), counted)
    : columnConstraint(column, { size, scratch, counted });
}

interface ColumnOptions {
  readonly size: number;
  readonly scratch: QueryScratch;
  readonly counted: Uint8Array;
}

function columnConstraint(column: Uint8Array, { size, scratch, counted }: ColumnOptions): TermConstraint {
  return {
    size,
    ids() {
      const into = scratch.ids;
      let count = 0;
      for (let id = 0; id < column.length; id++) {
        into[count] = id;
        count += oneIfPositive(column[id]);
      }
      return into.subarray(0, count);
    },
    narrow(ids, into) {
      let count = 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i];
        into[count] = id;
        count += oneIfPositive(column[id]);
      }
      return count;
    },
    addScores(ids, scores, share) {
      for (let i = 0; i < ids.length; i++) scores[i] += counted[column[ids[i]]] * share;
    },
  };
}

/** Of a byte. Computed, because V8 compiles a comparison to a branch, which would be mispredicted for half of the items. */
function oneIfPositive(byte: number): number {
  return (byte + 255) >>> 8;
}

/** Of two bytes, without the branch of `Math.max`. */
function greater(one: number, other: number): number {
  const more = other - one;
  return one + (more & ~(more >> 31));
}

function listConstraint(list: Uint32Array, impacts: Uint8Array, counted: Uint8Array): TermConstraint {
  return {
    size: list.length,
    ids: () => list,
    narrow: (ids, into) => intersect(ids, list, into),
    addScores(ids, scores, share) {
      let at = 0;
      const isSparse = ids.length * 16 < list.length;
      for (let i = 0; i < ids.length; i++) {
        if (isSparse) at = gallop(list, ids[i], at);
        else while (list[at] < ids[i]) at++;
        scores[i] += counted[impacts[at]] * share;
      }
    },
  };
}

function unionConstraint(termIndex: TermIndex, group: ResolvedGroup, scratch: QueryScratch): TermConstraint {
  const { matches, documents } = group;
  const { bits, impacts } = scratch;
  const termCount = matches.reduce((sum, { terms, phrases }) => sum + terms.length + phrases.flat().length, 0);
  // Looking a few items up takes less time than visiting the items of all terms.
  const isLookedUp = (ids: Uint32Array) => ids.length * termCount * STEPS_OF_LOOKUP < documents;
  return {
    size: documents,
    ids() {
      addItems(termIndex, matches, bits);
      return scratch.ids.subarray(0, drainBits(bits, scratch.ids));
    },
    narrow(ids, into) {
      let count = 0;
      if (isLookedUp(ids)) {
        const read = unionReader(termIndex, matches);
        for (let i = 0; i < ids.length; i++) if (read(ids[i]) > 0) into[count++] = ids[i];
        return count;
      }
      addItems(termIndex, matches, bits);
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i];
        into[count] = id;
        count += Number(hasBit(bits, id));
      }
      bits.fill(0);
      return count;
    },
    addScores(ids, scores, share) {
      if (isLookedUp(ids)) {
        const read = unionReader(termIndex, matches);
        for (let i = 0; i < ids.length; i++) scores[i] += read(ids[i]) * share;
        return;
      }
      raiseImpacts(termIndex, matches, impacts);
      for (let i = 0; i < ids.length; i++) scores[i] += impacts[ids[i]] * share;
      impacts.fill(0);
    },
  };
}

/** Adds every item of the group to `bits`. */
function addItems(termIndex: TermIndex, matches: readonly GroupMatch[], bits: Uint32Array): void {
  for (const { terms, phrases } of matches) {
    for (const term of terms) {
      const column = columnOf(termIndex, term, itemsOf(termIndex));
      if (column !== null) {
        addColumn(column, bits);
        continue;
      }
      // Thousands of terms can begin with a prefix: views of their few items would take longer than reading them.
      const { ids, starts } = termIndex;
      const end = starts[term + 1];
      for (let at = starts[term]; at < end; at++) bits[ids[at] >>> 5] |= 1 << (ids[at] & 31);
    }
    for (const phrase of phrases) eachPosting(termIndex, phrase, (id) => (bits[id >>> 5] |= 1 << (id & 31)));
  }
}

function addColumn(column: Uint8Array, bits: Uint32Array): void {
  for (let word = 0; word < bits.length; word++) {
    const first = word << 5;
    const end = Math.min(column.length, first + 32);
    let found = 0;
    for (let id = first; id < end; id++) found |= oneIfPositive(column[id]) << (id & 31);
    bits[word] |= found;
  }
}

/** Raises the impact of each item of the group to that of its best match. */
function raiseImpacts(termIndex: TermIndex, matches: readonly GroupMatch[], into: Uint8Array): void {
  for (const { terms, phrases, impacts: counted } of matches) {
    for (const term of terms) {
      const column = columnOf(termIndex, term, into.length);
      if (column !== null) {
        for (let id = 0; id < column.length; id++) into[id] = greater(into[id], counted[column[id]]);
        continue;
      }
      const { ids, impacts } = termIndex;
      const end = termIndex.starts[term + 1];
      for (let at = termIndex.starts[term]; at < end; at++) {
        const id = ids[at];
        into[id] = greater(into[id], counted[impacts[at]]);
      }
    }
    for (const phrase of phrases)
      eachPosting(termIndex, phrase, (id, impact) => (into[id] = greater(into[id], counted[impact])));
  }
}

/** Reads the impact of a group in items of ascending id; 0 if an item does not match. */
function unionReader(termIndex: TermIndex, matches: readonly GroupMatch[]): (id: number) => number {
  const readers = matches.flatMap(({ terms, phrases, impacts: counted }) =>
    [...terms.map((term) => [term]), ...phrases].map((phrase) => {
      const read = leastReader(termIndex, phrase);
      return (id: number) => counted[read(id)];
    }),
  );
  return (id) => {
    let best = 0;
    for (const read of readers) best = Math.max(best, read(id));
    return best;
  };
}

/** Visits the items with all of the terms, with the least impact among them. */
function eachPosting(
  termIndex: TermIndex,
  terms: readonly number[],
  visit: (id: number, impact: number) => void,
): void {
  const [rarest, ...others] = terms.toSorted((a, b) => termIndex.documents[a] - termIndex.documents[b]);
  const readOthers = leastReader(termIndex, others);
  eachId(termIndex, rarest, (id, impact) => {
    const least = Math.min(impact, readOthers(id));
    if (least > 0) visit(id, least);
  });
}

/** Reads the least impact of some terms in items of ascending id; 0 if an item does not have all of them. */
function leastReader(termIndex: TermIndex, terms: readonly number[]): (id: number) => number {
  const readers = terms.map((term) => impactReader(termIndex, term));
  return (id) => {
    let least = IMPACT_MAX;
    for (const read of readers) least = Math.min(least, read(id));
    return least;
  };
}

/** Reads the impact of a term in items of ascending id; 0 if an item does not have it. */
function impactReader(termIndex: TermIndex, term: number): (id: number) => number {
  const column = columnOf(termIndex, term, itemsOf(termIndex));
  if (column !== null) return (id) => column[id];
  const [ids, impacts] = listOf(termIndex, term);
  let at = 0;
  return (id) => {
    at = gallop(ids, id, at);
    return ids[at] === id ? impacts[at] : 0;
  };
}

function eachId(termIndex: TermIndex, term: number, visit: (id: number, impact: number) => void): void {
  const column = columnOf(termIndex, term, itemsOf(termIndex));
  if (column !== null) {
    for (let id = 0; id < column.length; id++) if (column[id] > 0) visit(id, column[id]);
    return;
  }
  const [ids, impacts] = listOf(termIndex, term);
  for (let at = 0; at < ids.length; at++) visit(ids[at], impacts[at]);
}

export function impactIn(termIndex: TermIndex, term: number, id: number): number {
  return impactReader(termIndex, term)(id);
}

function listOf({ ids, impacts, starts }: TermIndex, term: number): [Uint32Array, Uint8Array] {
  return [ids.subarray(starts[term], starts[term + 1]), impacts.subarray(starts[term], starts[term + 1])];
}

function itemsOf({ nameStarts }: TermIndex): number {
  return nameStarts.length - 1;
}

function columnOf(termIndex: TermIndex, term: number, items: number): Uint8Array | null {
  const column = termIndex.columnOf[term];
  return column === NO_COLUMN ? null : termIndex.columns.subarray(column * items, (column + 1) * items);
}
