import type { PageAsset } from "@triptych/server";

/** Assets of the item pages. The map uses `key.js` too. */
const FILES = ["item-page.css", "item-page.js", "key.js"] as const;

export function pageAssets(): readonly PageAsset[] {
  return FILES.map((name) => ({ path: `/carte/${name}`, file: new URL(`./browser/${name}`, import.meta.url) }));
}
