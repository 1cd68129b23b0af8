/** Builds the map into the given folder, and fails above the size budget. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

/** Scripts and styles with MapLibre and its worker, gzip. */
const BUDGET_KIB = 300;
/** Half a second for all; the highest takes three and saves 2 %. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const [folder = join(import.meta.dirname, "../dist/by-hand")] = process.argv.slice(2);
await build({ configFile: join(import.meta.dirname, "../vite.config.ts"), build: { outDir: resolve(folder) } });
const assets = join(folder, "assets");
let total = 0;
for (const name of (await readdir(assets)).sort()) {
  const body = await readFile(join(assets, name));
  const gzip = gzipSync(body, { level: 9 });
  await writeFile(join(assets, `${name}.gz`), gzip);
  await writeFile(join(assets, `${name}.br`), brotliCompressSync(body, BROTLI));
  const kib = gzip.length / 1024;
  total += kib;
  process.stdout.write(`${kib.toFixed(1).padStart(7)} KiB gzip  ${name}\n`);
}
process.stdout.write(`${total.toFixed(1).padStart(7)} KiB gzip  first load\n`);
if (total > BUDGET_KIB) {
  process.stderr.write(`the map may weigh ${BUDGET_KIB} KiB (gzip): take something out of it.\n`);
  process.exitCode = 1;
}
