/**
 * `/carte/background.json`: outlines of the départements (installed, or the coarser shipped ones), the 101 préfectures as
 * anchors, and the tiles of the operator. Outlines are delta-encoded in units of 1/10,000 degree (11 m), a fifth of
 * GeoJSON's size.
 */
import { PREFECTURES } from "../domain/seed-data/prefectures.ts";
import { REGION_FACTS } from "../domain/seed-data/region-facts.ts";
import { departementByCode, departementByName, regionByCode } from "../domain/reference.ts";
import shipped from "./boundaries.json" with { type: "json" };

export interface MapBackground {
  readonly anchors: readonly {
    readonly code: string;
    readonly slug: string;
    readonly nom: string;
    readonly region: string;
    readonly town: string;
    readonly lat: number;
    readonly lon: number;
    /** Seat of a région: labeled first when space is short. */
    readonly isCapital: boolean;
  }[];
  /** Source of the outlines: the file's member `attribution`, or null. */
  readonly attribution: string | null;
  readonly outlines: readonly Outline[];
  readonly tiles: MapTiles | null;
}

/** A base map: a raster template with `{z}`, `{x}` and `{y}`, or the URL of a MapLibre style. */
export interface MapTiles {
  readonly url: string;
  readonly attribution: string | null;
}

interface Outline {
  readonly code: string;
  /** Rings of each polygon, the outer one first; a ring is its first position, then deltas: `[lon, lat, dLon, dLat, …]`. */
  readonly polygons: readonly (readonly (readonly number[])[])[];
}

const UNITS_PER_DEGREE = 10_000;

/** From the parsed installed GeoJSON, if any. Ignores features that are not département outlines. */
export function mapBackground(installed: unknown, tiles: MapTiles | null = null): MapBackground {
  const attribution = member(installed, "attribution");
  const features = member(installed, "features");
  return {
    tiles,
    anchors: PREFECTURES.map(({ departement, town, lat, lon }) => {
      const { code, slug, nom, region } = reference(departement);
      return {
        code,
        slug,
        nom,
        region,
        town,
        lat,
        lon,
        isCapital: REGION_FACTS.some((facts) => facts.capital === code),
      };
    }),
    ...(installed === null
      ? { attribution: shipped.attribution, outlines: SHIPPED }
      : {
          attribution: typeof attribution === "string" ? attribution : null,
          outlines: Array.isArray(features) ? features.flatMap(outlineOf) : [],
        }),
  };
}

/** Deltas are whole units, so coarser ones are multiplied. */
const FINER = UNITS_PER_DEGREE / shipped.units_per_degree;
const SHIPPED: readonly Outline[] = shipped.outlines.map(({ code, polygons }) => ({
  code,
  polygons: polygons.map((rings) => rings.map((ring) => ring.map((difference) => difference * FINER))),
}));

function reference(code: string) {
  const departement = departementByCode(code);
  if (departement === undefined) throw new Error(`unknown département ${code} in the list of préfectures`);
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
  const drawn = polygons
    .filter(Array.isArray)
    .map((polygon: readonly unknown[]) => polygon.map(differences).filter((ring) => ring.length >= 6));
  return [{ code: departement.code, polygons: drawn.filter((rings) => rings.length > 0) }];
}

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
