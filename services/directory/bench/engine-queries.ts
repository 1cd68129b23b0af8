/** The contract's query classes over generated data, shared by the benchmarks of both engines and the service. */
import { ITEM_TYPES } from "@triptych/contracts";
import { NO_FILTERS, type NormalQuery } from "../src/domain/catalogue.ts";
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
