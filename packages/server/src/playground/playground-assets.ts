import type { PageAsset } from "../pages/page-assets.ts";

const FILES = [
  "response-parts.js",
  "api.js",
  "curl.js",
  "explained-terms.js",
  "payment.js",
  "playground.css",
  "playground.js",
  "question.js",
  "render-response.js",
] as const;

export function playgroundAssets(): readonly PageAsset[] {
  return FILES.map((name) => ({
    path: `/playground/${name}`,
    file: new URL(`./browser/${name}`, import.meta.url),
  }));
}
