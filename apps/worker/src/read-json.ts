import { readFile } from "node:fs/promises";

/** Reads a JSON file of the worker; undefined where it is missing or corrupt: a power cut may leave an empty one. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
