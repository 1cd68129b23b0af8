/**
 * Resolves filters to matching ids, and these to a page. The rarest constraint lists its items and the others narrow
 * the list, rarest first. The total is exact and independent of the page.
 */
import type { FacetName } from "@triptych/contracts";
import { typesOf, type Facets, type Filters, type NormalQuery } from "../catalogue.ts";
import { distanceKm } from "../geo.ts";
import { DEPARTEMENT_NUMBERS, pairOf, REGION_NUMBERS, TYPE_NUMBERS } from "./index-views.ts";
import {
  boxConstraint,
  columnConstraint,
  countAny,
  intersection,
  keysConstraint,
  nearConstraint,
  NOTHING,
  pairConstraint,
  tagConstraint,
  withoutKeysConstraint,
  withoutTagsConstraint,
  type Constraint,
  type NearConstraint,
} from "./constraints.ts";
import { changedConstraint } from "./changed-constraint.ts";
import { countFacets } from "./facets.ts";
import type { Column, IndexViews, KeyLists } from "./index-views.ts";
import { scratchFor, type QueryScratch } from "./query-scratch.ts";
import {
  idsOfKeys,
  pageByKey,
  pageByOrder,
  pageByScore,
  pageByTitle,
  pageOfAll,
  positionsByScore,
  rankKey,
  type Window,
} from "./top-k-page.ts";
import { addBits, bitsFor, hasBit } from "./posting-sets.ts";
import { phraseConstraints } from "./phrase-constraints.ts";
import { RANKED_MAX } from "./rank-names.ts";
import { createNameScore, resolveGroup, sharesOfGroups, type ResolvedGroup } from "./resolve-groups.ts";
import { groupConstraint, type TermConstraint } from "./word-constraints.ts";
import { keyRanges, prefixRanges, readTags } from "./read-filters.ts";
import { planText, type CountMatches, type TextPlan } from "../search/text-plan.ts";
import type { WordGroup } from "../search/word-groups.ts";
import { relaxText } from "../search/relax-text.ts";
import { createWordLookup, termPositions, type Vocabulary } from "./word-lookup.ts";
import type { Range } from "./string-table.ts";

export interface Matches {
  /** Ascending. A view that the next query overwrites: read it before any `await`. */
  readonly ids: Uint32Array;
  readonly words: MatchedWords;
  readonly near: NearConstraint | null;
  readonly unknownTags: readonly string[];
}

interface MatchedWords {
  readonly groups: readonly ResolvedGroup[];
  readonly constraints: readonly TermConstraint[];
}

export interface FoundPage {
  readonly total: number;
  readonly ids: Uint32Array;
  readonly distances: readonly number[] | null;
  readonly unknownTags: readonly string[];
}

export interface CountedFacets {
  readonly total: number;
  readonly facets: Facets;
}

export interface Matcher {
  within(filters: Filters): Search;
}

/** One query: its filters are read once, its words are looked up once. */
export interface Search {
  /** What the text of the query means in this version; null without a text. */
  plan(): Promise<TextPlan | null>;
  /** A looser plan for one that matches `found` items; null if it stays. */
  relax(plan: TextPlan | null, found: number): Promise<TextPlan | null>;
  match(plan: TextPlan | null): Matches;
  facets(plan: TextPlan | null, names: readonly FacetName[]): CountedFacets;
  page(sorted: SortedWindow, plan: TextPlan | null): FoundPage;
}

type SortedWindow = Window & Pick<NormalQuery, "sort">;

interface Searched {
  readonly index: IndexViews;
  readonly scratch: QueryScratch;
}

interface SearchContext extends Searched {
  readonly filtered: FilterConstraints;
  resolve(group: WordGroup): ResolvedGroup;
}

export function createMatcher(index: IndexViews): Matcher {
  const searched: Searched = { index, scratch: scratchFor(index.count) };
  const vocabulary = { ...index.termIndex, communes: index.commune.keys };
  return { within: (filters) => searchWithin(searched, filters, vocabulary) };
}

