/** How a site is bundled. The mode is its name: `npm run dev -w @triptych/web -- map`, beside its service. */
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type PluginOption } from "vite";
import { maplibreChunks } from "./build/maplibre-chunks.ts";
import { isSiteName, SITES, type SiteName, type SiteSettings } from "./build/sites.ts";

/** Browsers that know `light-dark()` and `<dialog>`: those of the last two years. */
const BROWSERS = ["chrome123", "firefox121", "safari17.5"];

const PLUGINS: { readonly [Site in SiteName]?: readonly PluginOption[] } = {
  dashboard: [react()],
  map: [maplibreChunks()],
};

export default defineConfig(({ mode }) => {
  if (!isSiteName(mode)) throw new Error(`Name one of the sites: ${Object.keys(SITES).join(", ")}.`);
  const { base, service, served, screens }: SiteSettings = SITES[mode];
  const proxied = { target: service, changeOrigin: true };
  const paths = ["/api", "/v1", "/docs", "/.well-known", `${base}background.json`, ...served];
  return {
    root: join(import.meta.dirname, mode),
    base,
    plugins: [...(PLUGINS[mode] ?? [])],
    cacheDir: join(import.meta.dirname, "../../node_modules/.cache/vite-web", mode),
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: mode === "dashboard" ? "react" : "preact" } },
    build: {
      target: BROWSERS,
      // The policy of the pages allows no inline data.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: screens === undefined ? false : "manifest.json",
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1600,
      emptyOutDir: true,
      rolldownOptions: {
        external: [...served],
        // One chunk of all that the first screen needs: it compresses better than twenty, and is one request.
        ...(screens && { output: { codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] } } }),
      },
    },
    server: { proxy: Object.fromEntries(paths.map((path) => [path, proxied])) },
  };
});
