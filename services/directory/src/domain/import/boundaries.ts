/**
 * Finds the département of a point in GeoJSON polygons. Outlines are usually simplified, so a point in no polygon
 * (harbors, bridges) belongs to the nearest border within one kilometer.
 */
import { booleanPointInPolygon } from "@turf/boolean-point-in-polygon";
import { isRecord } from "@triptych/util";
import { departementByCode, departementByName, type Departement } from "../reference.ts";

export interface Boundaries {
  departementAt(lat: number, lon: number): string | null;
  readonly codes: readonly string[];
}

type Ring = [number, number][];
interface Shape {
  readonly code: string;
  readonly rings: Ring[];
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface OutlineFaults {
  readonly issues: readonly string[];
}

/** Maximum distance of a border, in kilometers. */
const REACH_KM = 1;
const KM_PER_DEGREE = 111.195;

/**
 * Loads a parsed FeatureCollection of Polygons and MultiPolygons. A property identifies the département: `code`
 * (`code_insee`, `insee`) or `nom` (`name`). Features of one département are merged. Reports all errors.
 */
export function loadOutlines(collection: unknown): Boundaries | OutlineFaults {
  const features = isRecord(collection) ? collection["features"] : undefined;
  if (!Array.isArray(features)) return { issues: ["the file is not a GeoJSON FeatureCollection"] };
  const issues: string[] = [];
  const shapes = features.flatMap((feature: unknown, index) => {
    const read = readFeature(feature);
    if (typeof read !== "string") return read;
    issues.push(`feature ${index + 1}: ${read}`);
    return [];
  });
  if (shapes.length === 0 && issues.length === 0) issues.push("the file has no features");
  return issues.length > 0 ? { issues } : outlinesOf(shapes);
}

function outlinesOf(shapes: readonly Shape[]): Boundaries {
  return {
    codes: [...new Set(shapes.map((shape) => shape.code))].sort(),
    departementAt: (lat, lon) => {
      const around = shapes.find((shape) => isInBox(shape, lat, lon, 0) && isInside(shape, lat, lon));
      return around?.code ?? nearestBorder(shapes, lat, lon);
    },
  };
}

function isInside({ rings }: Shape, lat: number, lon: number): boolean {
  return booleanPointInPolygon([lon, lat], { type: "Polygon", coordinates: rings });
}

function nearestBorder(shapes: readonly Shape[], lat: number, lon: number): string | null {
  // Flat geometry is exact enough within a kilometer; degrees of longitude shrink with latitude.
  const shrink = Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  const margin = REACH_KM / KM_PER_DEGREE / shrink;
  let nearest: string | null = null;
  let least = (REACH_KM / KM_PER_DEGREE) ** 2;
  for (const shape of shapes) {
    if (!isInBox(shape, lat, lon, margin)) continue;
    for (const ring of shape.rings) {
      for (let index = 1; index < ring.length; index++) {
        const distance = squaredDistance(ring[index - 1], ring[index], { lat, lon, shrink });
        if (distance < least) [least, nearest] = [distance, shape.code];
      }
    }
  }
  return nearest;
}

/** Distance from a point to a segment, in squared degrees of latitude. */
function squaredDistance(
  from: readonly [number, number],
  to: readonly [number, number],
  point: { lat: number; lon: number; shrink: number },
): number {
  const [ax, ay] = [(from[0] - point.lon) * point.shrink, from[1] - point.lat];
  const [bx, by] = [(to[0] - point.lon) * point.shrink, to[1] - point.lat];
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length));
  return (ax + along * dx) ** 2 + (ay + along * dy) ** 2;
}

function isInBox(shape: Shape, lat: number, lon: number, margin: number): boolean {
  return (
    lon >= shape.west - margin &&
    lon <= shape.east + margin &&
    lat >= shape.south - margin &&
    lat <= shape.north + margin
  );
}

function readFeature(feature: unknown): Shape[] | string {
  if (!isRecord(feature) || !isRecord(feature["geometry"])) return "has no geometry";
  const departement = namedBy(isRecord(feature["properties"]) ? feature["properties"] : {});
  if (departement === undefined) return "does not name a known département (property `code` or `nom`)";
  const { type, coordinates } = feature["geometry"];
  const polygons: unknown = type === "Polygon" ? [coordinates] : coordinates;
  if ((type !== "Polygon" && type !== "MultiPolygon") || !Array.isArray(polygons))
    return "is not a Polygon or MultiPolygon";
  const shapes: Shape[] = [];
  for (const polygon of polygons) {
    if (!Array.isArray(polygon) || polygon.length === 0 || !polygon.every(isRing))
      return "has a ring that is not closed or not a list of positions";
    shapes.push(shapeOf(departement.code, polygon));
  }
  return shapes;
}

function namedBy(properties: Readonly<Record<string, unknown>>): Departement | undefined {
  const code = ["code", "code_insee", "insee"].map((key) => properties[key]).find((value) => typeof value === "string");
  const name = ["nom", "name"].map((key) => properties[key]).find((value) => typeof value === "string");
  return (
    departementByCode(typeof code === "string" ? code : "") ?? departementByName(typeof name === "string" ? name : "")
  );
}

function shapeOf(code: string, rings: Ring[]): Shape {
  const shape = { code, rings, west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (const [lon, lat] of rings[0]) {
    shape.west = Math.min(shape.west, lon);
    shape.east = Math.max(shape.east, lon);
    shape.south = Math.min(shape.south, lat);
    shape.north = Math.max(shape.north, lat);
  }
  return shape;
}

function isRing(value: unknown): value is Ring {
  if (!Array.isArray(value) || value.length < 4 || !value.every(isPosition)) return false;
  const [first, last] = [value[0], value[value.length - 1]];
  return first[0] === last[0] && first[1] === last[1];
}

function isPosition(value: unknown): value is [number, number] {
  return Array.isArray(value) && isDegrees(value[0], 180) && isDegrees(value[1], 90);
}

function isDegrees(value: unknown, most: number): boolean {
  return typeof value === "number" && Math.abs(value) <= most;
}