function searchWithin(searched: Searched, filters: Filters, vocabulary: Vocabulary): Search {
  const { index, scratch } = searched;
  const { text, correct, synonyms, strict } = filters;
  const positionOfTerm = termPositions(vocabulary.terms);
  const lookup = createWordLookup(vocabulary, index.count, positionOfTerm);
  const resolved = new Map<WordGroup, ResolvedGroup>();
  const context: SearchContext = {
    ...searched,
    filtered: filterConstraints(searched, filters),
    resolve(group) {
      let known = resolved.get(group);
      if (known === undefined) resolved.set(group, (known = resolveGroup(index.termIndex, group, positionOfTerm)));
      return known;
    },
  };
  const count: CountMatches = (plan, enough) => {
    const { constraints } = constraintsOf(context, plan);
    return Promise.resolve(enough === 1 ? countAny(constraints, scratch) : intersection(constraints, scratch).length);
  };
  return {
    plan: async () => (text === null ? null : planText(text, { correct, synonyms }, { lookup, count })),
    async relax(plan, found) {
      if (strict || plan === null || plan.groups.length === 0) return null;
      return relaxText(plan, { correct, found, lookup, count });
    },
    match: (plan) => match(context, plan),
    facets(plan, names) {
      const { ids } = match(context, plan);
      return { total: ids.length, facets: countFacets(index, ids, names, scratch) };
    },
    page(sorted, plan) {
      const matches = match(context, plan);
      const { near, unknownTags } = matches;
      const total = matches.ids.length;
      const ids = pageOf(searched, matches, sorted);
      const distances = near === null ? null : Array.from(ids, (id) => distanceKm(near.chord(id)));
      return { total, ids, distances, unknownTags };
    },
  };
}

interface FilterConstraints {
  readonly constraints: readonly Constraint[];
  readonly near: NearConstraint | null;
  readonly unknownTags: readonly string[];
}

function match(context: SearchContext, plan: TextPlan | null): Matches {
  const { constraints, words } = constraintsOf(context, plan);
  const { near, unknownTags } = context.filtered;
  return { ids: intersection(constraints, context.scratch), words, near, unknownTags };
}

function filterConstraints(searched: Searched, filters: Filters): FilterConstraints {
  const { index, scratch } = searched;
  const constraints = [...areaConstraints(searched, filters), ...keyConstraints(searched, filters)];
  const { included, excluded, unknown } = readTags(index.tags, filters);
  for (const anyOf of included) constraints.push(anyOf.length === 0 ? NOTHING : tagConstraint(index, anyOf, scratch));
  if (excluded.length > 0) constraints.push(withoutTagsConstraint(index, excluded, scratch));
  if (filters.changedAfter !== null) constraints.push(changedConstraint(index, filters.changedAfter, scratch));
  const near = filters.near === null ? null : nearConstraint(index, filters.near, scratch);
  if (near !== null) constraints.push(near);
  if (filters.box !== null) constraints.push(boxConstraint(index, filters.box, scratch));
  return { constraints, near, unknownTags: unknown };
}

/** Of the filters and the text. */
function constraintsOf({ index, scratch, filtered, resolve }: SearchContext, plan: TextPlan | null) {
  const groups = (plan?.groups ?? []).map(resolve);
  const words = { groups, constraints: groups.map((group) => groupConstraint(index.termIndex, group, scratch)) };
  const phrases = plan === null ? [] : phraseConstraints(index.termIndex, plan, scratch);
  return { constraints: [...filtered.constraints, ...words.constraints, ...phrases], words };
}

function areaConstraints({ index, scratch }: Searched, filters: Filters): Constraint[] {
  const numbersOf = (numbers: ReadonlyMap<string, number>, codes: readonly string[]) =>
    codes.flatMap((code) => numbers.get(code) ?? []);
  const column = (source: Column, values: readonly number[]): Constraint =>
    values.length === 0 ? NOTHING : columnConstraint(source, values, scratch);
  const { departement, departements, regions } = filters;
  const typed = typesOf(filters);
  const types = typed === null ? null : numbersOf(TYPE_NUMBERS, typed);
  const areas = [departement === null ? [] : [departement], departements]
    .filter((codes) => codes.length > 0)
    .map((codes) => numbersOf(DEPARTEMENT_NUMBERS, codes));
  const columns = [
    ...(types === null ? [] : [column(index.type, types)]),
    ...areas.map((values) => column(index.departement, values)),
  ];
  const isPair = types?.length === 1 && areas.length === 1 && areas[0].length === 1;
  return [
    ...(isPair ? [pairConstraint(index.departementTypes, pairOf(areas[0][0], types[0]), columns)] : columns),
    ...(regions.length === 0 ? [] : [column(index.region, numbersOf(REGION_NUMBERS, regions))]),
  ];
}

