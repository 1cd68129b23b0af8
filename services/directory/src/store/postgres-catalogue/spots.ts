/**
 * Where an item is, roughly: each coordinate of its unit vector in 16 127 steps, 800 m apart. It only tells who cannot be inside a
 * circle, so that few have to be measured exactly; the border is drawn by the chord and by nothing else.
 */
import type { Near } from "../../domain/catalogue.ts";
import { chordBound, unitVector } from "../../domain/geo.ts";
import { readColumnNumber, writeColumnNumber } from "./list-text.ts";

/** Two digits of a column, less the 0 for nowhere. */
const STEPS = 16_127;
const DIGITS = 2;
/** Beyond any rounding of the numbers below, and far below a step. */
const SLACK = 1e-6;

/** `axis`: the coordinates, or null for an item without a place, which no circle has. */
export function writeSpot(text: Uint8Array, at: number, axis: (offset: number) => number | null): void {
  for (let offset = 0; offset < 3; offset++) {
    const value = axis(offset);
    writeColumnNumber(text, at + offset * DIGITS, DIGITS, value === null ? 0 : Math.round(stepOf(value)));
  }
}

/** Whether the item with this spot may be inside. */
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

/** From 1: nothing rounds to 0. */
function stepOf(value: number): number {
  return 1 + ((value + 1) / 2) * STEPS;
}
