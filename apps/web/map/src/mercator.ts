/** Web Mercator as MapLibre computes it, so that the static map is at the position of the live one. */
import type { Box, Place } from "./view-state.ts";

/** Width of the world at zoom 0. */
export const TILE_PIXELS = 512;
/** Units of the world's width: 40 m at the equator, a fraction of a pixel where the whole of France is shown. */
const UNITS = 1_000_000;
const RADIAN = Math.PI / 180;

export interface Padding {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** A part of the world on a plane of pixels. */
export interface Frame {
  readonly zoom: number;
  /** From units to pixels, for SVG. */
  readonly transform: string;
  toPixel(place: Place): readonly [x: number, y: number];
}

/** Shows the whole box within the padding, like `fitBounds` of MapLibre. */
export function fitFrame(
  box: Box,
  { width, height }: { readonly width: number; readonly height: number },
  { top, bottom, left, right }: Padding,
): Frame {
  const bounds = boundsOf(box);
  const [innerWidth, innerHeight] = [Math.max(1, width - left - right), Math.max(1, height - top - bottom)];
  const scale = Math.min(innerWidth / bounds.width, innerHeight / bounds.height);
  const x = left + innerWidth / 2 - scale * (bounds.x + bounds.width / 2);
  const y = top + innerHeight / 2 - scale * (bounds.y + bounds.height / 2);
  return {
    zoom: Math.log2((scale * UNITS) / TILE_PIXELS),
    transform: `translate(${x} ${y}) scale(${scale})`,
    toPixel(place) {
      const [unitsX, unitsY] = toUnits(place);
      return [x + scale * unitsX, y + scale * unitsY];
    },
  };
}

export function boundsOf([west, south, east, north]: Box) {
  const [x, y] = toUnits({ lat: north, lon: west });
  const [right, bottom] = toUnits({ lat: south, lon: east });
  return { x, y, width: right - x, height: bottom - y };
}

export function toUnits({ lat, lon }: Place): [x: number, y: number] {
  const north = Math.log(Math.tan(Math.PI / 4 + (lat * RADIAN) / 2)) / (2 * Math.PI);
  return [(lon / 360 + 0.5) * UNITS, (0.5 - north) * UNITS];
}
