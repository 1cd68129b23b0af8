/** Groups of words as constraints that also add their impact to scores. */
import { NO_COLUMN, type TermIndex } from "./build-term-sections.ts";
import type { Constraint } from "./constraints.ts";
import { IMPACT_MAX, prefixImpact, synonymImpact } from "./impact-scores.ts";
import type { QueryScratch } from "./query-scratch.ts";
import { gallop, intersect } from "./posting-sets.ts";
import type { ResolvedGroup } from "./resolve-groups.ts";

export interface TermConstraint extends Constraint {
  /** Adds `share` times the impact for each of `ids`, which all satisfy it, to the parallel `scores`. */
  addScores(ids: Uint32Array, scores: Uint16Array, share: number): void;
}

/** Smaller unions are lists; larger ones are columns of one byte per item. */
const LIST_SHARE = 1 / 64;
/** Comparisons of a binary search. */
const STEPS_OF_LOOKUP = 16;

export function groupConstraint(termIndex: TermIndex, group: ResolvedGroup, scratch: QueryScratch): TermConstraint {
  const { alternatives, prefixTerms, documents } = group;
  if (alternatives.length + prefixTerms.length === 0) return NO_TERM;
  const [exact] = alternatives;
  if (prefixTerms.length === 0 && alternatives.length === 1 && exact.length === 1 && !group.isSynonymOnly)
    return termConstraint(termIndex, exact[0], scratch);
  return documents <= scratch.count * LIST_SHARE
    ? unionList(termIndex, group, scratch)
    : unionColumn(termIndex, group, scratch);
}

const NO_TERM: TermConstraint = {
  size: 0,
  ids: () => new Uint32Array(0),
  narrow: () => 0,
  addScores: () => {},
};

export function termConstraint(termIndex: TermIndex, term: number, scratch: QueryScratch): TermConstraint {
  const size = termIndex.documents[term];
  const column = columnOf(termIndex, term, scratch.count);
  return column === null ? listConstraint(...listOf(termIndex, term)) : columnConstraint(size, () => column, scratch);
}

/** @param impactsOf fills the column, at most once, when it is first read. */
function columnConstraint(size: number, impactsOf: () => Uint8Array, scratch: QueryScratch): TermConstraint {
  return {
    size,
    ids() {
      const column = impactsOf();
      const into = scratch.ids;
      let count = 0;
      // Branchless: always writes and advances only on a match, because a misprediction costs more than a write.
      for (let id = 0; id < column.length; id++) {
        into[count] = id;
        count += column[id] === 0 ? 0 : 1;
      }
      return into.subarray(0, count);
    },
    narrow(ids, into) {
      const column = impactsOf();
      let count = 0;
      for (let i = 0; i < ids.length; i++) {
        const id = ids[i];
        into[count] = id;
        count += column[id] === 0 ? 0 : 1;
      }
      return count;
    },
    addScores(ids, scores, share) {
      const column = impactsOf();
      for (let i = 0; i < ids.length; i++) scores[i] += column[ids[i]] * share;
    },
  };
}

function listConstraint(list: Uint32Array, impacts: Uint8Array): TermConstraint {
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
        scores[i] += impacts[at] * share;
      }
    },
  };
}

function unionList(
  termIndex: TermIndex,
  { alternatives, prefixTerms, isSynonymOnly }: ResolvedGroup,
  { ids: found, impacts: best }: QueryScratch,
): TermConstraint {
  let count = 0;
  const raise = (id: number, impact: number) => {
    if (impact <= best[id]) return;
    if (best[id] === 0) found[count++] = id;
    best[id] = impact;
  };
  for (const term of prefixTerms) eachPosting(termIndex, [term], (id, impact) => raise(id, prefixImpact(impact)));
  for (const [position, terms] of alternatives.entries()) {
    const isSynonym = position > 0 || isSynonymOnly;
    eachPosting(termIndex, terms, (id, impact) => raise(id, isSynonym ? synonymImpact(impact) : impact));
  }
  const ids = found.slice(0, count).sort();
  const impacts = new Uint8Array(count);
  for (let at = 0; at < count; at++) {
    impacts[at] = best[ids[at]];
    best[ids[at]] = 0;
  }
  return listConstraint(ids, impacts);
}

