/** Mouse, touch and keys on the map: what is at a point, and its name under the pointer. */
import { byId } from "/docs/dom.js";
import type { GeoJSONSource, Map as MapLibre, MapGeoJSONFeature, PointLike } from "maplibre-gl";
import type { Item } from "./api.ts";
import type { Count } from "./layout.ts";
import { CLUSTERS } from "./map-data.ts";
import { MARK_LAYERS } from "./map-style.ts";
import type { Place } from "./view-state.ts";

export type Mark = { readonly items: readonly Item[] } | { readonly count: Pick<Count, "filter" | "value"> };

/** Pixels around the pointer in which a mark counts as clicked. */
const SLACK = 5;
const CLUSTER_LEAVES_MAX = 500;
const PANS: Readonly<Record<string, [number, number]>> = {
  ArrowLeft: [-60, 0],
  ArrowRight: [60, 0],
  ArrowUp: [0, -60],
  ArrowDown: [0, 60],
};
const ZOOMS: Readonly<Record<string, number>> = { "+": 0.6, "=": 0.6, "-": -0.6 };

interface InputOptions {
  points(): readonly Item[];
  onMark(mark: Mark): void;
  /** A location was clicked while picking. */
  onPick(place: Place): void;
  onPickEnd(): void;
  onHome(): void;
}

export function createMapInput(map: MapLibre, { points, onMark, onPick, onPickEnd, onHome }: InputOptions) {
  const canvas = map.getCanvas();
  const tip = byId("tip", HTMLElement);
  let picking = false;

  function marksAt({ x, y }: { readonly x: number; readonly y: number }): MapGeoJSONFeature[] {
    const layers = MARK_LAYERS.filter((id) => map.getLayer(id) !== undefined);
    const box: [PointLike, PointLike] = [
      [x - SLACK, y - SLACK],
      [x + SLACK, y + SLACK],
    ];
    return map.queryRenderedFeatures(box, { layers });
  }

  const itemsOf = (features: readonly { readonly properties: object | null }[]): Item[] => {
    const indexes = new Set(features.map(({ properties }) => Number(Object(properties)["index"])));
    return [...indexes].flatMap((index) => points()[index] ?? []);
  };

  async function openCluster(feature: MapGeoJSONFeature): Promise<void> {
    const source = map.getSource<GeoJSONSource>("points");
    const id = Number(feature.properties["cluster_id"]);
    if (source === undefined) return;
    const items = itemsOf(await source.getClusterLeaves(id, CLUSTER_LEAVES_MAX, 0));
    const places = items.flatMap(({ location }) => location ?? []);
    const [first] = places;
    if (first === undefined) return;
    const zoom = await source.getClusterExpansionZoom(id);
    // Items at one address stay together at any zoom: the list shows them.
    if (zoom > CLUSTERS.maxZoom) onMark({ items });
    map.easeTo({ center: [first.lon, first.lat], zoom: Math.min(zoom, CLUSTERS.maxZoom + 1) });
  }

  function click(point: { readonly x: number; readonly y: number }): void {
    if (picking) {
      const { lat, lng } = map.unproject([point.x, point.y]);
      return onPick({ lat, lon: lng });
    }
    const [top, ...others] = marksAt(point);
    if (top === undefined) return undefined;
    const { filter, value, cluster } = top.properties;
    // New points may have replaced the cluster since it was drawn: then a click does nothing.
    if (cluster === true) return void openCluster(top).catch(() => undefined);
    if (filter === "departements" || filter === "region") return onMark({ count: { filter, value: String(value) } });
    return onMark({ items: itemsOf([top, ...others.filter(({ layer }) => layer.id === "points")]) });
  }

  /** Returns false for a key that has no meaning on the map. */
  function press(key: string): boolean {
    const pan = PANS[key];
    const levels = ZOOMS[key];
    if (pan !== undefined) map.panBy(pan, { animate: false });
    else if (levels !== undefined) map.jumpTo({ zoom: map.getZoom() + levels });
    else if (key === "Enter") click({ x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 });
    else if (key === "Escape" && picking) onPickEnd();
    else if (key === "0" || key === "Home") onHome();
    else return false;
    return true;
  }

  map.on("click", ({ point }) => click(point));
  map.on("mousemove", ({ point, originalEvent }) => {
    // During a drag the marks move with the pointer.
    const [mark] = originalEvent.buttons === 0 ? marksAt(point) : [];
    canvas.style.cursor = picking ? "crosshair" : mark === undefined ? "" : "pointer";
    const { title, label, count, point_count: clustered } = mark?.properties ?? {};
    const text = title ?? (label === undefined ? clustered : `${String(label)}: ${String(count)}`);
    tip.hidden = text === undefined;
    if (text === undefined) return;
    tip.textContent = String(text);
    tip.style.left = `${Math.max(4, Math.min(canvas.clientWidth - tip.offsetWidth - 8, point.x - tip.offsetWidth / 2))}px`;
    tip.style.top = `${point.y > 50 ? point.y - tip.offsetHeight - 14 : point.y + 18}px`;
  });
  map.on("mouseout", () => (tip.hidden = true));
  canvas.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && press(event.key)) event.preventDefault();
  });

  return {
    click,
    press,
    setPicking(on: boolean): void {
      picking = on;
      canvas.style.cursor = on ? "crosshair" : "";
    },
  };
}
