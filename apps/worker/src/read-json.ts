import { readFile } from "node:fs/promises";

/** What a file of ours holds; undefined where there is none, or none that is whole: a power cut may leave an empty one. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
