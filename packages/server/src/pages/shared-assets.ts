/** What the pages of every service share: one look, one reference script, under the same addresses everywhere. */
import { loadPageAssets, type LoadedAsset } from "./page-assets.ts";

const FILES = ["copy.js", "dom.js", "page.css", "reference.css", "reference.js", "theme.js", "tokens.css"] as const;

let loading: Promise<readonly LoadedAsset[]> | null = null;

/** Read once in a process, however many services it holds. Modules of services import them by their address: `/docs/dom.js`. */
export function sharedAssets(): Promise<readonly LoadedAsset[]> {
  loading ??= loadPageAssets(
    FILES.map((name) => ({ path: `/docs/${name}`, file: new URL(`browser/${name}`, import.meta.url) })),
  );
  return loading;
}

export const TOKENS = "/docs/tokens.css";
export const PAGE_STYLES: readonly string[] = [TOKENS, "/docs/page.css"];
