/** Mouse, touch and keys on the map: what is at a point, and its name under the pointer. */
import type { GeoJSONSource, Map as MapLibre, MapGeoJSONFeature, PointLike } from "maplibre-gl";
import type { Item } from "./api.ts";
import type { Count } from "./layout.ts";
import { CLUSTER_MAX_ZOOM, MARK_LAYERS } from "./map-style.ts";
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
  readonly tip: HTMLElement;
  points(): readonly Item[];
  onMark(mark: Mark): void;
  /** A location was clicked while picking. */
  onPick(place: Place): void;
  onPickEnd(): void;
  onHome(): void;
}

export function createMapInput(map: MapLibre, { tip, points, onMark, onPick, onPickEnd, onHome }: InputOptions) {
  const canvas = map.getCanvas();
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
    if (zoom > CLUSTER_MAX_ZOOM) onMark({ items });
    map.easeTo({ center: [first.lon, first.lat], zoom: Math.min(zoom, CLUSTER_MAX_ZOOM + 1) });
  }

  function clicked(point: { readonly x: number; readonly y: number }): void {
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

  map.on("click", ({ point }) => clicked(point));
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
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = PANS[event.key];
    const levels = ZOOMS[event.key];
    if (pan !== undefined) map.panBy(pan, { animate: false });
    else if (levels !== undefined) map.jumpTo({ zoom: map.getZoom() + levels });
    else if (event.key === "Enter") clicked({ x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 });
    else if (event.key === "Escape" && picking) onPickEnd();
    else if (event.key === "0" || event.key === "Home") onHome();
    else return;
    event.preventDefault();
  });

  return {
    setPicking(on: boolean): void {
      picking = on;
      canvas.style.cursor = on ? "crosshair" : "";
    },
  };
}
