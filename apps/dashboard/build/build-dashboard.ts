import { fileURLToPath } from "node:url";
import { builtSite } from "@triptych/web/build/site";

/** The folder with `index.html` and `assets/`, built if its sources have changed. Rejects with the build's output. */
export function builtDashboard(): Promise<string> {
  return builtSite({
    name: "the dashboard",
    home: fileURLToPath(new URL("..", import.meta.url)),
    program: fileURLToPath(new URL("main.ts", import.meta.url)),
    sources: [
      "apps/dashboard/{index.html,package.json,vite.config.ts}",
      "apps/dashboard/{src,build}/**/*.*",
      "apps/web/shared/{endpoint,i18n}.ts",
      "packages/contracts/src/panel/limits.ts",
      "packages/client/src/*.ts",
      "packages/util/src/*.ts",
      "packages/server/src/pages/browser/tokens.css",
    ],
  });
}