function unionColumn(termIndex: TermIndex, group: ResolvedGroup, scratch: QueryScratch): TermConstraint {
  const { alternatives, prefixTerms, isSynonymOnly, documents } = group;
  let filled: Uint8Array | null = null;
  const fill = (): Uint8Array => {
    const { impacts, words } = scratch.takeColumn();
    for (const term of prefixTerms) mergeTerm(termIndex, term, impacts);
    if (prefixTerms.length > 0) halveAll(words);
    for (const [position, terms] of alternatives.entries()) {
      if (position === 0 && !isSynonymOnly && terms.length === 1) {
        mergeTerm(termIndex, terms[0], impacts);
        continue;
      }
      const isSynonym = position > 0 || isSynonymOnly;
      eachPosting(termIndex, terms, (id, impact) => {
        const counted = isSynonym ? synonymImpact(impact) : impact;
        if (counted > impacts[id]) impacts[id] = counted;
      });
    }
    return impacts;
  };
  const column = columnConstraint(documents, () => (filled ??= fill()), scratch);
  const terms = prefixTerms.length + alternatives.flat().length;
  // Looking a few items up takes less time than filling a column with the items of all terms.
  const isLookedUp = (ids: Uint32Array) => filled === null && ids.length * terms * STEPS_OF_LOOKUP < documents;
  return {
    size: documents,
    ids: () => column.ids(),
    narrow(ids, into) {
      if (!isLookedUp(ids)) return column.narrow(ids, into);
      const read = unionReader(termIndex, group);
      let count = 0;
      for (let at = 0; at < ids.length; at++) if (read(ids[at]) > 0) into[count++] = ids[at];
      return count;
    },
    addScores(ids, scores, share) {
      if (!isLookedUp(ids)) return column.addScores(ids, scores, share);
      const read = unionReader(termIndex, group);
      for (let at = 0; at < ids.length; at++) scores[at] += read(ids[at]) * share;
    },
  };
}

/** Reads the impact of a group in items of ascending id; 0 if an item does not match. */
function unionReader(
  termIndex: TermIndex,
  { alternatives, prefixTerms, isSynonymOnly }: ResolvedGroup,
): (id: number) => number {
  const readers = prefixTerms.map((term) => {
    const read = impactReader(termIndex, term);
    return (id: number) => prefixImpact(read(id));
  });
  for (const [position, terms] of alternatives.entries()) {
    const isSynonym = position > 0 || isSynonymOnly;
    const read = leastReader(termIndex, terms);
    readers.push(isSynonym ? (id) => synonymImpact(read(id)) : read);
  }
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
  const column = columnOf(termIndex, term, termIndex.nameStarts.length - 1);
  if (column !== null) return (id) => column[id];
  const [ids, impacts] = listOf(termIndex, term);
  let at = 0;
  return (id) => {
    at = gallop(ids, id, at);
    return ids[at] === id ? impacts[at] : 0;
  };
}

function eachId(termIndex: TermIndex, term: number, visit: (id: number, impact: number) => void): void {
  const column = columnOf(termIndex, term, termIndex.nameStarts.length - 1);
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

function mergeTerm(termIndex: TermIndex, term: number, column: Uint8Array): void {
  const source = columnOf(termIndex, term, column.length);
  if (source !== null) return raise(column, source);
  const { ids, impacts } = termIndex;
  const end = termIndex.starts[term + 1];
  for (let at = termIndex.starts[term]; at < end; at++)
    if (impacts[at] > column[ids[at]]) column[ids[at]] = impacts[at];
}

/** Branchless, because the comparison is unpredictable. */
function raise(column: Uint8Array, source: Uint8Array): void {
  for (let id = 0; id < column.length; id++) column[id] = Math.max(column[id], source[id]);
}

/** Halves four impacts at a time, rounding up: each byte without its last bit, halved, plus that bit. */
function halveAll(words: Uint32Array): void {
  for (let at = 0; at < words.length; at++) {
    const four = words[at];
    if (four !== 0) words[at] = ((four & 0xfefefefe) >>> 1) + (four & 0x01010101);
  }
}

function columnOf(termIndex: TermIndex, term: number, items: number): Uint8Array | null {
  const column = termIndex.columnOf[term];
  return column === NO_COLUMN ? null : termIndex.columns.subarray(column * items, (column + 1) * items);
}
