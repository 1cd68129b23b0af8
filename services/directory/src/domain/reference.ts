/**
 * The 101 départements and 18 régions, independent of imported data. Names and codes: Code officiel géographique
 * (INSEE). Boxes: IGN Admin Express (Licence Ouverte 2.0), in degrees, rounded outward to a tenth, to detect swapped
 * coordinates.
 */
import { editDistance } from "@triptych/util";

export interface Region {
  readonly code: string;
  readonly slug: string;
  readonly nom: string;
}

export interface Departement {
  readonly code: string;
  readonly slug: string;
  readonly nom: string;
  readonly region: string;
  /** West, south, east, north in degrees. */
  readonly box: readonly [number, number, number, number];
}

const region = (code: string, slug: string, nom: string): Region => ({ code, slug, nom });
const departement = (
  code: string,
  slug: string,
  nom: string,
  region: string,
  box: Departement["box"],
): Departement => ({
  code,
  slug,
  nom,
  region,
  box,
});

export const REGIONS: readonly Region[] = [
  region("01", "guadeloupe", "Guadeloupe"),
  region("02", "martinique", "Martinique"),
  region("03", "guyane", "Guyane"),
  region("04", "la-reunion", "La Réunion"),
  region("06", "mayotte", "Mayotte"),
  region("11", "ile-de-france", "Île-de-France"),
  region("24", "centre-val-de-loire", "Centre-Val de Loire"),
  region("27", "bourgogne-franche-comte", "Bourgogne-Franche-Comté"),
  region("28", "normandie", "Normandie"),
  region("32", "hauts-de-france", "Hauts-de-France"),
  region("44", "grand-est", "Grand Est"),
  region("52", "pays-de-la-loire", "Pays de la Loire"),
  region("53", "bretagne", "Bretagne"),
  region("75", "nouvelle-aquitaine", "Nouvelle-Aquitaine"),
  region("76", "occitanie", "Occitanie"),
  region("84", "auvergne-rhone-alpes", "Auvergne-Rhône-Alpes"),
  region("93", "provence-alpes-cote-d-azur", "Provence-Alpes-Côte d'Azur"),
  region("94", "corse", "Corse"),
];

