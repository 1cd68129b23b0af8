import type { PageAsset } from "@triptych/server";

const FILES = [
  "api.js",
  "background.js",
  "map-page.css",
  "map-page.js",
  "clusters.js",
  "controls.js",
  "renderer.js",
  "export.js",
  "facets.js",
  "item-page.css",
  "item-page.js",
  "viewport.js",
  "overseas-insets.js",
  "key.js",
  "list.js",
  "map-keys.js",
  "map-note.js",
  "map.js",
  "markers.js",
  "notices.js",
  "palette.js",
  "pointers.js",
  "projection.js",
  "results.js",
  "marker-layout.js",
  "tooltip.js",
  "translate.js",
  "view-state.js",
  "i18n.js",
] as const;

export function pageAssets(): readonly PageAsset[] {
  return FILES.map((name) => ({ path: `/carte/${name}`, file: new URL(`./browser/${name}`, import.meta.url) }));
}
