/** Benchmark items over the real communes, weighted by population, in the order that `buildIndex` requires. */
import type { ItemType } from "@triptych/contracts";
import type { StoredItem, TagLabel } from "../src/domain/catalogue.ts";
import { seeded } from "../test/support/random.ts";
import { benchCommunes, type BenchCommune } from "./communes.ts";
import { frenchText, type TextSource } from "./french-text.ts";

const TAG_COUNT = 400;
/** In byte order; shares of the total. */
const TYPES: readonly (readonly [ItemType, number])[] = [
  ["actor", 0.3],
  ["article", 0.1],
  ["place", 0.6],
];

export interface BenchData {
  readonly communes: readonly BenchCommune[];
  readonly tagLabels: readonly TagLabel[];
  readonly text: TextSource;
  items(): Generator<StoredItem>;
}

export function benchData(count: number, seed = 20261121): BenchData {
  const random = seeded(seed);
  const text = frenchText(random);
  const communes = benchCommunes(random);
  const labels = new Set<string>();
  while (labels.size < TAG_COUNT) labels.add(random.chance(0.5) ? text.word() : `${text.word()} ${text.word()}`);
  const tagLabels = Array.from(labels, (label, number) => ({
    slug: `theme-${String(number).padStart(3, "0")}`,
    label,
  }));
  const byPopulation = cumulated(communes);

  return {
    communes,
    tagLabels,
    text,
    *items() {
      let number = 0;
      for (const [type, share] of TYPES) {
        const end = type === "place" ? count : number + Math.floor(count * share);
        for (; number < end; number++) {
          const commune = communes[byPopulation(random.next())];
          // Zipf-distributed tags: the first ones are on every third item.
          const tags = new Set(
            Array.from(
              { length: 1 + random.below(4) },
              () => tagLabels[Math.floor(TAG_COUNT ** random.next()) - 1].slug,
            ),
          );
          yield benchItem(type, number, { commune, text, tags: [...tags].sort(), next: random.next });
        }
      }
    },
  };
}

function benchItem(
  type: ItemType,
  number: number,
  { commune, text, tags, next }: { commune: BenchCommune; text: TextSource; tags: string[]; next: () => number },
): StoredItem {
  const { departement, region } = commune;
  const day = new Date(1_600_000_000_000 + Math.floor(next() * 2000) * 86_400_000).toISOString();
  const common = {
    slug: `${number.toString(36).padStart(5, "0")}-${departement.slug}`,
    title: `${capital(text.word())} ${text.word()} de ${commune.nom}`,
    summary: text.sentence(8 + Math.floor(next() * 12)),
    commune: { code: commune.code, nom: commune.nom },
    departement: { code: departement.code, slug: departement.slug, nom: departement.nom },
    region: { code: region.code, slug: region.slug, nom: region.nom },
    tags,
    updated_at: day,
    location: next() < 0.95 ? { lat: jitter(commune.lat, next), lon: jitter(commune.lon, next) } : null,
    description: `${text.sentence(12 + Math.floor(next() * 20))} ${text.sentence(8 + Math.floor(next() * 25))}`,
    address: { rue: `${1 + Math.floor(next() * 90)} rue de la ${capital(text.word())}`, code_postal: commune.code },
    website: "https://example.org/",
    email: null,
    phone: null,
    images: [],
    links: [],
    same_as: [],
    sources: [{ name: `bench ${number % 5}`, url: null, licence: "CC0-1.0", retrieved_at: null }],
    licence: "CC0-1.0",
    created_at: day,
    extra: {},
  };
  const own =
    type === "actor"
      ? { ...common, type, siret: null, legal_form: null, founded: null }
      : type === "place"
        ? { ...common, type, opening_hours: null, access: null, managed_by: null }
        : { ...common, type, author: null, published_at: null, mentions: [] };
  return { sourceName: "bench", sourceId: String(number), item: own };
}

/** Maps a uniform number to a commune, weighted by the square root of its population. */
function cumulated(communes: readonly BenchCommune[]): (uniform: number) => number {
  const sums = new Float64Array(communes.length);
  let sum = 0;
  for (const [position, { population }] of communes.entries()) sums[position] = sum += Math.sqrt(population + 1);
  return (uniform) => {
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle] < uniform * sum) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function jitter(degrees: number, next: () => number): number {
  return Math.round((degrees + (next() - 0.5) * 0.03) * 1e6) / 1e6;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
