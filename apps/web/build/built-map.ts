import { fileURLToPath } from "node:url";
import { builtSite } from "./built-site.ts";

/** The folder of the map, built if its sources have changed. */
export function builtMap(): Promise<string> {
  return builtSite({
    name: "the map",
    home: fileURLToPath(new URL("..", import.meta.url)),
    program: fileURLToPath(new URL("main.ts", import.meta.url)),
    sources: [
      "apps/web/{package.json,vite.config.ts}",
      "apps/web/{map,build}/**/*.*",
      "packages/client/src/*.ts",
      "packages/server/src/pages/browser/tokens.css",
    ],
  });
}
