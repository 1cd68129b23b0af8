/**
 * Hands the points to the worker that clusters them, in slices: MapLibre copies them by hand, and 100,000 at once block
 * the page for 800 ms. A list that only grew sends its new points.
 */
import type { GeoJSONSource } from "maplibre-gl";
import type { Item } from "./api.ts";
import { toPoint } from "./map-data.ts";

/** A slice takes the page about 10 ms. The worker clusters all points again after each slice. */
const SLICE = 2_000;

export interface PointFeed {
  show(points: readonly Item[]): void;
  /** The source is new and empty. */
  restart(): void;
}

/** @param source undefined before the style has loaded. */
export function createPointFeed(source: () => GeoJSONSource | undefined, onBusy: (busy: boolean) => void): PointFeed {
  let points: readonly Item[] = [];
  let sent = 0;
  let isStale = false;
  let running: AbortController | null = null;

  async function send(): Promise<void> {
    const target = source();
    if (running !== null || target === undefined || (sent === points.length && !isStale)) return;
    running = new AbortController();
    const { signal } = running;
    onBusy(true);
    while (!signal.aborted && (sent < points.length || isStale)) {
      const from = sent;
      sent = Math.min(points.length, from + SLICE);
      const diff = {
        removeAll: isStale,
        add: points.slice(from, sent).flatMap((item, at) => toPoint(item, from + at)),
      };
      isStale = false;
      // One slice at a time: MapLibre would merge the slices that wait into a large one.
      await target.updateData(diff, true);
    }
    if (signal.aborted) return;
    running = null;
    onBusy(false);
  }

  return {
    show(next) {
      const isGrown = next.length >= sent && next[0] === points[0] && next[sent - 1] === points[sent - 1];
      if (!isGrown) {
        isStale = sent > 0 || isStale;
        sent = 0;
      }
      points = next;
      void send();
    },
    restart() {
      running?.abort();
      running = null;
      sent = 0;
      isStale = false;
      void send();
    },
  };
}
