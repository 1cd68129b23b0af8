/**
 * What `npm ci` ends with: everything that a first start would have to do while somebody waits for it. The libraries are put together, the
 * programs compiled, the dashboard built. Nothing depends on it: a start does for itself what it does not find.
 */
import * as module from "node:module";
import { fileURLToPath } from "node:url";

try {
  const { bundleLibraries, useLibraries } = await import("./libraries.mjs");
  await bundleLibraries();
  useLibraries();
  module.enableCompileCache(fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)));
  const { loadServices } = await import("./apps/triptych/src/services.ts");
  await loadServices();
  module.flushCompileCache();
  const { builtDashboard } = await import("./apps/dashboard/build/build-dashboard.ts");
  await builtDashboard();
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The first start will take some seconds longer: ${why}\n`);
}
