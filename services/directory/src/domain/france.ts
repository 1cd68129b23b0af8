/** Bounds of France: the boxes of its départements, each with a margin. */
import { DEPARTEMENTS, type Departement } from "./reference.ts";

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

/** Islands: their boxes contain no other land, so a box is as good as an outline. Guyane has neighbors. */
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
