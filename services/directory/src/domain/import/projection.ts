/** Projected coordinates of France to WGS84 degrees: Lambert-93 and the UTM zones of the overseas départements. */
import proj4 from "proj4";
import { isInBox, isInFrance, type Departement } from "../reference.ts";

/** RGF93, RGAF09, RGFG95, RGR92 and RGM04 agree with WGS84 to a few centimeters. */
const DEFINITIONS = {
  "EPSG:2154":
    "+proj=lcc +lat_0=46.5 +lon_0=3 +lat_1=49 +lat_2=44 +x_0=700000 +y_0=6600000 +ellps=GRS80 +units=m +no_defs",
  "EPSG:3857":
    "+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null +no_defs",
  "EPSG:5490": "+proj=utm +zone=20 +ellps=GRS80 +units=m +no_defs",
  "EPSG:2972": "+proj=utm +zone=22 +ellps=GRS80 +units=m +no_defs",
  "EPSG:2975": "+proj=utm +zone=40 +south +ellps=GRS80 +units=m +no_defs",
  "EPSG:4471": "+proj=utm +zone=38 +south +ellps=GRS80 +units=m +no_defs",
  "EPSG:32630": "+proj=utm +zone=30 +datum=WGS84 +units=m +no_defs",
  "EPSG:32631": "+proj=utm +zone=31 +datum=WGS84 +units=m +no_defs",
  "EPSG:32632": "+proj=utm +zone=32 +datum=WGS84 +units=m +no_defs",
  "EPSG:32620": "+proj=utm +zone=20 +datum=WGS84 +units=m +no_defs",
  "EPSG:32622": "+proj=utm +zone=22 +datum=WGS84 +units=m +no_defs",
  "EPSG:32740": "+proj=utm +zone=40 +south +datum=WGS84 +units=m +no_defs",
  "EPSG:32738": "+proj=utm +zone=38 +south +datum=WGS84 +units=m +no_defs",
} as const;

export type Crs = keyof typeof DEFINITIONS;
export const CRS_NAMES: readonly Crs[] = Object.keys(DEFINITIONS).filter(isCrs);

function isCrs(name: string): name is Crs {
  return Object.hasOwn(DEFINITIONS, name);
}

/** The CRS of a GeoJSON `crs` member or a code: `urn:ogc:def:crs:EPSG::2154`, `EPSG:2154`, `2154`. */
export function crsNamed(text: string): Crs | null {
  const name = `EPSG:${/(?:^|:)(\d{4,5})$/.exec(text.trim())?.[1] ?? ""}`;
  return isCrs(name) ? name : null;
}

/** The same meters are valid in every CRS, as another point: only the département of the row shows which one is right. */
export function crsIn(departement: Departement, x: number, y: number): Crs | null {
  return CRS_NAMES.find((crs) => isInBox(toDegrees(crs, x, y), departement)) ?? null;
}

/** Systems that put the point into France, the usual ones first. */
export function crsCandidates(x: number, y: number): Crs[] {
  return CRS_NAMES.filter((crs) => isInFrance(toDegrees(crs, x, y)));
}

/** Degrees have at most three digits before the point. */
export function isProjected(x: number, y: number): boolean {
  return Math.abs(x) > 1000 || Math.abs(y) > 1000;
}

export function toDegrees(crs: Crs, x: number, y: number): { readonly lat: number; readonly lon: number } {
  const [lon, lat] = proj4(DEFINITIONS[crs], "WGS84", [x, y]);
  return { lat, lon };
}
