/** The dashboard was built with the package. */
import { fileURLToPath } from "node:url";

export async function builtDashboard() {
  return fileURLToPath(new URL("../dist/", import.meta.url));
}
