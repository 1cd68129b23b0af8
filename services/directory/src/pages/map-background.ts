/**
 * `/carte/background.json`: what the map is drawn on. The outlines of the départements, those that the operator installed or else the
 * shipped ones (coarser, and of the mainland and Corsica only), and always the 101 préfectures as anchors. Outlines travel as differences of whole 1/10 000 degrees (11 m), a fifth of GeoJSON.
 */
import { PREFECTURES } from "../domain/sample/prefectures.ts";
import { REGION_FACTS } from "../domain/sample/region-facts.ts";
import { departementByCode, departementByName, regionByCode } from "../domain/reference.ts";
import shipped from "./shipped-outlines.json" with { type: "json" };

export interface MapBackground {
  readonly anchors: readonly {
    readonly code: string;
    readonly slug: string;
    readonly nom: string;
    readonly region: string;
    readonly town: string;
    readonly lat: number;
    readonly lon: number;
    /** Seat of a région: named first where names do not all fit. */
    readonly seat: boolean;
  }[];
  /** Whose outlines they are: the file's own member `attribution`, or null. */
  readonly attribution: string | null;
  readonly outlines: readonly Outline[];
}

interface Outline {
  readonly code: string;
  /** Each ring as its first position, then differences: `[lon, lat, dLon, dLat, …]`. */
  readonly rings: readonly (readonly number[])[];
}

const UNITS_PER_DEGREE = 10_000;

/** From the installed GeoJSON as it was parsed, or null without one. What is not an outline of a département is left out. */
export function mapBackground(installed: unknown): MapBackground {
  const attribution = member(installed, "attribution");
  const features = member(installed, "features");
  return {
    anchors: PREFECTURES.map(({ departement, town, lat, lon }) => {
      const { code, slug, nom, region } = reference(departement);
      return { code, slug, nom, region, town, lat, lon, seat: REGION_FACTS.some((facts) => facts.seat === code) };
    }),
    ...(installed === null
      ? { attribution: shipped.attribution, outlines: SHIPPED }
      : {
          attribution: typeof attribution === "string" ? attribution : null,
          outlines: Array.isArray(features) ? features.flatMap(outlineOf) : [],
        }),
  };
}

/** Differences are of whole units: coarser ones are multiplied. */
const FINER = UNITS_PER_DEGREE / shipped.units_per_degree;
const SHIPPED: readonly Outline[] = shipped.outlines.map(({ code, rings }) => ({
  code,
  rings: rings.map((ring) => ring.map((difference) => difference * FINER)),
}));

function reference(code: string) {
  const departement = departementByCode(code);
  if (departement === undefined)
    throw new Error(`the préfectures name the département ${code}, which the reference list does not have`);
  return { ...departement, region: regionByCode(departement.region)?.slug ?? departement.region };
}

function outlineOf(feature: unknown): Outline[] {
  const properties = member(feature, "properties");
  const named = (keys: readonly string[]) =>
    keys.map((key) => member(properties, key)).find((value) => typeof value === "string") ?? "";
  const departement =
    departementByCode(named(["code", "code_insee", "insee"])) ?? departementByName(named(["nom", "name"]));
  const geometry = member(feature, "geometry");
  const coordinates = member(geometry, "coordinates");
  const polygons = member(geometry, "type") === "Polygon" ? [coordinates] : coordinates;
  if (departement === undefined || !Array.isArray(polygons)) return [];
  const rings = polygons.filter(Array.isArray).flatMap((polygon: readonly unknown[]) => polygon.map(differences));
  return [{ code: departement.code, rings: rings.filter((ring) => ring.length >= 6) }];
}

/** Positions that fall together are dropped, and so is the repeated last one. */
function differences(ring: unknown): number[] {
  if (!Array.isArray(ring)) return [];
  const flat: number[] = [];
  let [lastLon, lastLat] = [0, 0];
  for (const position of ring.slice(0, -1)) {
    const [lon, lat] = Array.isArray(position) ? position.map(Number) : [];
    const [unitLon, unitLat] = [Math.round((lon ?? 0) * UNITS_PER_DEGREE), Math.round((lat ?? 0) * UNITS_PER_DEGREE)];
    if (flat.length > 0 && unitLon === lastLon && unitLat === lastLat) continue;
    flat.push(unitLon - lastLon, unitLat - lastLat);
    [lastLon, lastLat] = [unitLon, unitLat];
  }
  return flat;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
