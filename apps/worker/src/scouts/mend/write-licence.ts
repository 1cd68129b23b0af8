/** The text of the licence that package.json names. */
import { readFile } from "node:fs/promises";
import { readManifest } from "../reading/npm-packages.ts";
import type { Repair, RepairContext } from "./repair.ts";

/** The available texts; `licences/SOURCES.md` lists their sources. */
const TEXTS: ReadonlySet<string> = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"]);

export async function writeLicence({ tree, year }: RepairContext): Promise<Repair | null> {
  const manifest = await readManifest(tree);
  const licence = manifest?.licence ?? "";
  if (manifest === null || !TEXTS.has(licence) || tree.files.has("LICENSE")) return null;
  const holder = manifest.author ?? (manifest.name === null ? "the authors" : `the ${manifest.name} authors`);
  const text = (await readFile(new URL(`licences/${licence}.txt`, import.meta.url), "utf8"))
    .replace("<year>", String(year))
    .replace("<holder>", () => holder);
  return {
    summary: `LICENSE: the text of ${licence}, for ${holder}`,
    edits: [{ path: "LICENSE", text }],
    lockTool: null,
  };
}
