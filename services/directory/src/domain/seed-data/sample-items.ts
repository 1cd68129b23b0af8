/**
 * The embedded sample that a first start publishes: 220 items. Per département its préfecture town (a place) and the
 * préfecture (an actor), per région an article. Uncertain facts are null: actors have no location, because only the
 * town's center is known.
 */
import type { ActorItem, ArticleItem, ItemType, PlaceItem } from "@triptych/contracts";
import type { ItemFields, StoredItem, TagLabel } from "../catalogue.ts";
import { DEPARTEMENTS, REGIONS, type Departement, type Region } from "../reference.ts";
import { slugify } from "../slug.ts";
import { actorProse, articleProse, namedAfter, placeProse, type PrefectureEntry } from "./prose.ts";
import { PREFECTURES, TOWN_TRAITS } from "./prefectures.ts";
import { REGION_FACTS } from "./region-facts.ts";

export const SAMPLE_SOURCE = "Triptych sample";
export const SAMPLE_LICENCE = "CC0-1.0";

export const SAMPLE_TAGS: readonly TagLabel[] = [
  { slug: "chef-lieu-de-region", label: "Chef-lieu de région" },
  { slug: "ile", label: "Île" },
  { slug: "littoral", label: "Littoral" },
  { slug: "montagne", label: "Montagne" },
  { slug: "outre-mer", label: "Outre-mer" },
  { slug: "patrimoine-mondial", label: "Patrimoine mondial" },
  { slug: "prefecture", label: "Préfecture" },
  { slug: "region", label: "Région" },
  { slug: "service-public", label: "Service public" },
];

export function sampleItems(now: number): StoredItem[] {
  const entries = prefectureEntries();
  const items: ItemFields[] = [
    ...entries.map((entry, index) => place(entry, index, now)),
    ...entries.map((entry, index) => actor(entry, index, now)),
    ...REGION_FACTS.map(({ region }) => article(region, entries, now)),
  ];
  return items.map((item) => ({ sourceName: SAMPLE_SOURCE, sourceId: `${item.type}/${item.slug}`, item }));
}

/** Joins départements with their préfecture and région; throws on a gap in the tables. */
function prefectureEntries(): PrefectureEntry[] {
  return PREFECTURES.map((prefecture) => {
    const departement = found(DEPARTEMENTS, prefecture.departement);
    const region = found(REGIONS, departement.region);
    const isRegionCapital = REGION_FACTS.some((facts) => facts.capital === departement.code);
    return { prefecture, departement, region, isRegionCapital };
  });
}

function found<T extends { readonly code: string }>(list: readonly T[], code: string): T {
  const entry = list.find((candidate) => candidate.code === code);
  if (entry === undefined) throw new Error(`the sample names the code ${code}, which the reference lists do not have`);
  return entry;
}

function place(entry: PrefectureEntry, index: number, now: number): Omit<PlaceItem, "url"> {
  const { prefecture, departement, isRegionCapital } = entry;
  const traits = Object.entries(TOWN_TRAITS).filter(([, codes]) => codes.includes(departement.code));
  const tags = ["prefecture", ...(isRegionCapital ? ["chef-lieu-de-region"] : []), ...traits.map(([tag]) => tag)];
  const postalCode = POSTAL_CODES.get(departement.code) ?? departement.code.padEnd(5, "0");
  return {
    ...common({ type: "place", title: prefecture.town, tags, now, ...placeProse(entry, index) }),
    type: "place",
    ...whereabouts(entry),
    location: { lat: prefecture.lat, lon: prefecture.lon },
    address: postalCode === "" ? null : { rue: null, code_postal: postalCode },
    opening_hours: null,
    access: null,
    managed_by: null,
  };
}

/** Postal codes that are not the département code padded with zeros; "" = one per arrondissement. */
const POSTAL_CODES = new Map([
  ["13", ""],
  ["2A", "20000"],
  ["2B", "20200"],
  ["69", ""],
  ["75", ""],
]);

