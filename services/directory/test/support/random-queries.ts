/** Queries for the random items: real and misspelled words, circle boundaries, deep offsets, unknown values. */
import { FACETS, ITEM_TYPES, SORTS, type FacetName } from "@triptych/contracts";
import type { Box, NormalQuery, StoredItem } from "../../src/domain/catalogue.ts";
import { communeSlug, sourceSlug } from "../../src/domain/filter-keys.ts";
import { distanceKm, squaredChord, unitVector } from "../../src/domain/geo.ts";
import { createSynonyms } from "../../src/domain/search/synonyms.ts";
import { DEPARTEMENTS, REGIONS } from "../../src/domain/reference.ts";
import { COMMUNES, POSTAL_CODES, randomLocation, SOURCES, TAGS, VERSIONS, WORDS } from "./random-items.ts";
import type { Random } from "./random.ts";

export interface RandomQuery {
  readonly query: NormalQuery;
  readonly facets: readonly FacetName[];
}

export function randomQuery(random: Random, items: readonly StoredItem[]): RandomQuery {
  const text = random.chance(0.6) ? randomText(random) : null;
  const near = random.chance(0.35) ? randomNear(random, items) : null;
  const sorts = SORTS.filter(
    (sort) => (sort !== "relevance" || text !== null) && (sort !== "distance" || near !== null),
  );
  const departements = DEPARTEMENTS.slice(0, 30).map(({ code }) => code);
  const query: NormalQuery = {
    types: random.chance(0.3) ? random.some(ITEM_TYPES, 2).sort() : [],
    excludedTypes: random.chance(0.1) ? random.some(ITEM_TYPES, 2).sort() : [],
    departement: random.chance(0.1) ? random.pick(departements) : null,
    departements: random.chance(0.15) ? random.some(departements, 4).sort() : [],
    regions: random.chance(0.15)
      ? random
          .some(REGIONS, 3)
          .map(({ code }) => code)
          .sort()
      : [],
    communes: random.chance(0.08) ? random.some(COMMUNE_NAMES, 2).map(communeSlug).sort() : [],
    insee: random.chance(0.08) ? random.some([...INSEE_CODES, "99999"], 3).sort() : [],
    postalCodes: random.chance(0.08) ? random.some(POSTAL_PREFIXES, 3).sort() : [],
    sources: random.chance(0.1) ? random.some([...SOURCE_SLUGS, "inconnu"], 2).sort() : [],
    excludedSources: random.chance(0.08) ? random.some([...SOURCE_SLUGS, "inconnu"], 2).sort() : [],
    tags: random.chance(0.3) ? Array.from({ length: 1 + random.below(2) }, () => randomTags(random)) : [],
    excludedTags: random.chance(0.2) ? randomTags(random) : [],
    text,
    correct: random.chance(0.85),
    strict: random.chance(0.3),
    synonyms: random.chance(0.5) ? SYNONYMS : null,
    near,
    changedAfter: random.chance(0.2) ? random.below(VERSIONS + 1) : null,
    box: random.chance(0.15) ? randomBox(random, items) : null,
    sort: random.pick(sorts),
    offset: random.chance(0.5) ? 0 : random.pick([1, 5, 40, 1_000_000_000]),
    limit: random.pick([0, 1, 20, 100]),
    variant: random.pick(["summary", "all"]),
  };
  return { query, facets: random.some(FACETS, 5) };
}

function randomTags(random: Random): string[] {
  return [...new Set([random.pick(TAGS), ...random.some([...TAGS, "inconnu", "absent"], 2)])].sort();
}

/** Contains a phrase, and a term that no item has. */
const SYNONYMS = createSynonyms([
  ["musée", "opéra", "museum"],
  ["école nationale", "théâtre", "conservatoire"],
  ["saint étienne", "pont"],
  ["chateau", "tour", "tours"],
]);

function randomText(random: Random): string {
  const words = Array.from({ length: 1 + random.below(3) }, () => randomWord(random));
  if (random.chance(0.05)) words.push(random.pick(["où", "trouver", "the", "35012", "01004", "ain"]));
  if (random.chance(0.1)) return `${words.join(" ")} -${randomWord(random)}`;
  if (random.chance(0.05)) return `-"${words.join(" ")}" ${randomWord(random)}`;
  if (random.chance(0.1)) return `"${words.join(" ")}" ${random.chance(0.5) ? randomWord(random) : ""}`;
  return words.join(random.pick([" ", "-", "'", " ’ "])) + random.pick(["", "", "", " ", "!"]);
}

function randomWord(random: Random): string {
  const word = random.pick(WORDS);
  const letters = Array.from(word);
  const at = random.below(letters.length);
  switch (random.below(8)) {
    case 0:
      return letters.slice(0, 1 + at).join("");
    case 1:
      return letters.toSpliced(at, 1).join("") || word;
    case 2:
      return letters.toSpliced(at, 0, random.pick(["e", "z", "o", "9"])).join("");
    case 3:
      return letters.toSpliced(at, 1, random.pick(["e", "z", "o"])).join("");
    case 4:
      return letters.toSpliced(at, 2, ...letters.slice(at, at + 2).reverse()).join("");
    case 5:
      return word.toUpperCase();
    default:
      return word;
  }
}

const COMMUNE_NAMES = [...COMMUNES.map(({ nom }) => nom), "Nulle-Part"];
const INSEE_CODES = COMMUNES.flatMap(({ code }) => code ?? []);
const POSTAL_PREFIXES = [...POSTAL_CODES.map((code) => code.slice(0, 5)), "01", "350", "9741", "12345", "99"];
const SOURCE_SLUGS = SOURCES.map(sourceSlug);

/** Boxes with items on their borders and corners, single points, the whole globe, both sides of the antimeridian. */
function randomBox(random: Random, items: readonly StoredItem[]): Box {
  const corner = () =>
    (random.chance(0.6) && items.length > 0 ? random.pick(items).item.location : null) ?? randomLocation(random);
  if (random.chance(0.05)) return { west: -180, south: -90, east: 180, north: 90 };
  const a = corner();
  const b = random.chance(0.1) ? a : corner();
  return { west: a.lon, south: Math.min(a.lat, b.lat), east: b.lon, north: Math.max(a.lat, b.lat) };
}

/** Half of the circles have an item exactly on their boundary. */
function randomNear(random: Random, items: readonly StoredItem[]): NormalQuery["near"] {
  const { lat, lon } = randomLocation(random);
  const other = random.chance(0.5) && items.length > 0 ? random.pick(items).item.location : null;
  if (other === null) return { lat, lon, radiusKm: random.pick([0.001, 1, 10, 111.195, 200]) };
  const border = distanceKm(squaredChord(unitVector(lat, lon), unitVector(other.lat, other.lon)));
  const radiusKm = border + random.pick([0, 0, 0.001, -0.001]);
  return { lat, lon, radiusKm: radiusKm > 0 && radiusKm <= 200 ? radiusKm : 50 };
}
