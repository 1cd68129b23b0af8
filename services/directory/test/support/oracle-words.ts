/** Text search of the oracle: the words of each item in a map, the vocabulary in a list that is scanned. */
import { analyse, splitFolded, fold, STOP_WORDS, termOf } from "../../src/domain/analyse.ts";
import type { Filters, ItemFields } from "../../src/domain/catalogue.ts";
import { communeSlug, slugsOfTown } from "../../src/domain/filter-keys.ts";
import {
  impactOf,
  lengthNorm,
  prefixImpact,
  rarity,
  sharesOf,
  synonymImpact,
  textsOf,
  WEIGHT_MAX,
} from "../../src/domain/index/impact-scores.ts";
import {
  addWord,
  createNameMatches,
  isWritten,
  nameScore,
  type MatchLevel,
} from "../../src/domain/index/rank-names.ts";
import { relaxText } from "../../src/domain/search/relax-text.ts";
import { planText, type CountMatches, type TextPlan } from "../../src/domain/search/text-plan.ts";
import { NEAR_MAX, type WordGroup, type WordLookup } from "../../src/domain/search/word-groups.ts";

export interface Row {
  readonly item: ItemFields;
  /** The weight of each term, the words as written, and the sum of weights. */
  readonly weights: ReadonlyMap<string, number>;
  readonly surfaces: ReadonlySet<string>;
  /** Terms of commune, area and tags. */
  readonly structured: ReadonlySet<string>;
  readonly length: number;
}

export interface Scored {
  readonly row: Row;
  readonly textScore: number;
}

