/**
 * The test oracle: scans every item for every query, and every word for every text. Shares with the engines only text
 * analysis, the impact formula, and the chord and its bound; it has no lists and no index.
 */
import type { FacetName } from "@triptych/contracts";
import type {
  Box,
  Facets,
  FacetValue,
  Filters,
  ItemFields,
  NormalQuery,
  TagLabel,
  VersionedItem,
} from "../../src/domain/catalogue.ts";
import { communeSlug, postalCodeOf, sourceSlug } from "../../src/domain/filter-keys.ts";
import { chordBound, distanceKm, squaredChord, unitVector } from "../../src/domain/geo.ts";
import { RANKED_MAX } from "../../src/domain/index/rank-names.ts";
import type { Relaxed } from "../../src/domain/search/text-plan.ts";
import { byBytes, readCorpus, type Row } from "./oracle-words.ts";

export interface OracleAnswer {
  readonly total: number;
  readonly hits: readonly { id: string; distanceKm: number | null }[];
  readonly corrected: Readonly<Record<string, string>> | null;
  readonly relaxed: Relaxed | null;
  readonly unknownTags: readonly string[];
}

export type OracleItem = Pick<VersionedItem, "item"> & Partial<VersionedItem>;

export function openOracle(items: readonly OracleItem[], tagLabels: readonly TagLabel[]) {
  const labels = new Map(tagLabels.map(({ slug, label }) => [slug, label]));
  const versions = new Map(items.map(({ item, fromVersion }) => [item, fromVersion]));
  const { compare } = new Intl.Collator("fr", { sensitivity: "variant", numeric: true });
  const { rows, plan: planOf, matching, nameScoreOf } = readCorpus(items, labels);
  rows.sort((a, b) => compare(a.item.title, b.item.title) || byBytes(idOf(a.item), idOf(b.item)));

  const communeLabels = spellings(
    rows.map(({ item }) => item.commune?.nom ?? ""),
    communeSlug,
  );
  const sourceLabels = spellings(
    rows.flatMap(({ item }) => item.sources.map(({ name }) => name)),
    sourceSlug,
  );

  async function evaluate(filters: Filters) {
    const center = filters.near === null ? null : unitVector(filters.near.lat, filters.near.lon);
    const bound = filters.near === null ? 0 : chordBound(filters.near.radiusKm);
    const chordOf = ({ location }: ItemFields) => {
      if (center === null) return 0;
      return location === null ? Infinity : squaredChord(center, unitVector(location.lat, location.lon));
    };
    const candidates = rows.filter(({ item }) => {
      const isChanged = filters.changedAfter === null || (versions.get(item) ?? 0) > filters.changedAfter;
      return isChanged && passes(filters, item) && chordOf(item) <= bound;
    });
    const plan = await planOf(filters, candidates);
    const scored = plan === null ? candidates.map((row) => ({ row, textScore: 0 })) : matching(plan, candidates);
    const matches = scored.map(({ row, textScore }) => {
      const chord = chordOf(row.item);
      return { row, item: row.item, chord, textScore, distanceKm: center === null ? null : distanceKm(chord) };
    });
    return { matches, plan };
  }

  async function search(query: NormalQuery): Promise<OracleAnswer> {
    const { matches, plan } = await evaluate(query);
    const time = (item: ItemFields) => Date.parse(item.updated_at);
    // Rows are in title order and sorting is stable, which breaks all ties.
    if (query.sort === "relevance") {
      const id = new Map<Row, number>(rows.map((row, position) => [row, position]));
      matches.sort((a, b) => b.textScore - a.textScore);
      const best = matches
        .slice(0, RANKED_MAX)
        .map((match) => ({ match, score: match.textScore + (plan === null ? 0 : nameScoreOf(plan, match.row)) }));
      best.sort((a, b) => b.score - a.score || (id.get(a.match.row) ?? 0) - (id.get(b.match.row) ?? 0));
      matches.splice(0, best.length, ...best.map(({ match }) => match));
    }
    if (query.sort === "distance") matches.sort((a, b) => a.chord - b.chord);
    if (query.sort === "updated_at") matches.sort((a, b) => time(a.item) - time(b.item));
    if (query.sort === "-updated_at") matches.sort((a, b) => time(b.item) - time(a.item));
    const page = matches.slice(query.offset, query.offset + query.limit);
    const unknownTags = [...new Set([...query.tags.flat(), ...query.excludedTags])].filter(
      (tag) => !rows.some(({ item }) => item.tags.includes(tag)),
    );
    return {
      total: matches.length,
      hits: page.map(({ item, distanceKm }) => ({ id: idOf(item), distanceKm })),
      corrected: plan?.corrected ?? null,
      relaxed: plan?.relaxed ?? null,
      unknownTags: unknownTags.sort(),
    };
  }

  async function facets(filters: Filters, names: readonly FacetName[]): Promise<Facets> {
    const { matches } = await evaluate(filters);
    const typeLabels = { actor: "Acteur", place: "Lieu", article: "Article" };
    const valuesOf = (item: ItemFields, name: FacetName): { value: string; label: string }[] => {
      if (name === "type") return [{ value: item.type, label: typeLabels[item.type] }];
      if (name === "tag") return item.tags.map((tag) => ({ value: tag, label: labels.get(tag) ?? tag }));
      if (name === "source")
        return [...new Set(item.sources.map((source) => sourceSlug(source.name)))].map((slug) => ({
          value: slug,
          label: sourceLabels.get(slug) ?? slug,
        }));
      if (name === "commune") {
        const slug = communeSlug(item.commune?.nom ?? "");
        return slug === "" ? [] : [{ value: slug, label: communeLabels.get(slug) ?? slug }];
      }
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

function passes(filters: Filters, item: ItemFields): boolean {
  return (
    (filters.types.length === 0 || filters.types.includes(item.type)) &&
    !filters.excludedTypes.includes(item.type) &&
    (filters.departement === null || filters.departement === item.departement?.code) &&
    (filters.departements.length === 0 || filters.departements.includes(item.departement?.code ?? "")) &&
    (filters.regions.length === 0 || filters.regions.includes(item.region?.code ?? "")) &&
    (filters.communes.length === 0 || filters.communes.includes(communeSlug(item.commune?.nom ?? ""))) &&
    (filters.insee.length === 0 || filters.insee.includes(item.commune?.code ?? "")) &&
    (filters.postalCodes.length === 0 ||
      filters.postalCodes.some((prefix) => postalCodeOf(item)?.startsWith(prefix))) &&
    (filters.sources.length === 0 || item.sources.some(({ name }) => filters.sources.includes(sourceSlug(name)))) &&
    !item.sources.some(({ name }) => filters.excludedSources.includes(sourceSlug(name))) &&
    (filters.box === null || (item.location !== null && isInBox(item.location, filters.box))) &&
    filters.tags.every((anyOf) => anyOf.some((tag) => item.tags.includes(tag))) &&
    !filters.excludedTags.some((tag) => item.tags.includes(tag))
  );
}

/** The most frequent spelling of each slug, ties by bytes. */
function spellings(names: readonly string[], slugOf: (name: string) => string): ReadonlyMap<string, string> {
  const counts = Map.groupBy(names, (name) => name);
  const ordered = [...counts].sort(([a, as], [b, bs]) => as.length - bs.length || byBytes(b, a));
  return new Map(ordered.map(([name]) => [slugOf(name), name]));
}

function isInBox({ lat, lon }: { lat: number; lon: number }, { west, south, east, north }: Box): boolean {
  const isBetween = west <= east ? lon >= west && lon <= east : lon >= west || lon <= east;
  return isBetween && lat >= south && lat <= north;
}

function idOf(item: ItemFields): string {
  return `${item.type}/${item.slug}`;
}