function keyConstraints({ index, scratch }: Searched, filters: Filters): Constraint[] {
  const { communes, insee, postalCodes, sources, excludedSources } = filters;
  const anyOf = (lists: KeyLists, ranges: readonly Range[]) =>
    ranges.length === 0 ? NOTHING : keysConstraint(lists, ranges, scratch);
  const excluded = keyRanges(index.source, excludedSources);
  return [
    ...(communes.length === 0 ? [] : [anyOf(index.commune, keyRanges(index.commune, communes))]),
    ...(insee.length === 0 ? [] : [anyOf(index.insee, keyRanges(index.insee, insee))]),
    ...(postalCodes.length === 0 ? [] : [anyOf(index.postalCodes, prefixRanges(index.postalCodes, postalCodes))]),
    ...(sources.length === 0 ? [] : [anyOf(index.source, keyRanges(index.source, sources))]),
    ...(excluded.length === 0 ? [] : [withoutKeysConstraint(index.source, excluded, scratch)]),
  ];
}

function pageOf(searched: Searched, { ids, words, near }: Matches, window: SortedWindow): Uint32Array {
  const { index, scratch } = searched;
  if (window.limit === 0 || window.offset >= ids.length) return new Uint32Array(0);
  switch (window.sort) {
    case "title":
      return pageByTitle(ids, window);
    case "relevance":
      return pageByRelevance(searched, { ids, words }, window);
    case "distance": {
      if (near === null) return pageByTitle(ids, window);
      const keys = scratch.keys.subarray(0, ids.length);
      for (let i = 0; i < ids.length; i++) keys[i] = near.chord(ids[i]);
      return pageByKey(ids, keys, window);
    }
    case "updated_at":
    case "-updated_at": {
      const order = { order: index.updateOrder, groups: index.updateGroups, descending: window.sort === "-updated_at" };
      if (ids.length === index.count) return pageOfAll(order, window);
      const bits = bitsFor(index.count);
      addBits(bits, ids);
      return pageByOrder((id) => hasBit(bits, id), order, window);
    }
  }
}

/** By text score; the best `RANKED_MAX` also by their names. */
function pageByRelevance(
  { index, scratch }: Searched,
  { ids, words }: Pick<Matches, "ids" | "words">,
  window: Window,
): Uint32Array {
  const { constraints, groups } = words;
  const shares = sharesOfGroups(groups, index.count);
  const scores = scratch.scores.subarray(0, ids.length).fill(0);
  for (const [group, constraint] of constraints.entries()) constraint.addScores(ids, scores, shares[group]);
  const idAt = (position: number) => ids[position];
  const page = (part: Window) => pageByScore(scores, part).map(idAt);
  if (groups.length === 0 || window.offset >= RANKED_MAX) return page(window);

  const scoreNames = createNameScore(index.termIndex, groups, shares);
  // The order of a few ids does not matter here: all of them are ranked below.
  const isSmall = ids.length <= RANKED_MAX;
  const best = isSmall
    ? scratch.everyId.subarray(0, ids.length)
    : positionsByScore(scores, { offset: 0, limit: RANKED_MAX });
  const ranked = scratch.keys.subarray(0, best.length);
  for (let at = 0; at < best.length; at++) {
    const id = ids[best[at]];
    ranked[at] = rankKey(scores[best[at]] + scoreNames(id), id);
  }
  ranked.sort();
  const end = window.offset + window.limit;
  const first = idsOfKeys(ranked.subarray(window.offset, end));
  if (end <= RANKED_MAX || isSmall) return first;
  const rest = page({ offset: RANKED_MAX, limit: end - RANKED_MAX });
  const both = new Uint32Array(first.length + rest.length);
  both.set(first);
  both.set(rest, first.length);
  return both;
}
