/** How the dashboard is bundled, and its development server: `npm run dev -w @triptych/dashboard` beside a panel on 7001. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Browsers that know `light-dark()` and `<dialog>`: those of the last two years. */
const BROWSERS = ["chrome123", "firefox121", "safari17.5"];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Its cache stays with the other caches, and a build says nothing that nobody asked for.
  cacheDir: "../../node_modules/.cache/vite",
  logLevel: "warn",
  build: {
    target: BROWSERS,
    // The panel's policy lets no inline data in: small files are files too.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: "manifest.json",
    reportCompressedSize: false,
    emptyOutDir: true,
    // One chunk of all that the first screen needs: it compresses better than twenty, and is one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] } } },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:7001", changeOrigin: true } } },
});
