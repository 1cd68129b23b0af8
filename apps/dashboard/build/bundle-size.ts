/** Compressed download size of the first screen, and of each lazily loaded screen. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export const FIRST_LOAD_BYTES = 130 * 1024;
export const ROUTE_BYTES = 40 * 1024;

export interface Weight {
  /** Scripts and styles of the frame and of the first screen, the overview. */
  readonly firstLoad: number;
  /** Additional download per screen, by name. */
  readonly routes: readonly (readonly [string, number])[];
}

interface Chunk {
  readonly file: string;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

const FIRST_SCREEN = /\/overview\.tsx$/;

export async function weigh(folder: string): Promise<Weight> {
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as Manifest;
  const page = await readFile(join(folder, "index.html"), "utf8");
  const first = Object.keys(manifest).filter((name) => page.includes(manifest[name].file) || FIRST_SCREEN.test(name));
  const ofFirst = new Set(first.flatMap((name) => [...filesOf(manifest, name)]));
  const routes = Object.keys(manifest).filter(
    (name) => manifest[name].isDynamicEntry === true && !first.includes(name),
  );
  return {
    firstLoad: await bytesOf(folder, ofFirst),
    routes: await Promise.all(
      routes.map(async (name) => [name, await bytesOf(folder, without(filesOf(manifest, name), ofFirst))] as const),
    ),
  };
}

/** A chunk with its static imports. */
function filesOf(manifest: Manifest, name: string, seen = new Set<string>()): Set<string> {
  const { file, css = [], imports = [] } = manifest[name];
  if (seen.has(file)) return seen;
  for (const path of [file, ...css]) seen.add(path);
  for (const imported of imports) filesOf(manifest, imported, seen);
  return seen;
}

function without(files: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...files].filter((file) => !others.has(file)));
}

async function bytesOf(folder: string, files: ReadonlySet<string>): Promise<number> {
  const texts = await Promise.all([...files].map((file) => readFile(join(folder, file))));
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
}

/** A sentence for each exceeded budget. */
export function overweight({ firstLoad, routes }: Weight): readonly string[] {
  const sentence = (name: string, bytes: number, most: number) =>
    `${name} weighs ${bytes} bytes (gzip) and may weigh ${most}: take something out of it.`;
  return [
    ...(firstLoad > FIRST_LOAD_BYTES ? [sentence("the first load", firstLoad, FIRST_LOAD_BYTES)] : []),
    ...routes.filter(([, bytes]) => bytes > ROUTE_BYTES).map(([name, bytes]) => sentence(name, bytes, ROUTE_BYTES)),
  ];
}
