import { readFile } from "node:fs/promises";

/** Undefined where the file is missing or corrupt: a power cut may leave an empty one. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
