/**
 * Resolves filters to matching ids, and these to a page. The rarest constraint lists its items and the others narrow
 * the list, rarest first. The total is exact and independent of the page.
 */
import { typesOf, type Filters, type NormalQuery } from "../catalogue.ts";
import { distanceKm } from "../geo.ts";
import { DEPARTEMENT_NUMBERS, REGION_NUMBERS, TYPE_NUMBERS } from "./area-numbers.ts";
import {
  columnConstraint,
  nearConstraint,
  NOTHING,
  tagConstraint,
  withoutTagsConstraint,
  type Constraint,
  type NearConstraint,
} from "./constraints.ts";
import { IMPACT_MAX } from "./impact-scores.ts";
import type { Column, IndexViews } from "./index-views.ts";
import { readTags } from "./read-tags.ts";
import { scratchFor } from "./query-scratch.ts";
import { pageByKey, pageByOrder, pageByScore, pageByTitle, pageOfWholeOrder, type Window } from "./top-k-page.ts";
import { addBits, bitsFor, hasBit } from "./posting-sets.ts";
import { prefixConstraint, termConstraint, type TermConstraint } from "./word-constraints.ts";
import { readTerms } from "./word-query.ts";

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
  page(query: Omit<NormalQuery, "variant">): FoundPage;
}

export function createMatcher(index: IndexViews): Matcher {
  const scratch = scratchFor(index.count);
  const vocabulary = { ...index.termIndex, alphabet: Array.from(Buffer.from(index.termIndex.alphabet).toString()) };

  const column = (source: Column, numbers: ReadonlyMap<string, number>, codes: readonly string[]): Constraint => {
    const values = codes.flatMap((code) => numbers.get(code) ?? []);
    return values.length === 0 ? NOTHING : columnConstraint(source, values, scratch);
  };

  const match = (filters: Filters): Matches => {
    const constraints: Constraint[] = [];
    const types = typesOf(filters);
    if (types !== null) constraints.push(column(index.type, TYPE_NUMBERS, types));
    if (filters.departement !== null)
      constraints.push(column(index.departement, DEPARTEMENT_NUMBERS, [filters.departement]));
    if (filters.departements.length > 0)
      constraints.push(column(index.departement, DEPARTEMENT_NUMBERS, filters.departements));
    if (filters.regions.length > 0) constraints.push(column(index.region, REGION_NUMBERS, filters.regions));

    const { included, excluded, unknown } = readTags(index.tags, filters);
    for (const anyOf of included) constraints.push(anyOf.length === 0 ? NOTHING : tagConstraint(index, anyOf, scratch));
    if (excluded.length > 0) constraints.push(withoutTagsConstraint(index, excluded, scratch));

    const near = filters.near === null ? null : nearConstraint(index, filters.near, scratch);
    if (near !== null) constraints.push(near);

    const termConstraints: TermConstraint[] = [];
    let corrected: Matches["corrected"] = null;
    if (filters.text !== null) {
      const query = readTerms(vocabulary, filters.text, { correct: filters.correct });
      corrected = query.corrected;
      for (const { term, range } of query.terms) {
        if (range !== null && range.from < range.to)
          termConstraints.push(prefixConstraint(index.termIndex, term, range, scratch));
        else if (term >= 0) termConstraints.push(termConstraint(index.termIndex, term, scratch));
        else constraints.push(NOTHING);
      }
    }
    constraints.push(...termConstraints);
    return { ids: intersection(constraints), termConstraints, near, corrected, unknownTags: unknown };
  };

  const intersection = (constraints: Constraint[]): Uint32Array => {
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
  };

  const pageOf = ({ ids, termConstraints, near }: Matches, query: Omit<NormalQuery, "variant">): Uint32Array => {
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
        const order = {
          order: index.updateOrder,
          groups: index.updateGroups,
          descending: query.sort === "-updated_at",
        };
        if (ids.length === index.count) return pageOfWholeOrder(order, window);
        const bits = bitsFor(index.count);
        addBits(bits, ids);
        return pageByOrder((id) => hasBit(bits, id), order, window);
      }
    }
  };

  return {
    match,
    page(query) {
      const matches = match(query);
      const { near, corrected, unknownTags } = matches;
      const total = matches.ids.length;
      const ids = pageOf(matches, query);
      const distances = near === null ? null : Array.from(ids, (id) => distanceKm(near.chord(id)));
      return { total, ids, distances, corrected, unknownTags };
    },
  };
}
