/**
 * The third voice: a catalogue that looks at every item for every query. It shares with the engines only what the contract calls
 * shared (reading of text, impact formula, chord and its bound), and keeps neither list nor index.
 */
import type { FacetName } from "@triptych/contracts";
import { analyse, analyseQuery, isCorrectable, letterCount } from "../../src/domain/analyse.ts";
import type {
  Facets,
  FacetValue,
  Filters,
  ItemFields,
  NormalQuery,
  StoredItem,
  TagLabel,
} from "../../src/domain/catalogue.ts";
import { chordBound, distanceKm, squaredChord, unitVector } from "../../src/domain/geo.ts";
import { lengthNorm, quantise, rarity, rawImpact, WEIGHT_MAX } from "../../src/domain/index/impact.ts";
import { textsOf } from "../../src/domain/index/item-text.ts";

interface Row {
  readonly item: ItemFields;
  /** Weight per term, words as written, sum of weights. */
  readonly weights: ReadonlyMap<string, number>;
  readonly surfaces: ReadonlySet<string>;
  readonly length: number;
}

export interface OracleAnswer {
  readonly total: number;
  readonly hits: readonly { id: string; distanceKm: number | null }[];
  readonly corrected: Record<string, string> | null;
  readonly unknownTags: readonly string[];
}

