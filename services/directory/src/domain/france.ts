/** Where France is: the boxes of its départements, each with a margin. */
import { DEPARTEMENTS, type Departement } from "./reference.ts";

/** How much a place may lie outside of a box that is already rounded outward: harbours, islets, bridges. In degrees. */
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

/** Islands: no other land is in their boxes, so a box is as good as an outline. Guyane has neighbours. */
const ISLANDS = DEPARTEMENTS.filter(({ code }) => ["971", "972", "974", "976"].includes(code));

export function islandAt({ lat, lon }: Position): Departement | undefined {
  return ISLANDS.find(
    ({ box: [west, south, east, north] }) => lon >= west && lon <= east && lat >= south && lat <= north,
  );
}

/** True when a position is outside of France, and inside with its axes exchanged. */
export function looksSwapped({ lat, lon }: Position): boolean {
  return !isInFrance({ lat, lon }) && Math.abs(lon) <= 90 && isInFrance({ lat: lon, lon: lat });
}
