/**
 * `npm run record:wire`: records the wire of this version in `test/wire/<version>/`, for the test of the next minor version: what
 * the OpenAPI documents say of requests and successful responses, and the frames between panel and worker.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { panelFrames, workerFrames } from "@triptych/contracts";
import { readPackageFile, ROOT } from "./workspaces.ts";

const SERVICES = ["directory", "gateway", "panel", "rail", "router"];
/** Members that do not affect compatibility. */
const PROSE = new Set([
  "description",
  "title",
  "summary",
  "example",
  "examples",
  "tags",
  "security",
  "servers",
  "info",
]);

const { version } = await readPackageFile("package.json");
const folder = join(ROOT, "test/wire", version.split(".").slice(0, 2).join("."));
await mkdir(folder, { recursive: true });
for (const service of SERVICES) {
  const document: unknown = JSON.parse(await readFile(join(ROOT, "openapi", `${service}.json`), "utf8"));
  await writeFile(join(folder, `${service}.openapi.json`), `${JSON.stringify(withoutProse(document))}\n`);
}
await writeFile(join(folder, "frames.json"), `${JSON.stringify({ worker: workerFrames, panel: panelFrames })}\n`);
process.stdout.write(`${folder}\n`);

/** Removes prose and error responses. A schema property may have the name of a keyword, and stays. */
function withoutProse(value: unknown, parent = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one));
  if (typeof value !== "object" || value === null) return value;
  const isMap = parent === "properties" || parent === "schemas";
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name]) => isMap || (!PROSE.has(name) && !/^[345]\d\d$|^default$/.test(parent === "responses" ? name : "")),
      )
      .map(([name, one]) => [name, withoutProse(one, isMap ? "" : name)]),
  );
}
