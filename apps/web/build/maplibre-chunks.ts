/**
 * MapLibre as modules: code that page and worker share is one chunk for both, and the worker is a file of our own
 * origin. Its CSP build would load the shared part twice (100 KiB), its default build starts the worker from a `blob:`.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

const PREFIX = "\0maplibre/";
const PARTS = /^define\((?:"|')(shared|worker|index)(?:"|'),\[[^\]]*\],\((function\([\s\S]*?\}\))\);?$/gm;
/** Exported under other local names: a local `Map` would hide the global one from the library. */
const EXPORTS = ["Map", "Popup", "ScaleControl"];

export function maplibreChunks(): Plugin {
  let parts: ReadonlyMap<string, string> = new Map();
  return {
    name: "maplibre-chunks",
    enforce: "pre",
    async buildStart() {
      const file = createRequire(import.meta.url).resolve("maplibre-gl/dist/maplibre-gl.js");
      const text = await readFile(file, "utf8");
      // The last parenthesis of each part closes `define(`.
      parts = new Map([...text.matchAll(PARTS)].map(([, name = "", factory = ""]) => [name, factory.slice(0, -1)]));
      if (parts.size !== 3) throw new Error("maplibre-gl.js no longer has the parts shared, worker and index");
    },
    resolveId(id) {
      if (id === "maplibre-gl") return `${PREFIX}index`;
      return id.startsWith(PREFIX) ? id : null;
    },
    load(id) {
      const name = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : "";
      const factory = parts.get(name);
      if (factory === undefined) return null;
      const shared = `import shared from "${PREFIX}shared";\n`;
      if (name === "shared") return `const shared = {};\n(${factory})(shared);\nexport default shared;\n`;
      if (name === "worker") return `${shared}(${factory})(shared);\n`;
      const started = factory.split("new Worker(");
      if (started.length !== 2) throw new Error("maplibre-gl.js no longer starts one worker");
      const worker = this.emitFile({ type: "chunk", id: `${PREFIX}worker`, name: "map-worker" });
      const asModule = factory.replace(/new Worker\(([^)]*)\)/, 'new Worker($1,{type:"module"})');
      return `${shared}const library = {};\n(${asModule})(library, shared);
library.setWorkerUrl(import.meta.ROLLUP_FILE_URL_${worker});
${EXPORTS.map((name) => `const export${name} = library.${name};\nexport { export${name} as ${name} };\n`).join("")}`;
    },
  };
}
