/** The contract's query classes over generated data, shared by the benchmarks of both engines and the service. */
import { ITEM_TYPES } from "@triptych/contracts";
import { NO_FILTERS, type NormalQuery } from "../src/domain/catalogue.ts";
import { communeSlug } from "../src/domain/filter-keys.ts";
import { REGIONS } from "../src/domain/reference.ts";
import type { Random } from "../test/support/random.ts";
import type { BenchData } from "./generated-items.ts";

export const QUERY_CLASSES = [
  "type+département",
  "tag",
  "1-2 words",
  "near",
  "words+near+tag",
  "région, deep",
  "words+région+type",
  "P prefix",
] as const;
export type QueryClass = (typeof QUERY_CLASSES)[number];

export function benchQueries(
  { communes, tagLabels, text }: BenchData,
  { count, random, items }: { count: number; random: Random; items: number },
): Record<QueryClass, NormalQuery[]> {
  const plain: NormalQuery = {
    ...NO_FILTERS,
    sort: "title",
    offset: 0,
    limit: 20,
    variant: "all",
  };
  const type = () => [random.pick(ITEM_TYPES)];
  const tag = () => [[tagLabels[Math.floor(tagLabels.length ** random.next()) - 1].slug]];
  const region = () => [random.pick(REGIONS).code];
  // A separator after the last word marks it as finished.
  const words = () => `${text.word()}${random.chance(0.5) ? ` ${text.word()}` : ""} `;
  const near = () => {
    const { lat, lon } = random.pick(communes);
    return { lat, lon, radiusKm: random.pick([2, 10, 10, 30, 100]) };
  };
  const prefix = () => text.word().slice(0, 3 + random.below(4));
  const classes: Record<QueryClass, () => NormalQuery> = {
    "type+département": () => ({ ...plain, types: type(), departements: [random.pick(communes).departement.code] }),
    tag: () => ({ ...plain, tags: tag() }),
    "1-2 words": () => ({ ...plain, text: words(), sort: "relevance" }),
    near: () => ({ ...plain, near: near(), sort: "distance" }),
    "words+near+tag": () => ({ ...plain, text: words(), near: near(), tags: tag(), sort: "distance" }),
    "région, deep": () => ({ ...plain, regions: region(), offset: random.below(Math.floor(items / 10)) }),
    "words+région+type": () => ({ ...plain, text: words(), regions: region(), types: type(), sort: "relevance" }),
    "P prefix": () => ({
      ...plain,
      text: random.chance(0.5) ? `${text.word()} ${prefix()}` : prefix(),
      sort: "relevance",
    }),
  };
  const batch = (name: QueryClass) => Array.from({ length: count }, classes[name]);
  return Object.fromEntries(QUERY_CLASSES.map((name) => [name, batch(name)])) as Record<QueryClass, NormalQuery[]>;
}

/** Filters beyond the contract's classes; only the memory engine is measured with them. */
export const FILTER_CLASSES = [
  "commune",
  "insee, 10 codes",
  "postal code, 2 digits",
  "-source",
  "bbox",
  "bbox+near",
  "words+commune",
] as const;
export type FilterClass = (typeof FILTER_CLASSES)[number];

export function filterQueries(
  { communes, text }: Pick<BenchData, "communes" | "text">,
  { count, random }: { count: number; random: Random },
): Record<FilterClass, NormalQuery[]> {
  const plain: NormalQuery = { ...NO_FILTERS, sort: "title", offset: 0, limit: 20, variant: "all" };
  const commune = () => random.pick(communes);
  const box = () => {
    const { lat, lon } = commune();
    const half = random.pick([0.05, 0.2, 0.2, 1]);
    const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
    return { west: round(lon - half), south: round(lat - half), east: round(lon + half), north: round(lat + half) };
  };
  const near = () => ({ ...location(commune()), radiusKm: 30 });
  const classes: Record<FilterClass, () => NormalQuery> = {
    commune: () => ({ ...plain, communes: [communeSlug(commune().nom)] }),
    "insee, 10 codes": () => ({ ...plain, insee: Array.from({ length: 10 }, () => commune().code) }),
    "postal code, 2 digits": () => ({ ...plain, postalCodes: [commune().code.slice(0, 2)] }),
    "-source": () => ({ ...plain, excludedSources: ["bench-0"] }),
    bbox: () => ({ ...plain, box: box() }),
    "bbox+near": () => ({ ...plain, box: box(), near: near(), sort: "distance" }),
    "words+commune": () => ({
      ...plain,
      text: `${text.word()} `,
      communes: [communeSlug(commune().nom)],
      sort: "relevance",
    }),
  };
  const batch = (name: FilterClass) => Array.from({ length: count }, classes[name]);
  return Object.fromEntries(FILTER_CLASSES.map((name) => [name, batch(name)])) as Record<FilterClass, NormalQuery[]>;
}

function location({ lat, lon }: { readonly lat: number; readonly lon: number }) {
  return { lat, lon };
}