export function readCorpus(items: readonly { readonly item: ItemFields }[], labels: ReadonlyMap<string, string>) {
  const rows = items.map(({ item }) => rowOf(item, labels));
  const totalLength = rows.reduce((sum, row) => sum + row.length, 0);
  const surfaces = new Map<string, number>();
  for (const row of rows) for (const surface of row.surfaces) surfaces.set(surface, (surfaces.get(surface) ?? 0) + 1);
  const vocabulary = [...surfaces.keys()].sort(byBytes);
  const longerThan = memoized((prefix: string) => vocabulary.filter((surface) => surface.startsWith(prefix)));
  const documents = memoized((term: string) => rows.filter(({ weights }) => weights.has(term)).length);

  const lookup: WordLookup = {
    items: rows.length,
    documents,
    structuredShare: memoized((term) => {
      const structured = rows.filter((row) => row.structured.has(term)).length;
      return structured === 0 ? 0 : structured / documents(term);
    }),
    has: (surface) => surfaces.has(surface),
    isCommune: memoized((surface) =>
      rows.some(({ item }) => slugsOfTown(surface).includes(communeSlug(item.commune?.nom ?? ""))),
    ),
    begins: (surface) => longerThan(surface).length > 0,
    near: (surface, most) =>
      vocabulary
        .map((candidate) => ({
          surface: candidate,
          edits: distance(candidate, surface, most),
          documents: surfaces.get(candidate) ?? 0,
        }))
        .filter(({ edits }) => edits > 0 && edits <= most)
        .sort((a, b) => a.edits - b.edits || b.documents - a.documents || byBytes(a.surface, b.surface))
        .slice(0, NEAR_MAX),
  };

  const impact = (row: Row, term: string) => {
    const weight = row.weights.get(term);
    return weight === undefined ? 0 : impactOf(lengthNorm(row.length, totalLength, rows.length), weight);
  };
  /** 0 when the group does not match. */
  const groupImpact = (row: Row, { alternatives, prefix }: WordGroup) => {
    const own = alternatives.map((terms, position) => {
      const least = Math.min(...terms.map((term) => impact(row, term)));
      return position === 0 ? least : least === 0 ? 0 : synonymImpact(least);
    });
    const longer = prefix === null ? [] : longerThan(prefix).map((surface) => impact(row, termOf(surface)));
    return Math.max(...own, ...longer.map((found) => (found === 0 ? 0 : prefixImpact(found))));
  };
  const sharesOfPlan = ({ groups }: TextPlan) =>
    sharesOf(
      groups.map(({ alternatives, prefix }) => {
        const known = alternatives.map((terms) => Math.min(...terms.map(documents)));
        const longer = new Set(prefix === null ? [] : longerThan(prefix).map(termOf));
        const total = [...known, ...Array.from(longer, documents)].reduce((sum, count) => sum + count, 0);
        return rarity(Math.min(rows.length, total), rows.length);
      }),
    );

  const scoresOf = ({ groups, phrases, excluded }: TextPlan, shares: readonly number[], row: Row): number | null => {
    const impacts = groups.map((group) => groupImpact(row, group));
    if (impacts.includes(0)) return null;
    const has = (phrase: readonly string[]) =>
      [row.item.title, row.item.commune?.nom ?? ""].some((name) => isIn(phrase, wordsOf(name).map(termOf)));
    const isExcluded = (phrase: readonly string[]) => (phrase.length === 1 ? row.weights.has(phrase[0]) : has(phrase));
    if (!phrases.every(has) || excluded.some(isExcluded)) return null;
    return impacts.reduce((sum, found, group) => sum + found * shares[group], 0);
  };

  const matching = (plan: TextPlan, candidates: readonly Row[]): Scored[] => {
    const shares = sharesOfPlan(plan);
    return candidates.flatMap((row) => {
      const textScore = scoresOf(plan, shares, row);
      return textScore === null ? [] : [{ row, textScore }];
    });
  };

  const level = ({ words, alternatives, prefix }: WordGroup, name: readonly string[], at: number): MatchLevel => {
    const word = name[at];
    const [own, ...synonyms] = alternatives;
    // A word of a phrase counts only beside the others.
    const isOwn = own.some((_, offset) => own.every((term, next) => termAt(name, at - offset + next) === term));
    if (isOwn) return isWritten(words, word) ? 3 : 2;
    const isSynonym = synonyms.some(
      (terms) => terms.every((term) => documents(term) > 0) && terms.includes(termOf(word)),
    );
    return isSynonym || (prefix !== null && word.startsWith(prefix)) ? 1 : 0;
  };
  const nameScoreOf = (plan: TextPlan, { item }: Row): number => {
    const matchesOf = (name: string) => {
      const matches = createNameMatches(plan.groups.length);
      const words = wordsOf(name);
      for (const at of words.keys())
        addWord(
          matches,
          plan.groups.map((group) => level(group, words, at)),
          lookup.structuredShare(termOf(words[at])) > 1 / 2,
        );
      return matches;
    };
    return nameScore(matchesOf(item.title), matchesOf(item.commune?.nom ?? ""), sharesOfPlan(plan));
  };

  /** @param candidates the rows that satisfy the other filters. */
  async function plan(filters: Filters, candidates: readonly Row[]): Promise<TextPlan | null> {
    const { text, correct, strict, synonyms } = filters;
    if (text === null) return null;
    const count: CountMatches = (counted) => Promise.resolve(matching(counted, candidates).length);
    const read = await planText(text, { correct, synonyms }, { lookup, count });
    if (strict || read.groups.length === 0) return read;
    return (await relaxText(read, { correct, found: await count(read), lookup, count })) ?? read;
  }

  return { rows, plan, matching, nameScoreOf };
}

function rowOf(item: ItemFields, labels: ReadonlyMap<string, string>): Row {
  const weights = new Map<string, number>();
  const surfaces = new Set<string>();
  const structured = new Set<string>();
  let length = 0;
  for (const { field, text, weight, keepsStopWords } of textsOf(item, (slug) => labels.get(slug))) {
    for (const token of analyse(text)) {
      if (token.stop && !keepsStopWords) continue;
      weights.set(token.term, Math.min(WEIGHT_MAX, (weights.get(token.term) ?? 0) + weight));
      if (!token.stop) surfaces.add(token.surface);
      if (field !== "title" && field !== "text") structured.add(token.term);
      length += weight;
    }
  }
  return { item, weights, surfaces, structured, length };
}

function wordsOf(name: string): string[] {
  return splitFolded(fold(name)).filter((word) => !STOP_WORDS.has(word));
}

function termAt(name: readonly string[], at: number): string | null {
  return name[at] === undefined ? null : termOf(name[at]);
}

function isIn(phrase: readonly string[], terms: readonly string[]): boolean {
  return terms.some((_, at) => phrase.every((term, offset) => terms[at + offset] === term));
}

function memoized<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const value = known.get(text) ?? compute(text);
    known.set(text, value);
    return value;
  };
}

/** Optimal string alignment over UTF-16 units: the textbook table. Too different lengths are excluded first. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  const d = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.length][b.length];
}

export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
