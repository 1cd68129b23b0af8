/** The sites were built with the package. */
import { fileURLToPath } from "node:url";

/** @param {string} name */
export async function builtWebSite(name) {
  return fileURLToPath(new URL(`../dist/${name}/`, import.meta.url));
}
