/**
 * Small data sets of edge cases: equal titles, titles of stop words, inflections and similar words, rare and common
 * tags, missing locations, many items at one point, the poles, both sides of the antimeridian.
 */
import type { ItemType } from "@triptych/contracts";
import type { ItemFields, TagLabel, VersionedItem } from "../../src/domain/catalogue.ts";
import { compareBytes } from "../../src/domain/index/string-table.ts";
import { DEPARTEMENTS, regionByCode } from "../../src/domain/reference.ts";
import type { Random } from "./random.ts";

export const WORDS =
  "musée musées muse museum mosquée bibliothèque bibliothèques bibliothécaire médiathèque théâtre théâtral théâtrale opéra opera œuvre œuvres cœur château châteaux chapelle chapeau école écoles national nationale nationaux marché marche marcher l'été d'art arts artisan artisanal Saint-Étienne naïf Noël île îles 2024 35000 35001 été étés pont ponts port porte portes tour tours tourisme touristique Eu Us Y les sur dans pour avec des 🎭 Ελλάς музей".split(
    " ",
  );
export const TAGS = [
  "art",
  "sport",
  "musique",
  "culture",
  "service-public",
  "patrimoine",
  "nature",
  "enfants",
  "rare-1",
  "rare-2",
  "a",
  "z",
];
export const POINTS: readonly (readonly [lat: number, lon: number])[] = [
  [48.8566, 2.3522],
  [48.117, -1.678],
  [90, 0],
  [90, 120],
  [-90, 0],
  [89.95, -179.5],
  [0, 180],
  [0, -180],
  [-17.5, 179.99],
  [-17.5, -179.99],
  [0, 0],
  [-21.1, 55.5],
  [16.2, -61.5],
  [45.75, 4.85],
];

export const TAG_LABELS: readonly TagLabel[] = TAGS.filter((tag) => tag !== "z").map((slug) => ({
  slug,
  label: slug === "enfants" ? "Pour les enfants" : slug === "culture" ? "Œuvres & théâtre" : `Thème ${slug}`,
}));

/** Items were last changed in version 1, 2 or 3. */
export const VERSIONS = 3;
/** Namesakes, spellings of one name, a name without a code. */
export const COMMUNES: readonly { readonly code: string | null; readonly nom: string }[] = [
  { code: "93066", nom: "Saint-Denis" },
  { code: "97411", nom: "Saint-Denis" },
  { code: "97411", nom: "ST DENIS" },
  { code: "42218", nom: "Saint-Étienne" },
  { code: null, nom: "SAINT ETIENNE" },
  { code: "2A004", nom: "Ajaccio" },
  { code: "83062", nom: "La Garde" },
  { code: "63186", nom: "Lagarde" },
];
export const POSTAL_CODES = ["01000", "35000", "35042 CEDEX", "97400", "97411", "20 000", "1234", "CH-1200"];
export const SOURCES = ["Source A", "source a", "Source B", "Ministère, bureau 2", "ΕΛ"];

function randomCommune(random: Random, text: (atMost: number) => string): ItemFields["commune"] {
  if (random.chance(0.3)) return null;
  if (random.chance(0.5)) return random.pick(COMMUNES);
  return { code: "01004", nom: random.chance(0.9) ? text(2) || "Les Eaux" : null };
}

/** In the order that `buildIndex` requires. */
export function randomItems(random: Random, count: number): VersionedItem[] {
  const items = Array.from({ length: count }, (_, number) => randomItem(random, number));
  return items.sort((a, b) => compareBytes(a.item.type, b.item.type) || compareBytes(a.item.slug, b.item.slug));
}

export function randomLocation(random: Random): { lat: number; lon: number } {
  const [lat, lon] = random.pick(POINTS);
  if (random.chance(0.3)) return { lat, lon };
  const spread = random.pick([0.001, 0.1, 1, 20]);
  const shifted = lon + (random.next() - 0.5) * spread;
  return {
    lat: round(Math.max(-90, Math.min(90, lat + (random.next() - 0.5) * spread))),
    lon: round(shifted > 180 ? shifted - 360 : shifted < -180 ? shifted + 360 : shifted),
  };
}

function randomItem(random: Random, number: number): VersionedItem {
  const type = random.pick<ItemType>(["actor", "place", "place", "article"]);
  const departement = random.chance(0.85) ? DEPARTEMENTS[Math.floor(random.next() ** 2 * DEPARTEMENTS.length)] : null;
  const region = departement === null ? undefined : regionByCode(departement.region);
  const text = (atMost: number) =>
    Array.from({ length: random.below(atMost + 1) }, () => random.pick(WORDS)).join(random.pick([" ", " ", ", ", "-"]));
  const common = {
    slug: `${random.pick(["musee", "ecole", "x", "a-b"])}-${number}`,
    title: text(3) || random.pick(["Les", "Sur", "Eu", "Musée 2", "Musée 10", "musée", "MUSÉE"]),
    summary: text(8),
    commune: randomCommune(random, text),
    departement: departement === null ? null : { code: departement.code, slug: departement.slug, nom: departement.nom },
    region: region === undefined ? null : { code: region.code, slug: region.slug, nom: region.nom },
    tags: random.some(random.chance(0.1) ? TAGS : TAGS.slice(0, 8), 4).sort(),
    updated_at: new Date(1_700_000_000_000 + random.below(20) * 86_400_000).toISOString(),
    location: random.chance(0.8) ? randomLocation(random) : null,
    description: random.chance(0.5) ? text(random.chance(0.05) ? 300 : 30) : null,
    address: random.chance(0.6) ? { rue: "1 rue de l'Église", code_postal: random.pick(POSTAL_CODES) } : null,
    website: null,
    email: null,
    phone: null,
    images: [],
    links: [],
    same_as: [],
    sources: [random.pick(SOURCES), ...random.some(SOURCES, 1)].map((name) => ({
      name,
      url: null,
      licence: "etalab-2.0",
      retrieved_at: null,
    })),
    licence: random.pick(["CC0-1.0", "etalab-2.0", null]),
    created_at: "2024-01-01T00:00:00.000Z",
    extra: {},
  };
  const fromVersion = 1 + random.below(VERSIONS);
  return { sourceName: "random", sourceId: String(number), item: withTypeFields(common, type), fromVersion };
}

function withTypeFields(
  common: Omit<ItemFields, "type" | "siret" | "legal_form" | "founded">,
  type: ItemType,
): ItemFields {
  switch (type) {
    case "actor":
      return { ...common, type, siret: null, legal_form: "association", founded: "1901" };
    case "place":
      return { ...common, type, opening_hours: "Mo-Fr 09:00-17:00", access: null, managed_by: null };
    case "article":
      return { ...common, type, author: null, published_at: null, mentions: [] };
  }
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
