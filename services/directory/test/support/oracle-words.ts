/** Text search of the oracle: the words of each item in a map, the vocabulary in a list that is scanned. */
import { analyse, analyseQuery, isCorrectable, letterCount } from "../../src/domain/analyse.ts";
import type { ItemFields } from "../../src/domain/catalogue.ts";
import { lengthNorm, quantise, rarity, rawImpact, WEIGHT_MAX } from "../../src/domain/index/impact-scores.ts";
import { textsOf } from "../../src/domain/index/impact-scores.ts";

interface Row {
  readonly item: ItemFields;
  /** Weight per term, words as written, sum of weights. */
  readonly weights: ReadonlyMap<string, number>;
  readonly surfaces: ReadonlySet<string>;
  readonly length: number;
}

export function readCorpus(items: readonly { readonly item: ItemFields }[], labels: ReadonlyMap<string, string>) {
  const rows = items.map(({ item }) => rowOf(item, labels));
  const totalLength = rows.reduce((sum, row) => sum + row.length, 0);
  const documents = new Map<string, number>();
  const surfaces = new Map<string, number>();
  for (const row of rows) {
    for (const term of row.weights.keys()) documents.set(term, (documents.get(term) ?? 0) + 1);
    for (const token of row.surfaces) surfaces.set(token, (surfaces.get(token) ?? 0) + 1);
  }
  const vocabulary = [...surfaces.keys()].sort(byBytes);
  const raw = (row: Row, term: string) =>
    rawImpact(
      rarity(documents.get(term) ?? 0, rows.length),
      lengthNorm(row.length, totalLength, rows.length),
      row.weights.get(term) ?? 0,
    );
  const greatest = rows
    .flatMap((row) => [...row.weights.keys()].map((term) => raw(row, term)))
    .reduce((most, impact) => Math.max(most, impact), 0);
  const impact = (row: Row, term: string) => (row.weights.has(term) ? quantise(raw(row, term), greatest) : 0);

  /** Required terms, each with the longer terms that match it by prefix; and corrections. */
  function read(text: string, correct: boolean) {
    const { tokens, unfinished } = analyseQuery(text);
    const corrected: Record<string, string> = {};
    const terms = new Map<string, string[]>();
    tokens.forEach((token, position) => {
      let { surface, term } = token;
      const isUnknown = !documents.has(term) && !vocabulary.some((candidate) => candidate.startsWith(surface));
      if (correct && !token.stop && isCorrectable(surface) && isUnknown) {
        const near = vocabulary.filter((candidate) => distance(candidate, surface) === 1);
        near.sort((a, b) => (surfaces.get(b) ?? 0) - (surfaces.get(a) ?? 0) || byBytes(a, b));
        if (near.length > 0) [{ surface, term }] = analyse((corrected[surface] = near[0]));
      }
      const isPrefix = unfinished && position === tokens.length - 1;
      const longer = isPrefix
        ? vocabulary.filter((candidate) => candidate.startsWith(surface)).flatMap((candidate) => analyse(candidate))
        : [];
      if (!terms.has(term))
        terms.set(
          term,
          longer.map((longerToken) => longerToken.term),
        );
    });
    return { terms, corrected: Object.keys(corrected).length > 0 ? corrected : null };
  }

  return { rows, impact, read };
}

function rowOf(item: ItemFields, labels: ReadonlyMap<string, string>): Row {
  const weights = new Map<string, number>();
  const surfaces = new Set<string>();
  let length = 0;
  for (const { text, weight, keepsStopWords } of textsOf(item, (slug) => labels.get(slug))) {
    for (const token of analyse(text)) {
      if (token.stop && !keepsStopWords) continue;
      weights.set(token.term, Math.min(WEIGHT_MAX, (weights.get(token.term) ?? 0) + weight));
      if (!token.stop) surfaces.add(token.surface);
      length += weight;
    }
  }
  return { item, weights, surfaces, length };
}

/**
 * Damerau-Levenshtein, optimal string alignment: the textbook table. Lengths that differ by 2 or more are excluded
 * first.
 */
function distance(one: string, other: string): number {
  if (Math.abs(letterCount(one) - letterCount(other)) > 1) return 2;
  const [a, b] = [Array.from(one), Array.from(other)];
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
