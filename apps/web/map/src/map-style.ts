/**
 * The MapLibre style: base, outlines, counts, clusters, points, circle. It has no `glyphs`, so that MapLibre draws all
 * text from the fonts of the browser and needs no glyph files.
 */
import type {
  ExpressionSpecification,
  FilterSpecification,
  LayerSpecification,
  SourceSpecification,
  StyleSpecification,
} from "maplibre-gl";
import type { Background } from "./background.ts";
import { CAPITALS_FROM, CLUSTERS, collection, DEPARTEMENTS_FROM, pointAt, toData, TOWNS_FROM } from "./map-data.ts";
import type { MapContent } from "./layout.ts";
import type { Palette } from "./palette.ts";

/** Layers that react to clicks, from the top. */
export const MARK_LAYERS = ["points", "clusters", "counts", "regions"];
const FONT = ["system-ui", "sans-serif"];
const TITLES_FROM = 9;

export interface StyleInput {
  readonly palette: Palette;
  readonly background: Background;
  readonly content: MapContent;
  /** The operator's style, once it has loaded. */
  readonly base: StyleSpecification | null;
}

export function isRaster(url: string): boolean {
  return url.includes("{z}");
}

export function buildStyle({ palette, background, content, base }: StyleInput): StyleSpecification {
  const { tiles, land, anchors } = background;
  const raster = tiles !== null && isRaster(tiles.url) ? tiles.url : null;
  const hasTiles = raster !== null || base !== null;
  const own: Record<string, SourceSpecification> = Object.fromEntries(
    Object.entries(toData(content)).map(([name, data]) => [name, { type: "geojson", data }]),
  );
  const towns = anchors.map(({ place, town, isCapital }) => pointAt(place, { town, isCapital }));
  const { glyphs: _, ...rest } = base ?? { version: 8 as const, sources: {}, layers: [] };
  return {
    ...rest,
    sources: {
      ...rest.sources,
      ...(raster !== null && { tiles: { type: "raster", tiles: [raster], tileSize: 256 } }),
      land: { type: "geojson", data: land, tolerance: 0.2 },
      towns: { type: "geojson", data: collection(towns) },
      ...own,
      // Filled by the point feed.
      points: {
        type: "geojson",
        data: collection([]),
        cluster: true,
        clusterMaxZoom: CLUSTERS.maxZoom,
        clusterRadius: CLUSTERS.radius,
      },
    },
    layers: [
      ...rest.layers,
      ...(base === null ? groundLayers(palette, hasTiles) : []),
      ...landLayers(palette, content, hasTiles),
      ...(hasTiles ? [] : townLayers(palette)),
      ...circleLayers(palette),
      ...countLayers(palette),
      ...pointLayers(palette, content),
    ],
  };
}

function groundLayers(palette: Palette, hasTiles: boolean): LayerSpecification[] {
  return [
    { id: "sea", type: "background", paint: { "background-color": palette.sea } },
    ...(hasTiles ? [{ id: "tiles", type: "raster" as const, source: "tiles" }] : []),
  ];
}

function landLayers(palette: Palette, content: MapContent, hasTiles: boolean): LayerSpecification[] {
  const land: LayerSpecification = {
    id: "land",
    type: "fill",
    source: "land",
    paint: { "fill-color": palette.land, "fill-antialias": false },
  };
  return [
    ...(hasTiles ? [] : [land]),
    {
      id: "chosen-land",
      type: "fill",
      source: "land",
      filter: chosenLandFilter(content),
      paint: { "fill-color": palette.chosen, "fill-opacity": hasTiles ? 0.4 : 1 },
    },
    {
      id: "borders",
      type: "line",
      source: "land",
      layout: { "line-join": "round" },
      paint: { "line-color": palette.border, "line-width": ["interpolate", ["linear"], ["zoom"], 4, 0.6, 9, 1.6] },
    },
  ];
}

export function chosenLandFilter({ chosenDepartements }: MapContent): FilterSpecification {
  return ["in", ["get", "code"], ["literal", [...chosenDepartements]]];
}

