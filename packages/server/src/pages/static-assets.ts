/** Shared style sheets and scripts of all services' pages, at the same URLs everywhere. */
import { loadPageAssets, type LoadedAsset } from "./page-assets.ts";

const FILES = ["copy.js", "dom.js", "page.css", "reference.css", "reference.js", "theme.js", "tokens.css"] as const;

let loading: Promise<readonly LoadedAsset[]> | null = null;

/** Read once per process, even with several services. Modules of services import them by URL: `/docs/dom.js`. */
export function sharedAssets(): Promise<readonly LoadedAsset[]> {
  loading ??= loadPageAssets(
    FILES.map((name) => ({ path: `/docs/${name}`, file: new URL(`browser/${name}`, import.meta.url) })),
  );
  return loading;
}

export const TOKENS = "/docs/tokens.css";
export const PAGE_STYLES: readonly string[] = [TOKENS, "/docs/page.css"];