export function openOracle(items: readonly StoredItem[], tagLabels: readonly TagLabel[]) {
  const labels = new Map(tagLabels.map(({ slug, label }) => [slug, label]));
  const { compare } = new Intl.Collator("fr", { sensitivity: "variant", numeric: true });
  const rows = items.map(({ item }) => rowOf(item, labels));
  rows.sort((a, b) => compare(a.item.title, b.item.title) || byBytes(idOf(a.item), idOf(b.item)));

  const totalLength = rows.reduce((sum, row) => sum + row.length, 0);
  const documentsOf = (term: string) => rows.filter((row) => row.weights.has(term)).length;
  const documents = new Map(
    [...new Set(rows.flatMap((row) => [...row.weights.keys()]))].map((term) => [term, documentsOf(term)]),
  );
  const surfaces = new Map<string, number>();
  for (const row of rows) for (const word of row.surfaces) surfaces.set(word, (surfaces.get(word) ?? 0) + 1);
  const vocabulary = [...surfaces.keys()].sort(byBytes);
  const raw = (row: Row, term: string) =>
    rawImpact(
      rarity(documents.get(term) ?? 0, rows.length),
      lengthNorm(row.length, totalLength, rows.length),
      row.weights.get(term) ?? 0,
    );
  const greatest = Math.max(0, ...rows.flatMap((row) => [...row.weights.keys()].map((term) => raw(row, term))));
  const impact = (row: Row, term: string) => (row.weights.has(term) ? quantise(raw(row, term), greatest) : 0);

  function readText(text: string, correct: boolean) {
    const { words, unfinished } = analyseQuery(text);
    const corrected: Record<string, string> = {};
    const wanted = new Map<string, string[]>();
    words.forEach((word, position) => {
      let { surface, term } = word;
      const isUnknown = !documents.has(term) && !vocabulary.some((known) => known.startsWith(surface));
      if (correct && !word.stop && isCorrectable(surface) && isUnknown) {
        const near = vocabulary.filter((known) => distance(known, surface) === 1);
        near.sort((a, b) => (surfaces.get(b) ?? 0) - (surfaces.get(a) ?? 0) || byBytes(a, b));
        if (near.length > 0) [{ surface, term }] = analyse((corrected[surface] = near[0]));
      }
      const isPrefix = unfinished && position === words.length - 1;
      const longer = isPrefix
        ? vocabulary.filter((known) => known.startsWith(surface)).flatMap((known) => analyse(known))
        : [];
      if (!wanted.has(term))
        wanted.set(
          term,
          longer.map((one) => one.term),
        );
    });
    return { wanted, corrected: Object.keys(corrected).length > 0 ? corrected : null };
  }

  function evaluate(filters: Filters) {
    const { wanted, corrected } =
      filters.text === null
        ? { wanted: new Map<string, string[]>(), corrected: null }
        : readText(filters.text, filters.correct);
    const center = filters.near === null ? null : unitVector(filters.near.lat, filters.near.lon);
    const bound = filters.near === null ? 0 : chordBound(filters.near.radiusKm);
    const matches = rows.flatMap((row) => {
      const { item } = row;
      const isWanted =
        (filters.types.length === 0 || filters.types.includes(item.type)) &&
        (filters.departement === null || filters.departement === item.departement?.code) &&
        (filters.departements.length === 0 || filters.departements.includes(item.departement?.code ?? "")) &&
        (filters.regions.length === 0 || filters.regions.includes(item.region?.code ?? "")) &&
        filters.tags.every((anyOf) => anyOf.some((tag) => item.tags.includes(tag)));
      const scores = [...wanted].map(([term, longer]) =>
        Math.max(impact(row, term), ...longer.map((one) => Math.ceil(impact(row, one) / 2))),
      );
      const chord =
        center === null
          ? 0
          : item.location === null
            ? Infinity
            : squaredChord(center, unitVector(item.location.lat, item.location.lon));
      if (!isWanted || scores.includes(0) || chord > bound) return [];
      return [
        {
          item,
          chord,
          score: scores.reduce((sum, score) => sum + score, 0),
          distanceKm: center === null ? null : distanceKm(chord),
        },
      ];
    });
    return { matches, corrected };
  }

  function search(query: NormalQuery): OracleAnswer {
    const { matches, corrected } = evaluate(query);
    const time = (item: ItemFields) => Date.parse(item.updated_at);
    // Rows stand in title order and sorting is stable, so every tie falls to it.
    if (query.sort === "relevance") matches.sort((a, b) => b.score - a.score);
    if (query.sort === "distance") matches.sort((a, b) => a.chord - b.chord);
    if (query.sort === "updated_at") matches.sort((a, b) => time(a.item) - time(b.item));
    if (query.sort === "-updated_at") matches.sort((a, b) => time(b.item) - time(a.item));
    const page = matches.slice(query.offset, query.offset + query.limit);
    const unknownTags = [...new Set(query.tags.flat())].filter(
      (tag) => !rows.some(({ item }) => item.tags.includes(tag)),
    );
    return {
      total: matches.length,
      hits: page.map(({ item, distanceKm }) => ({ id: idOf(item), distanceKm })),
      corrected,
      unknownTags: unknownTags.sort(),
    };
  }

  function facets(filters: Filters, names: readonly FacetName[]): Facets {
    const { matches } = evaluate(filters);
    const typeLabels = { actor: "Acteur", place: "Lieu", article: "Article" };
    const valuesOf = (item: ItemFields, name: FacetName): { value: string; label: string }[] => {
      if (name === "type") return [{ value: item.type, label: typeLabels[item.type] }];
      if (name === "tag") return item.tags.map((tag) => ({ value: tag, label: labels.get(tag) ?? tag }));
      const area = item[name];
      return area === null ? [] : [{ value: area.slug, label: area.nom }];
    };
    return Object.fromEntries(
      names.map((name) => {
        const counts = new Map<string, FacetValue>();
        for (const { value, label } of matches.flatMap(({ item }) => valuesOf(item, name))) {
          counts.set(value, { value, label, count: (counts.get(value)?.count ?? 0) + 1 });
        }
        return [
          name,
          [...counts.values()].sort((a, b) => b.count - a.count || byBytes(a.value, b.value)).slice(0, 200),
        ];
      }),
    );
  }

  return { search, facets };
}

function rowOf(item: ItemFields, labels: ReadonlyMap<string, string>): Row {
  const weights = new Map<string, number>();
  const surfaces = new Set<string>();
  let length = 0;
  for (const { text, weight, keepsStopWords } of textsOf(item, (slug) => labels.get(slug))) {
    for (const word of analyse(text)) {
      if (word.stop && !keepsStopWords) continue;
      weights.set(word.term, Math.min(WEIGHT_MAX, (weights.get(word.term) ?? 0) + weight));
      if (!word.stop) surfaces.add(word.surface);
      length += weight;
    }
  }
  return { item, weights, surfaces, length };
}

/** Damerau-Levenshtein, optimal string alignment: the textbook table. Words of different length by 2 or more are told apart first. */
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

function idOf(item: ItemFields): string {
  return `${item.type}/${item.slug}`;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