export const DEPARTEMENTS: readonly Departement[] = [
  departement("01", "ain", "Ain", "84", [4.6, 45.5, 6.3, 46.6]),
  departement("02", "aisne", "Aisne", "32", [2.9, 48.7, 4.4, 50.2]),
  departement("03", "allier", "Allier", "84", [2.2, 45.8, 4.1, 46.9]),
  departement("04", "alpes-de-haute-provence", "Alpes-de-Haute-Provence", "93", [5.4, 43.6, 7.1, 44.8]),
  departement("05", "hautes-alpes", "Hautes-Alpes", "93", [5.3, 44.1, 7.2, 45.2]),
  departement("06", "alpes-maritimes", "Alpes-Maritimes", "93", [6.5, 43.4, 7.8, 44.5]),
  departement("07", "ardeche", "Ardèche", "84", [3.8, 44.2, 5.0, 45.5]),
  departement("08", "ardennes", "Ardennes", "44", [3.9, 49.1, 5.5, 50.3]),
  departement("09", "ariege", "Ariège", "76", [0.7, 42.5, 2.3, 43.4]),
  departement("10", "aube", "Aube", "44", [3.3, 47.8, 5.0, 48.8]),
  departement("11", "aude", "Aude", "76", [1.6, 42.6, 3.3, 43.6]),
  departement("12", "aveyron", "Aveyron", "76", [1.7, 43.6, 3.5, 45.0]),
  departement("13", "bouches-du-rhone", "Bouches-du-Rhône", "93", [4.1, 43.1, 5.9, 44.0]),
  departement("14", "calvados", "Calvados", "28", [-1.3, 48.7, 0.5, 49.5]),
  departement("15", "cantal", "Cantal", "84", [2.0, 44.5, 3.5, 45.6]),
  departement("16", "charente", "Charente", "75", [-0.6, 45.1, 1.0, 46.2]),
  departement("17", "charente-maritime", "Charente-Maritime", "75", [-1.7, 45.0, 0.1, 46.5]),
  departement("18", "cher", "Cher", "24", [1.7, 46.3, 3.2, 47.7]),
  departement("19", "correze", "Corrèze", "75", [1.1, 44.8, 2.6, 45.9]),
  departement("21", "cote-d-or", "Côte-d'Or", "27", [4.0, 46.8, 5.6, 48.1]),
  departement("22", "cotes-d-armor", "Côtes-d'Armor", "53", [-3.8, 47.9, -1.8, 49.0]),
  departement("23", "creuse", "Creuse", "75", [1.3, 45.6, 2.7, 46.6]),
  departement("24", "dordogne", "Dordogne", "75", [-0.1, 44.5, 1.5, 45.8]),
  departement("25", "doubs", "Doubs", "27", [5.6, 46.5, 7.2, 47.7]),
  departement("26", "drome", "Drôme", "84", [4.5, 44.0, 5.9, 45.4]),
  departement("27", "eure", "Eure", "28", [0.2, 48.6, 1.9, 49.6]),
  departement("28", "eure-et-loir", "Eure-et-Loir", "24", [0.7, 47.9, 2.1, 49.0]),
  departement("29", "finistere", "Finistère", "53", [-5.2, 47.7, -3.3, 48.8]),
  departement("2A", "corse-du-sud", "Corse-du-Sud", "94", [8.5, 41.3, 9.5, 42.5]),
  departement("2B", "haute-corse", "Haute-Corse", "94", [8.5, 41.7, 9.7, 43.1]),
  departement("30", "gard", "Gard", "76", [3.2, 43.4, 4.9, 44.6]),
  departement("31", "haute-garonne", "Haute-Garonne", "76", [0.3, 42.6, 2.1, 44.0]),
  departement("32", "gers", "Gers", "76", [-0.4, 43.2, 1.3, 44.2]),
  departement("33", "gironde", "Gironde", "75", [-1.4, 44.1, 0.4, 45.7]),
  departement("34", "herault", "Hérault", "76", [2.4, 43.1, 4.3, 44.1]),
  departement("35", "ille-et-vilaine", "Ille-et-Vilaine", "53", [-2.4, 47.5, -0.9, 48.8]),
  departement("36", "indre", "Indre", "24", [0.8, 46.2, 2.3, 47.4]),
  departement("37", "indre-et-loire", "Indre-et-Loire", "24", [0.0, 46.6, 1.5, 47.8]),
  departement("38", "isere", "Isère", "84", [4.6, 44.6, 6.5, 46.0]),
  departement("39", "jura", "Jura", "27", [5.2, 46.2, 6.3, 47.4]),
  departement("40", "landes", "Landes", "75", [-1.6, 43.4, 0.2, 44.6]),
  departement("41", "loir-et-cher", "Loir-et-Cher", "24", [0.5, 47.1, 2.3, 48.2]),
  departement("42", "loire", "Loire", "84", [3.6, 45.1, 4.9, 46.4]),
  departement("43", "haute-loire", "Haute-Loire", "84", [3.0, 44.6, 4.6, 45.5]),
  departement("44", "loire-atlantique", "Loire-Atlantique", "52", [-2.7, 46.8, -0.9, 47.9]),
  departement("45", "loiret", "Loiret", "24", [1.4, 47.4, 3.2, 48.4]),
  departement("46", "lot", "Lot", "76", [0.9, 44.1, 2.3, 45.1]),
  departement("47", "lot-et-garonne", "Lot-et-Garonne", "75", [-0.2, 43.9, 1.2, 44.9]),
  departement("48", "lozere", "Lozère", "76", [2.9, 44.0, 4.1, 45.1]),
  departement("49", "maine-et-loire", "Maine-et-Loire", "52", [-1.4, 46.9, 0.3, 47.9]),
  departement("50", "manche", "Manche", "28", [-2.0, 48.4, -0.6, 49.8]),
  departement("51", "marne", "Marne", "44", [3.3, 48.4, 5.1, 49.5]),
  departement("52", "haute-marne", "Haute-Marne", "44", [4.5, 47.5, 6.0, 48.8]),
  departement("53", "mayenne", "Mayenne", "52", [-1.3, 47.6, 0.0, 48.7]),
  departement("54", "meurthe-et-moselle", "Meurthe-et-Moselle", "44", [5.4, 48.3, 7.2, 49.7]),
  departement("55", "meuse", "Meuse", "44", [4.8, 48.3, 6.0, 49.7]),
  departement("56", "morbihan", "Morbihan", "53", [-3.8, 47.2, -1.9, 48.3]),
  departement("57", "moselle", "Moselle", "44", [5.8, 48.4, 7.7, 49.6]),
  departement("58", "nievre", "Nièvre", "27", [2.7, 46.6, 4.3, 47.7]),
  departement("59", "nord", "Nord", "32", [2.0, 49.9, 4.3, 51.2]),
  departement("60", "oise", "Oise", "32", [1.6, 49.0, 3.3, 49.9]),
  departement("61", "orne", "Orne", "28", [-1.0, 48.1, 1.1, 49.1]),
  departement("62", "pas-de-calais", "Pas-de-Calais", "32", [1.5, 49.9, 3.3, 51.1]),
  departement("63", "puy-de-dome", "Puy-de-Dôme", "84", [2.3, 45.2, 4.1, 46.4]),
  departement("64", "pyrenees-atlantiques", "Pyrénées-Atlantiques", "75", [-1.9, 42.7, 0.1, 43.7]),
  departement("65", "hautes-pyrenees", "Hautes-Pyrénées", "76", [-0.4, 42.6, 0.7, 43.7]),
  departement("66", "pyrenees-orientales", "Pyrénées-Orientales", "76", [1.6, 42.2, 3.3, 43.0]),
  departement("67", "bas-rhin", "Bas-Rhin", "44", [6.9, 48.0, 8.3, 49.2]),
  departement("68", "haut-rhin", "Haut-Rhin", "44", [6.7, 47.3, 7.7, 48.4]),
  departement("69", "rhone", "Rhône", "84", [4.1, 45.4, 5.3, 46.4]),
  departement("70", "haute-saone", "Haute-Saône", "27", [5.3, 47.2, 6.9, 48.1]),
  departement("71", "saone-et-loire", "Saône-et-Loire", "27", [3.5, 46.1, 5.6, 47.3]),
  departement("72", "sarthe", "Sarthe", "52", [-0.5, 47.5, 1.0, 48.6]),
  departement("73", "savoie", "Savoie", "84", [5.5, 45.0, 7.3, 46.0]),
  departement("74", "haute-savoie", "Haute-Savoie", "84", [5.7, 45.6, 7.1, 46.5]),
  departement("75", "paris", "Paris", "11", [2.1, 48.7, 2.6, 49.0]),
  departement("76", "seine-maritime", "Seine-Maritime", "28", [0.0, 49.2, 1.9, 50.2]),
  departement("77", "seine-et-marne", "Seine-et-Marne", "11", [2.3, 48.0, 3.7, 49.2]),
  departement("78", "yvelines", "Yvelines", "11", [1.3, 48.3, 2.3, 49.2]),
  departement("79", "deux-sevres", "Deux-Sèvres", "75", [-1.0, 45.9, 0.3, 47.2]),
  departement("80", "somme", "Somme", "32", [1.3, 49.5, 3.3, 50.5]),
  departement("81", "tarn", "Tarn", "76", [1.4, 43.3, 3.0, 44.3]),
  departement("82", "tarn-et-garonne", "Tarn-et-Garonne", "76", [0.6, 43.7, 2.1, 44.5]),
  departement("83", "var", "Var", "93", [5.6, 42.9, 7.0, 43.9]),
  departement("84", "vaucluse", "Vaucluse", "93", [4.5, 43.6, 5.9, 44.5]),
  departement("85", "vendee", "Vendée", "52", [-2.5, 46.2, -0.4, 47.2]),
  departement("86", "vienne", "Vienne", "75", [-0.2, 45.9, 1.3, 47.3]),
  departement("87", "haute-vienne", "Haute-Vienne", "75", [0.5, 45.3, 2.0, 46.5]),
  departement("88", "vosges", "Vosges", "44", [5.3, 47.7, 7.3, 48.6]),
  departement("89", "yonne", "Yonne", "27", [2.7, 47.2, 4.4, 48.5]),
  departement("90", "territoire-de-belfort", "Territoire de Belfort", "27", [6.7, 47.3, 7.2, 47.9]),
  departement("91", "essonne", "Essonne", "11", [1.8, 48.2, 2.7, 48.9]),
  departement("92", "hauts-de-seine", "Hauts-de-Seine", "11", [2.0, 48.6, 2.4, 49.1]),
  departement("93", "seine-saint-denis", "Seine-Saint-Denis", "11", [2.2, 48.7, 2.7, 49.1]),
  departement("94", "val-de-marne", "Val-de-Marne", "11", [2.2, 48.6, 2.7, 49.0]),
  departement("95", "val-d-oise", "Val-d'Oise", "11", [1.5, 48.8, 2.7, 49.3]),
  departement("971", "guadeloupe", "Guadeloupe", "01", [-61.9, 15.7, -60.9, 16.6]),
  departement("972", "martinique", "Martinique", "02", [-61.3, 14.3, -60.7, 15.0]),
  departement("973", "guyane", "Guyane", "03", [-54.7, 2.0, -51.5, 5.9]),
  departement("974", "la-reunion", "La Réunion", "04", [55.1, -21.5, 55.9, -20.8]),
  departement("976", "mayotte", "Mayotte", "06", [44.9, -13.1, 45.4, -12.5]),
];

