import type { PageAsset } from "@triptych/server";

const FILES = [
  "api.js",
  "background.js",
  "carte.css",
  "carte.js",
  "clusters.js",
  "controls.js",
  "draw.js",
  "export.js",
  "facets.js",
  "framing.js",
  "insets.js",
  "key.js",
  "list.js",
  "map-keys.js",
  "map-note.js",
  "map.js",
  "marks.js",
  "notices.js",
  "palette.js",
  "pointers.js",
  "projection.js",
  "results.js",
  "scene.js",
  "tip.js",
  "translate.js",
  "view-state.js",
  "words.js",
] as const;

export function pageAssets(): readonly PageAsset[] {
  return FILES.map((name) => ({ path: `/carte/${name}`, file: new URL(`./browser/${name}`, import.meta.url) }));
}
