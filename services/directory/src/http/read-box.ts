/** Parses `bbox`. */
import type { ValidationErrors } from "@triptych/server";
import type { Box } from "../domain/catalogue.ts";
import { looksSwapped } from "../domain/reference.ts";

const NUMBER = String.raw`\s*([+-]?\d{1,3}(?:\.\d{1,30})?)\s*`;
const FOUR_NUMBERS = new RegExp(`^${[NUMBER, NUMBER, NUMBER, NUMBER].join(",")}$`);
const FORM =
  "`bbox` must be four decimal numbers, west,south,east,north: longitudes from -180 to 180, latitudes from -90 to 90, as in bbox=-2.2,47.9,-1.4,48.3.";

export function readBox(text: string, errors: ValidationErrors): Box | null {
  const numbers = FOUR_NUMBERS.exec(text)?.slice(1).map(Number).map(atMostSixDecimals);
  if (numbers === undefined) {
    errors.add({ path: "?bbox", reason: "not_a_box", message: FORM });
    return null;
  }
  const [west, south, east, north] = numbers;
  const box = { west, south, east, north };
  const suggestion = swapped(box);
  if (suggestion !== null) {
    const message = `\`bbox\` is west,south,east,north, longitude first: this box is outside France. Did you mean bbox=${suggestion}?`;
    errors.add({ path: "?bbox", reason: "swapped", message, suggestions: [suggestion] });
    return null;
  }
  if (!isInRange(box)) {
    errors.add({ path: "?bbox", reason: "not_a_box", message: FORM });
    return null;
  }
  if (south > north) {
    const ordered = [west, north, east, south].join(",");
    const message = `\`bbox\` is west,south,east,north, and south (${south}) is above north (${north}). Did you mean bbox=${ordered}?`;
    errors.add({ path: "?bbox", reason: "not_a_box", message, suggestions: [ordered] });
    return null;
  }
  return box;
}

/** As precise as locations, so that all engines agree on borders. */
function atMostSixDecimals(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6 + 0;
}

function isInRange({ west, south, east, north }: Box): boolean {
  return [west, east].every((lon) => Math.abs(lon) <= 180) && [south, north].every((lat) => Math.abs(lat) <= 90);
}

/** The box of the two corners read as latitude,longitude, if only that reading is in France. */
function swapped({ west, south, east, north }: Box): string | null {
  const center = { lat: (south + north) / 2, lon: (west + east) / 2 };
  const other = { west: south, south: Math.min(west, east), east: north, north: Math.max(west, east) };
  return isInRange(other) && looksSwapped(center) ? [other.west, other.south, other.east, other.north].join(",") : null;
}