function townLayers(palette: Palette): LayerSpecification[] {
  const layer = (id: string, minzoom: number, isCapital: boolean): LayerSpecification => ({
    id,
    type: "symbol",
    source: "towns",
    minzoom,
    filter: ["==", ["get", "isCapital"], isCapital],
    layout: {
      ...textLayout(["get", "town"], 11),
      // Beside a mark on the town.
      "text-variable-anchor": ["center", "top", "bottom", "left", "right"],
      "text-radial-offset": 1.6,
    },
    paint: textPaint(palette.label, palette.land),
  });
  return [layer("towns", TOWNS_FROM, false), layer("capitals", CAPITALS_FROM, true)];
}

function textLayout(field: ExpressionSpecification, size: number) {
  return { "text-field": field, "text-font": FONT, "text-size": size, "text-padding": 4, "text-max-width": 12 };
}

/** The number in a circle. Its padding keeps names of towns off the circle. */
function numberLayout(field: ExpressionSpecification) {
  return { ...textLayout(field, 12), "text-allow-overlap": true, "text-padding": 8 };
}

function textPaint(color: string, halo: string) {
  return { "text-color": color, "text-halo-color": halo, "text-halo-width": 1.4 };
}

function circleLayers(palette: Palette): LayerSpecification[] {
  return [
    { id: "circle", type: "fill", source: "circle", paint: { "fill-color": palette.accent, "fill-opacity": 0.12 } },
    {
      id: "circle-line",
      type: "line",
      source: "circle",
      paint: { "line-color": palette.accent, "line-width": 1.6, "line-dasharray": [3, 2] },
    },
  ];
}

function countLayers(palette: Palette): LayerSpecification[] {
  const layers = (id: "regions" | "counts", zooms: object): LayerSpecification[] => {
    const isChosen: ExpressionSpecification = ["get", "chosen"];
    return [
      {
        id,
        type: "circle",
        source: id,
        ...zooms,
        paint: {
          "circle-radius": ["get", "radius"],
          "circle-color": ["case", isChosen, palette.accent, palette.panel],
          "circle-stroke-color": palette.accent,
          "circle-stroke-width": 1.5,
        },
      },
      {
        id: `${id}-numbers`,
        type: "symbol",
        source: id,
        ...zooms,
        layout: numberLayout(["get", "short"]),
        paint: { "text-color": ["case", isChosen, palette["on-accent"], palette.ink] },
      },
    ];
  };
  return [...layers("regions", { maxzoom: DEPARTEMENTS_FROM }), ...layers("counts", { minzoom: DEPARTEMENTS_FROM })];
}

function pointLayers(palette: Palette, content: MapContent): LayerSpecification[] {
  const isCluster: ExpressionSpecification = ["has", "point_count"];
  return [
    {
      id: "clusters",
      type: "circle",
      source: "points",
      filter: isCluster,
      paint: {
        "circle-radius": ["interpolate", ["linear"], ["log10", ["get", "point_count"]], 0, 11, 5, 30],
        "circle-color": palette.accent,
        "circle-stroke-color": palette.panel,
        "circle-stroke-width": 2,
      },
    },
    {
      id: "cluster-numbers",
      type: "symbol",
      source: "points",
      filter: isCluster,
      layout: numberLayout(["get", "point_count_abbreviated"]),
      paint: { "text-color": palette["on-accent"] },
    },
    {
      id: "points",
      type: "symbol",
      source: "points",
      filter: ["!", isCluster],
      layout: {
        ...textLayout(["step", ["zoom"], "", TITLES_FROM, ["get", "title"]], 12),
        "text-anchor": "top",
        "text-offset": [0, 0.7],
        "text-optional": true,
        "icon-image": ["get", "type"],
        "icon-allow-overlap": true,
      },
      paint: textPaint(palette.ink, palette.land),
    },
    {
      id: "chosen",
      type: "circle",
      source: "chosen",
      paint: {
        "circle-radius": 11,
        "circle-color": "rgba(0, 0, 0, 0)",
        "circle-stroke-color": palette.accent,
        "circle-stroke-width": content.chosen === null ? 0 : 3,
      },
    },
  ];
}
