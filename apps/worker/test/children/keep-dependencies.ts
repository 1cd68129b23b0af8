/** Keeps an entry whose copy never ends: the test kills this process in between. `<cache folder> <tree> <home>`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDependencyCache } from "../../src/dependencies/dependency-cache.ts";

const [, , folder = "", tree = "", home = ""] = process.argv;
const cache = await openDependencyCache({
  folder,
  bytesMax: 1_000_000,
  isProtected: true,
  now: () => 0,
  async copy(_from, _paths, to) {
    writeFileSync(join(to, "half"), "half");
    process.stdout.write("copying\n");
    setInterval(() => {}, 60_000);
    await new Promise(() => {});
  },
});
const signal = new AbortController().signal;
await cache.keep("a", { paths: Buffer.from("node_modules\0"), folders: { tree, home, seen: { tree, home }, signal } });