function actor(entry: PrefectureEntry, index: number, now: number): Omit<ActorItem, "url"> {
  const { departement, isRegionCapital } = entry;
  const overseas = departement.code.startsWith("97");
  const tags = [
    "prefecture",
    "service-public",
    ...(isRegionCapital ? ["chef-lieu-de-region"] : []),
    ...(overseas ? ["outre-mer"] : []),
  ];
  return {
    ...common({ type: "actor", title: `Préfecture ${namedAfter(entry)}`, tags, now, ...actorProse(entry, index) }),
    type: "actor",
    ...whereabouts(entry),
    website: WEBSITES.get(departement.code) ?? `https://www.${departement.slug.replace("-d-", "-d")}.gouv.fr`,
    siret: null,
    legal_form: "Service déconcentré de l'État",
    founded: FOUNDED.has(departement.code) ? (FOUNDED.get(departement.code) ?? null) : "1800",
  };
}

/** State services whose URL does not follow the département's name. */
const WEBSITES = new Map([
  ["75", "https://www.prefectures-regions.gouv.fr/ile-de-france"],
  ["974", "https://www.reunion.gouv.fr"],
]);

/** Préfectures founded after 1800; null if annexation or reform leaves no single year. */
const FOUNDED = new Map<string, string | null>([
  ...["06", "73", "74"].map((code) => [code, "1860"] as const),
  ...["2A", "2B"].map((code) => [code, "1976"] as const),
  ...["54", "57", "67", "68", "75", "976"].map((code) => [code, null] as const),
  ...["78", "91", "92", "93", "94", "95"].map((code) => [code, "1968"] as const),
  ...["971", "972", "973", "974"].map((code) => [code, "1947"] as const),
  ["82", "1808"],
  ["90", "1922"],
]);

function article(code: string, entries: readonly PrefectureEntry[], now: number): Omit<ArticleItem, "url"> {
  const region = found(REGIONS, code);
  const members = entries.filter((entry) => entry.region.code === code);
  const facts = REGION_FACTS.find((candidate) => candidate.region === code);
  const capital = members.find((candidate) => candidate.departement.code === facts?.capital);
  if (facts === undefined || capital === undefined)
    throw new Error(`the sample does not know the seat of the région ${code}`);
  const only = members.length === 1 ? capital.departement : null;
  return {
    ...common({
      type: "article",
      title: region.nom,
      tags: ["region", ...facts.traits],
      now,
      ...articleProse(facts, capital, members),
    }),
    type: "article",
    departement: only === null ? null : area(only),
    region: area(region),
    author: "Équipe Triptych",
    published_at: new Date(now).toISOString(),
    mentions: [
      ...members.map(({ prefecture }) => ({ type: "place" as const, slug: slugify(prefecture.town) })),
      { type: "actor" as const, slug: slugify(`Préfecture ${namedAfter(capital)}`) },
    ],
  };
}

interface Written {
  readonly type: ItemType;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly now: number;
}

function common({ title, summary, description, tags, now }: Written) {
  const time = new Date(now).toISOString();
  return {
    slug: slugify(title),
    title,
    summary,
    commune: null,
    departement: null,
    region: null,
    tags: tags.toSorted(),
    updated_at: time,
    location: null,
    description,
    address: null,
    website: null,
    email: null,
    phone: null,
    images: [],
    links: [],
    same_as: [],
    sources: [{ name: SAMPLE_SOURCE, url: null, licence: SAMPLE_LICENCE, retrieved_at: time }],
    licence: SAMPLE_LICENCE,
    created_at: time,
    extra: {},
  };
}

function whereabouts({ prefecture, departement, region }: PrefectureEntry) {
  return {
    commune: { code: prefecture.commune, nom: prefecture.town },
    departement: area(departement),
    region: area(region),
  };
}

function area({ code, slug, nom }: Departement | Region) {
  return { code, slug, nom };
}
