/** Download sizes of a built site (gzip), each with its budget. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SiteSettings } from "./sites.ts";

export interface Weight {
  readonly name: string;
  readonly bytes: number;
  readonly budgetKib?: number;
}

interface Chunk {
  readonly file: string;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk>>;
type Screens = NonNullable<SiteSettings["screens"]>;

/** Each script and style, all of them together, the load of the first screen, and what each other screen adds to it. */
export async function weigh(folder: string, { budgetKib, screens }: SiteSettings): Promise<readonly Weight[]> {
  const names = (await readdir(join(folder, "assets"))).filter((name) => name.endsWith(".gz")).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name: name.slice(0, -3), bytes: (await stat(join(folder, "assets", name))).size })),
  );
  const all = { name: "all scripts and styles", bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), budgetKib };
  const sizes = new Map(files.map(({ name, bytes }) => [`assets/${name}`, bytes]));
  return [...files, all, ...(screens === undefined ? [] : await weighScreens(folder, screens, sizes))];
}

async function weighScreens(
  folder: string,
  { first, firstKib, eachKib }: Screens,
  sizes: ReadonlyMap<string, number>,
): Promise<readonly Weight[]> {
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as Manifest;
  const page = await readFile(join(folder, "index.html"), "utf8");
  const sum = (paths: Iterable<string>) => [...paths].reduce((total, path) => total + (sizes.get(path) ?? 0), 0);
  const isFirst = (name: string) => name === first || page.includes(manifest[name].file);
  const chunks = Object.keys(manifest);
  const ofFirst = new Set(chunks.filter(isFirst).flatMap((name) => [...filesOf(manifest, name)]));
  const others = chunks.filter((name) => manifest[name].isDynamicEntry === true && !isFirst(name));
  return [
    { name: "the first load", bytes: sum(ofFirst), budgetKib: firstKib },
    ...others.map((name) => ({
      name,
      bytes: sum([...filesOf(manifest, name)].filter((path) => !ofFirst.has(path))),
      budgetKib: eachKib,
    })),
  ];
}

/** A chunk with its static imports. */
function filesOf(manifest: Manifest, name: string, seen = new Set<string>()): Set<string> {
  const { file, css = [], imports = [] } = manifest[name];
  if (seen.has(file)) return seen;
  for (const path of [file, ...css]) seen.add(path);
  for (const imported of imports) filesOf(manifest, imported, seen);
  return seen;
}

/** A sentence for each exceeded budget. */
export function overweight(weights: readonly Weight[]): readonly string[] {
  return weights.flatMap(({ name, bytes, budgetKib = Infinity }) =>
    bytes <= budgetKib * 1024
      ? []
      : `${name} weighs ${bytes} bytes (gzip) and may weigh ${budgetKib * 1024}: take something out of it.`,
  );
}
