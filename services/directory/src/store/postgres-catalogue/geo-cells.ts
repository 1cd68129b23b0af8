/**
 * Approximate positions: each coordinate of the unit vector in 16,127 steps of 800 m. A prefilter that excludes items
 * outside a circle, so that few are measured; only the chord decides.
 */
import type { Near } from "../../domain/catalogue.ts";
import { chordBound, unitVector } from "../../domain/geo.ts";
import { readColumnNumber, writeColumnNumber } from "./posting-codec.ts";

/** Two digits of a column, minus 0 for "no location". */
const STEPS = 16_127;
const DIGITS = 2;
/** Above any rounding error below, and far below a step. */
const SLACK = 1e-6;

/** @param axis the coordinates, or null for an item without a location. */
export function writeSpot(text: Uint8Array, at: number, axis: (offset: number) => number | null): void {
  for (let offset = 0; offset < 3; offset++) {
    const value = axis(offset);
    writeColumnNumber(text, at + offset * DIGITS, DIGITS, value === null ? 0 : Math.round(stepOf(value)));
  }
}

export function spotFilter(near: Near): (text: Uint8Array, at: number) => boolean {
  const half = Math.sqrt(chordBound(near.radiusKm)) + SLACK;
  const { x, y, z } = unitVector(near.lat, near.lon);
  const least = [x, y, z].map((center) => Math.max(1, Math.floor(stepOf(center - half))));
  const greatest = [x, y, z].map((center) => Math.ceil(stepOf(center + half)));
  return (text, at) => {
    for (let offset = 0; offset < 3; offset++) {
      const step = readColumnNumber(text, at + offset * DIGITS, DIGITS);
      if (step < least[offset] || step > greatest[offset]) return false;
    }
    return true;
  };
}

/** From 1, because 0 means no location. */
function stepOf(value: number): number {
  return 1 + ((value + 1) / 2) * STEPS;
}
