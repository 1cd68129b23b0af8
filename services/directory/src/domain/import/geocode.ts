/**
 * Checks coordinates. Swapped axes are repaired only if the pair is outside the département's box and the swapped pair
 * inside. Without a département, a pair that fits France only when swapped is rejected, because it may be abroad.
 */
import { type Departement, isInBox, looksSwapped } from "../reference.ts";
import { readCoordinate, splitPair, type AxisOrder } from "./coordinates.ts";
import { crsIn, isProjected, toDegrees, type Crs } from "./projection.ts";
import type { Notes, RuleName } from "./rules.ts";

export interface Location {
  readonly lat: number;
  readonly lon: number;
}

export interface WrittenLocation {
  readonly lat: string;
  readonly lon: string;
  readonly pair?: string;
  /** Set for projected coordinates: `lon` is x, `lat` is y. */
  readonly crs?: Crs | undefined;
  /** Known before the location; determines the CRS if none is declared. */
  readonly departement: Departement | null;
  readonly column: string;
  readonly notes: Notes;
}

/** `bad`: invalid coordinates; rejects the row or drops its location. */
export type Located = Location | "none" | "bad";

type PairCell = Pick<WrittenLocation, "column" | "notes" | "crs" | "departement">;

export function writtenPair(raw: string, order: AxisOrder, cell: PairCell): WrittenLocation {
  const pair = splitPair(raw);
  if (pair === null) return { lat: raw, lon: raw, pair: raw, ...cell };
  const { first, second } = pair;
  const [lat, lon] = (pair.order ?? order) === "lat,lon" ? [first, second] : [second, first];
  return { lat, lon, pair: raw, ...cell };
}

/** Parses the axes and notes errors. With `dropBad` a rejection becomes a warning. */
export function readLocation(written: WrittenLocation, dropBad: boolean): Located {
  const [latText, lonText] = [written.lat.trim(), written.lon.trim()];
  if (latText === "" && lonText === "") return "none";
  const bad = (rule: RuleName): "bad" => {
    written.notes.note(rule, { column: written.column, value: textOf(written), ...(dropBad && { action: "warned" }) });
    return "bad";
  };
  if (latText === "" || lonText === "") return bad("location_incomplete");
  const [lat, lon] = [readCoordinate(latText), readCoordinate(lonText)];
  if (lat === null || lon === null) return bad("location_unreadable");

  const turned = lat.axis === "lon" || lon.axis === "lat";
  const [north, east] = turned ? [lon, lat] : [lat, lon];
  const projected = fromProjection(written, north.value, east.value);
  if (projected !== null) return projected;
  const fault = errorOf(north.value, east.value);
  if (fault !== null) return bad(fault);
  const location = rounded(north.value, east.value);
  const repair = turned ? "location_swapped" : SPELLING_RULES[lat.spelling ?? lon.spelling ?? "plain"];
  if (repair !== null)
    written.notes.note(repair, { column: written.column, value: textOf(written), result: formatLocation(location) });
  return location;
}

/** Null for degrees, and for meters of an unknown CRS. */
function fromProjection(written: WrittenLocation, north: number, east: number): Location | null {
  const { departement } = written;
  if (!isProjected(east, north)) return null;
  const crs = written.crs ?? (departement === null ? null : crsIn(departement, east, north));
  if (crs === null) return null;
  const { lat, lon } = toDegrees(crs, east, north);
  if (errorOf(lat, lon) !== null) return null;
  const location = rounded(lat, lon);
  const note = { column: written.column, value: `${crs} ${east}, ${north}`, result: formatLocation(location) };
  written.notes.note("location_converted", note);
  return location;
}

const SPELLING_RULES = { plain: null, comma: "location_comma_decimal", degrees: "location_degrees" } as const;

export function judgeLocation(location: Location, written: WrittenLocation, dropBad: boolean): Located {
  const { departement } = written;
  const swapped = { lat: location.lon, lon: location.lat };
  const note = { column: written.column, value: textOf(written) };
  if (departement !== null) {
    if (isInBox(location, departement)) return location;
    if (isInBox(swapped, departement)) {
      written.notes.note("location_swapped", { ...note, result: formatLocation(swapped) });
      return swapped;
    }
    written.notes.note("location_outside_departement", { ...note, result: formatLocation(location) });
    return location;
  }
  if (!looksSwapped(location)) return location;
  written.notes.note("location_swap_unsure", { ...note, ...(dropBad && { action: "warned" }) });
  return "bad";
}

function errorOf(lat: number, lon: number): RuleName | null {
  if (!Number.isFinite(lat) || !Number.isFinite(lon)) return "location_outside_globe";
  if (lat === 0 && lon === 0) return "location_zero";
  // Meters of Lambert-93 or Web Mercator have five or more digits; degrees never do.
  if (Math.abs(lat) > 1000 || Math.abs(lon) > 1000) return "location_projected";
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? null : "location_outside_globe";
}

/** Six decimals are a tenth of a meter. */
function rounded(lat: number, lon: number): Location {
  return { lat: Math.round(lat * 1e6) / 1e6 + 0, lon: Math.round(lon * 1e6) / 1e6 + 0 };
}

function textOf({ lat, lon, pair }: WrittenLocation): string {
  return pair ?? `${lat}, ${lon}`;
}

function formatLocation({ lat, lon }: Location): string {
  return `${lat}, ${lon}`;
}
