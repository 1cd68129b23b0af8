/** The map was built with the package. */
import { fileURLToPath } from "node:url";

export async function builtMap() {
  return fileURLToPath(new URL("../dist/", import.meta.url));
}
