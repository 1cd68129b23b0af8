/** `node build/main.ts <site> [folder]`: builds a site into the given folder, and fails above its size budget. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { isSiteName, SITES } from "./sites.ts";

/** Half a second for all; the highest takes three and saves 2 %. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const [site = "", folder = join(import.meta.dirname, "../dist", site)] = process.argv.slice(2);
if (!isSiteName(site)) throw new Error(`Name one of the sites: ${Object.keys(SITES).join(", ")}.`);
const { budgetKib } = SITES[site];
const configFile = join(import.meta.dirname, "../vite.config.ts");
await build({ configFile, mode: site, build: { outDir: resolve(folder) } });
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
process.stdout.write(`${total.toFixed(1).padStart(7)} KiB gzip  in all\n`);
if (total > budgetKib) {
  process.stderr.write(`the site ${site} may weigh ${budgetKib} KiB (gzip): take something out of it.\n`);
  process.exitCode = 1;
}
