/** Outlines of the départements and their préfectures, from `/carte/background.json`. */
import type { Feature, FeatureCollection, MultiPolygon } from "geojson";
import type { Place } from "./view-state.ts";

export interface Anchor {
  readonly code: string;
  readonly slug: string;
  readonly nom: string;
  readonly region: string;
  readonly town: string;
  readonly place: Place;
  readonly isCapital: boolean;
}

/** A base map of the operator's choice: a raster template with `{z}`, or the URL of a style. */
export interface Tiles {
  readonly url: string;
  readonly attribution: string | null;
}

export type Land = FeatureCollection<MultiPolygon, { readonly code: string }>;

export interface Background {
  readonly anchors: readonly Anchor[];
  readonly attribution: string | null;
  readonly land: Land;
  readonly tiles: Tiles | null;
}

/** Coordinates are integers of 1/10,000 degree, each ring as its first position and then deltas. */
const UNITS_PER_DEGREE = 10_000;

type Ring = readonly number[];
interface Sent {
  readonly anchors: readonly (Omit<Anchor, "place"> & Place)[];
  readonly attribution: string | null;
  readonly outlines: readonly { readonly code: string; readonly polygons: readonly (readonly Ring[])[] }[];
  readonly tiles: Tiles | null;
}

/** The fallback without a background, with which list, filters and points still work. */
export const BARE: Background = {
  anchors: [],
  attribution: null,
  land: { type: "FeatureCollection", features: [] },
  tiles: null,
};

export async function loadBackground(): Promise<Background> {
  const response = await fetch("/carte/background.json");
  if (!response.ok) throw new Error(`loading the map background failed with ${response.status}`);
  const { anchors, attribution, outlines, tiles } = (await response.json()) as Sent;
  return {
    anchors: anchors.map(({ lat, lon, ...anchor }) => ({ ...anchor, place: { lat, lon } })),
    attribution,
    land: { type: "FeatureCollection", features: outlines.map(toFeature) },
    tiles,
  };
}

function toFeature({ code, polygons }: Sent["outlines"][number]): Feature<MultiPolygon, { readonly code: string }> {
  const coordinates = polygons.map((rings) => rings.map(toPositions));
  return { type: "Feature", properties: { code }, geometry: { type: "MultiPolygon", coordinates } };
}

function toPositions(ring: Ring): [number, number][] {
  const positions: [number, number][] = [];
  let [lon, lat] = [0, 0];
  for (let index = 0; index + 1 < ring.length; index += 2) {
    lon += ring[index];
    lat += ring[index + 1];
    positions.push([lon / UNITS_PER_DEGREE, lat / UNITS_PER_DEGREE]);
  }
  return positions.length === 0 ? positions : [...positions, positions[0]];
}
