/**
 * The map before its first use, and where WebGL is missing: outlines and marks as SVG, at the position and in the look
 * of the live map. Clusters are computed by the library that MapLibre uses, so they are the same.
 */
import { el } from "/docs/dom.js";
import Supercluster, { type ClusterProperties } from "supercluster";
import type { Item } from "./api.ts";
import type { Background } from "./background.ts";
import type { MapContent } from "./layout.ts";
import {
  abbreviate,
  CAPITALS_FROM,
  clusterRadius,
  CLUSTERS,
  DEPARTEMENTS_FROM,
  EMPTY,
  toCounts,
  toPoint,
  TOWNS_FROM,
} from "./map-data.ts";
import { fitFrame, type Padding } from "./mercator.ts";
import { pathOf, svg } from "./svg.ts";
import { METROPOLE } from "./territories.ts";
import type { Box } from "./view-state.ts";

const WORLD: [number, number, number, number] = [-180, -85, 180, 85];
/** Half the side of the square symbols of `shapes.ts`. */
const HALF = 4.8;
/** Pixels of a tile. */
const EXTENT = 512;

/** Pixels: from a town to its name (on the town or beside a mark), width of a character, height of a line. */
const NAME_OFFSETS = [0, 25, -25];
const NAME_CHARACTER = 6.5;
const NAME_LINE = 14;
/** Radius of a common mark. */
const CIRCLE = 13;

interface StaticMapOptions {
  readonly container: HTMLElement;
  readonly background: Background;
  readonly label: string;
  /** The parts covered by buttons. */
  padding(): Padding;
}

export function createStaticMap({ container, background, label, padding }: StaticMapOptions) {
  const { land, anchors } = background;

  const outlines = land.features.map((feature) => svg("path", { d: pathOf(feature) }));
  const ground = svg("g", { class: "ground" }, outlines);
  const marks = svg("g");
  const drawing = svg("svg", { "aria-hidden": "true" }, [ground, marks]);
  const element = el("div", { class: "static-map", role: "region", "aria-label": label, tabindex: 0 }, [drawing]);
  container.append(element);
  const clustersOf = createClusters();
  let content = EMPTY;
  let box = METROPOLE.box;

  function draw(): void {
    const { clientWidth: width, clientHeight: height } = container;
    const { zoom, transform, toPixel } = fitFrame(box, { width, height }, padding());
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    ground.setAttribute("transform", transform);
    for (const [index, { properties }] of land.features.entries())
      outlines[index]?.classList.toggle("chosen", content.chosenDepartements.includes(properties.code));
    const counts = toCounts(zoom < DEPARTEMENTS_FROM ? content.regionCounts : content.counts);
    const drawn = [...counts, ...clustersOf(content.points, Math.floor(zoom))].map(({ geometry, properties }) => {
      const [lon, lat] = geometry.coordinates;
      return { at: toPixel({ lat, lon }), symbol: symbolOf(properties) };
    });
    const towns = anchors.filter(({ isCapital }) => zoom >= (isCapital ? CAPITALS_FROM : TOWNS_FROM));
    marks.replaceChildren(
      ...namesOf(
        towns.map(({ town, place }) => ({ text: town, at: toPixel(place) })),
        drawn.map(({ at }) => at),
      ),
      ...drawn.map(({ at, symbol }) => svg("g", { transform: `translate(${at.join(" ")})` }, symbol)),
    );
  }

  const observer = new ResizeObserver(() => {
    // Paper shows the picture of the screen.
    if (!matchMedia("print").matches) draw();
  });
  observer.observe(container);

  return {
    element,
    show(next: MapContent): void {
      content = next;
      draw();
    },
    fit(next: Box): void {
      box = next;
      draw();
    },
    remove(): void {
      observer.disconnect();
      element.remove();
    },
  };
}

type PointProperties = ReturnType<typeof toPoint>[number]["properties"];
type Properties = ReturnType<typeof toCounts>[number]["properties"] | ClusterProperties | PointProperties;

function createClusters() {
  let index = new Supercluster<PointProperties>();
  let indexed: readonly Item[] = [];
  return (points: readonly Item[], zoom: number) => {
    if (points !== indexed) {
      indexed = points;
      index = new Supercluster<PointProperties>({ ...CLUSTERS, extent: EXTENT }).load(points.flatMap(toPoint));
    }
    return points.length === 0 ? [] : index.getClusters(WORLD, zoom);
  };
}

type Pixel = readonly [x: number, y: number];

/** Places names so that they cover no mark and no other name; names without space are left out. */
function namesOf(towns: readonly { readonly text: string; readonly at: Pixel }[], marks: readonly Pixel[]) {
  const taken = marks.map(([x, y]) => ({ x, y, half: CIRCLE, line: 2 * CIRCLE }));
  return towns.flatMap(({ text, at: [x, center] }) => {
    const half = (text.length * NAME_CHARACTER) / 2;
    const y = NAME_OFFSETS.map((offset) => center + offset).find((y) =>
      taken.every(
        (other) => Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y) > (other.line + NAME_LINE) / 2,
      ),
    );
    if (y === undefined) return [];
    taken.push({ x, y, half, line: NAME_LINE });
    return [svg("text", { class: "town", x, y }, [text])];
  });
}

function symbolOf(properties: Properties): SVGElement[] {
  if ("radius" in properties) {
    const { radius, short, chosen } = properties;
    return numbered(chosen ? "count chosen" : "count", radius, short);
  }
  if ("cluster" in properties) {
    const { point_count: count } = properties;
    return numbered("cluster", clusterRadius(count), abbreviate(count));
  }
  const { type } = properties;
  if (type === "place") return [svg("circle", { class: "point", r: 5.5 })];
  const transform = type === "article" ? "rotate(45)" : "";
  return [svg("rect", { class: "point", x: -HALF, y: -HALF, width: 2 * HALF, height: 2 * HALF, transform })];
}

function numbered(look: string, radius: number, text: string): SVGElement[] {
  return [svg("circle", { class: look, r: radius }), svg("text", {}, [text])];
}
