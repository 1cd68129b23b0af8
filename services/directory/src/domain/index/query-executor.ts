/**
 * Resolves filters to matching ids, and these to a page. The rarest constraint lists its items and the others narrow
 * the list, rarest first. The total is exact and independent of the page.
 */
import { typesOf, type Filters, type NormalQuery } from "../catalogue.ts";
import { distanceKm } from "../geo.ts";
import { DEPARTEMENT_NUMBERS, REGION_NUMBERS, TYPE_NUMBERS } from "./index-views.ts";
import {
  columnConstraint,
  nearConstraint,
  NOTHING,
  tagConstraint,
  withoutTagsConstraint,
  type Constraint,
  type NearConstraint,
} from "./constraints.ts";
import { changedConstraint } from "./changed-constraint.ts";
import { IMPACT_MAX } from "./impact-scores.ts";
import type { Column, IndexViews } from "./index-views.ts";
import { scratchFor, type QueryScratch } from "./query-scratch.ts";
import { pageByKey, pageByOrder, pageByScore, pageByTitle, type Window } from "./top-k-page.ts";
import { addBits, bitsFor, hasBit } from "./posting-sets.ts";
import { prefixConstraint, termConstraint, type TermConstraint } from "./word-constraints.ts";
import { readTags, readTerms } from "./read-filters.ts";

export interface Matches {
  /** Ascending. A view that the next query overwrites: read it before any `await`. */
  readonly ids: Uint32Array;
  readonly termConstraints: readonly TermConstraint[];
  readonly near: NearConstraint | null;
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly unknownTags: readonly string[];
}

export interface FoundPage {
  readonly total: number;
  readonly ids: Uint32Array;
  readonly distances: readonly number[] | null;
  readonly corrected: Matches["corrected"];
  readonly unknownTags: readonly string[];
}

export interface Matcher {
  match(filters: Filters): Matches;
  page(query: PageQuery): FoundPage;
}

type PageQuery = Omit<NormalQuery, "variant">;

interface Searched {
  readonly index: IndexViews;
  readonly scratch: QueryScratch;
  readonly vocabulary: Parameters<typeof readTerms>[0];
}

export function createMatcher(index: IndexViews): Matcher {
  const vocabulary = { ...index.termIndex, alphabet: Array.from(Buffer.from(index.termIndex.alphabet).toString()) };
  const searched: Searched = { index, scratch: scratchFor(index.count), vocabulary };
  return {
    match: (filters) => match(searched, filters),
    page(query) {
      const matches = match(searched, query);
      const { near, corrected, unknownTags } = matches;
      const total = matches.ids.length;
      const ids = pageOf(searched, matches, query);
      const distances = near === null ? null : Array.from(ids, (id) => distanceKm(near.chord(id)));
      return { total, ids, distances, corrected, unknownTags };
    },
  };
}

function match(searched: Searched, filters: Filters): Matches {
  const { index, scratch } = searched;
  const constraints = areaConstraints(searched, filters);
  const { included, excluded, unknown } = readTags(index.tags, filters);
  for (const anyOf of included) constraints.push(anyOf.length === 0 ? NOTHING : tagConstraint(index, anyOf, scratch));
  if (excluded.length > 0) constraints.push(withoutTagsConstraint(index, excluded, scratch));
  if (filters.changedAfter !== null) constraints.push(changedConstraint(index, filters.changedAfter, scratch));
  const near = filters.near === null ? null : nearConstraint(index, filters.near, scratch);
  if (near !== null) constraints.push(near);
  const { termConstraints, corrected } = termConstraintsOf(searched, filters);
  constraints.push(...termConstraints);
  return {
    ids: intersection(constraints, scratch),
    termConstraints,
    near,
    corrected,
    unknownTags: unknown,
  };
}

function areaConstraints({ index, scratch }: Searched, filters: Filters): Constraint[] {
  const column = (source: Column, numbers: ReadonlyMap<string, number>, codes: readonly string[]): Constraint => {
    const values = codes.flatMap((code) => numbers.get(code) ?? []);
    return values.length === 0 ? NOTHING : columnConstraint(source, values, scratch);
  };
  const { departement, departements, regions } = filters;
  const types = typesOf(filters);
  return [
    ...(types === null ? [] : [column(index.type, TYPE_NUMBERS, types)]),
    ...(departement === null ? [] : [column(index.departement, DEPARTEMENT_NUMBERS, [departement])]),
    ...(departements.length === 0 ? [] : [column(index.departement, DEPARTEMENT_NUMBERS, departements)]),
    ...(regions.length === 0 ? [] : [column(index.region, REGION_NUMBERS, regions)]),
  ];
}

function termConstraintsOf({ index, scratch, vocabulary }: Searched, { text, correct }: Filters) {
  if (text === null) return { termConstraints: [], corrected: null };
  const { terms, corrected } = readTerms(vocabulary, text, { correct });
  const termConstraints = terms.map(({ term, range }): TermConstraint => {
    if (range !== null && range.from < range.to) return prefixConstraint(index.termIndex, term, range, scratch);
    return term < 0 ? NO_TERM : termConstraint(index.termIndex, term, scratch);
  });
  return { termConstraints, corrected };
}

const NO_TERM: TermConstraint = { ...NOTHING, addScores: () => {} };

function intersection(constraints: Constraint[], scratch: QueryScratch): Uint32Array {
  constraints.sort((a, b) => a.size - b.size);
  const [rarest, ...others] = constraints;
  if (rarest === undefined) return scratch.everyId;
  if (rarest.size === 0) return NOTHING.ids();
  let ids = rarest.ids();
  for (const other of others) {
    if (ids.length === 0) break;
    ids = scratch.ids.subarray(0, other.narrow(ids, scratch.ids));
  }
  return ids;
}

function pageOf({ index, scratch }: Searched, { ids, termConstraints, near }: Matches, query: PageQuery): Uint32Array {
  const window: Window = query;
  if (window.limit === 0 || window.offset >= ids.length) return new Uint32Array(0);
  switch (query.sort) {
    case "title":
      return pageByTitle(ids, window);
    case "relevance": {
      const scores = scratch.scores.subarray(0, ids.length).fill(0);
      for (const constraint of termConstraints) constraint.addScores(ids, scores);
      return pageByScore(ids, scores, termConstraints.length * IMPACT_MAX, window);
    }
    case "distance": {
      if (near === null) return pageByTitle(ids, window);
      const keys = scratch.keys.subarray(0, ids.length);
      for (let i = 0; i < ids.length; i++) keys[i] = near.chord(ids[i]);
      return pageByKey(ids, keys, window);
    }
    case "updated_at":
    case "-updated_at": {
      const order = { order: index.updateOrder, groups: index.updateGroups, descending: query.sort === "-updated_at" };
      const bits = bitsFor(index.count);
      addBits(bits, ids);
      return pageByOrder((id) => hasBit(bits, id), order, window);
    }
  }
}