const departements = new Map(DEPARTEMENTS.map((departement) => [departement.code, departement]));
const regions = new Map(REGIONS.map((region) => [region.code, region]));

export function departementByCode(code: string): Departement | undefined {
  return departements.get(code);
}

export function regionByCode(code: string): Region | undefined {
  return regions.get(code);
}

/**
 * Lower case without accents, ligatures or separators: `Côtes-d’Armor`, `COTES D ARMOR` and `CotesdArmor` are equal.
 */
export function foldName(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll("œ", "oe")
    .replaceAll("æ", "ae")
    .replaceAll("ß", "ss")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

const departementNames = new Map(DEPARTEMENTS.map((departement) => [foldName(departement.nom), departement]));
const regionNames = new Map(REGIONS.map((region) => [foldName(region.nom), region]));

/** Finds by folded name; `Réunion` also matches `La Réunion`. */
export function departementByName(name: string): Departement | undefined {
  const folded = foldName(name);
  return departementNames.get(folded) ?? departementNames.get(`la${folded}`);
}

export function regionByName(name: string): Region | undefined {
  const folded = foldName(name);
  return regionNames.get(folded) ?? regionNames.get(`la${folded}`);
}

/** The département of an INSEE commune code (`2A004` is in 2A, `97411` in 974), or undefined. */
export function departementOfCommune(code: string): Departement | undefined {
  return departements.get(code.startsWith("97") ? code.slice(0, 3) : code.slice(0, 2));
}

/** Ignores accents, case and separators. Null when no name is within a third of the length (at least two letters). */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const folded = foldName(name);
  let best: string | null = null;
  let least = Math.max(2, Math.floor(folded.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(folded, foldName(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Degrees outside the (already rounded) box, for harbors, islets and bridges. */
const MARGIN = 0.1;

interface Position {
  readonly lat: number;
  readonly lon: number;
}

export function isInBox(
  { lat, lon }: Position,
  { box: [west, south, east, north] }: Pick<Departement, "box">,
): boolean {
  return lon >= west - MARGIN && lon <= east + MARGIN && lat >= south - MARGIN && lat <= north + MARGIN;
}

export function isInFrance(position: Position): boolean {
  return DEPARTEMENTS.some((departement) => isInBox(position, departement));
}

/** Islands, whose boxes contain no other land, so that a box is as good as an outline. Guyane has neighbors. */
const ISLANDS = DEPARTEMENTS.filter(({ code }) => ["971", "972", "974", "976"].includes(code));

export function islandAt({ lat, lon }: Position): Departement | undefined {
  return ISLANDS.find(
    ({ box: [west, south, east, north] }) => lon >= west && lon <= east && lat >= south && lat <= north,
  );
}

/** True when the position is outside France and inside with latitude and longitude swapped. */
export function looksSwapped({ lat, lon }: Position): boolean {
  return !isInFrance({ lat, lon }) && Math.abs(lon) <= 90 && isInFrance({ lat: lon, lon: lat });
}
