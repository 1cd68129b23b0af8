/**
 * The files behind the docs page and the map page, as data: under which address, as what, from which file. They are plain
 * modules and style sheets that browsers read as they are; `loadPageAssets` reads each once.
 */
export interface PageAsset {
  readonly path: string;
  readonly mediaType: string;
  readonly file: URL;
}

const MAP_FILES = [
  "api.js",
  "background.js",
  "carte.css",
  "carte.js",
  "clusters.js",
  "controls.js",
  "dom.js",
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

/** `tokens.css` stands under `/docs`, where every service has its pages: it is the look that they share. A module of both pages is served beside each. */
const DOCS_FILES = ["docs.css", "docs.js", "dom.js", "tokens.css"] as const;

export function pageAssets(): readonly PageAsset[] {
  return [
    ...MAP_FILES.map((name) => asset(`/carte/${name}`, name)),
    ...DOCS_FILES.map((name) => asset(`/docs/${name}`, name)),
  ];
}

function asset(path: string, name: string): PageAsset {
  const mediaType = name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
  return { path, mediaType, file: new URL(`./browser/${name}`, import.meta.url) };
}
