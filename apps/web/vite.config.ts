/** How the map is bundled, and its development server: `npm run dev -w @triptych/web` beside a directory on 7002. */
import { join } from "node:path";
import { defineConfig } from "vite";
import { maplibreChunks } from "./build/maplibre-chunks.ts";

/** Browsers that know `light-dark()`: those of the last two years. */
const BROWSERS = ["chrome123", "firefox121", "safari17.5"];
/** Served by the directory beside the page. */
const SERVED = ["/docs/dom.js", "/carte/key.js"];
const directory = { target: "http://127.0.0.1:7002", changeOrigin: true };

export default defineConfig({
  root: join(import.meta.dirname, "map"),
  base: "/carte/",
  plugins: [maplibreChunks()],
  cacheDir: join(import.meta.dirname, "../../node_modules/.cache/vite-web"),
  logLevel: "warn",
  build: {
    target: BROWSERS,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1200,
    emptyOutDir: true,
    rolldownOptions: { external: SERVED },
  },
  server: {
    proxy: { "/api": directory, "/docs": directory, "/carte/key.js": directory, "/carte/background.json": directory },
  },
});
