/** `node build/main.ts <site> [folder]`: builds a site into the given folder, and fails above its size budget. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { overweight, weigh } from "./bundle-size.ts";
import { isSiteName, SITES, type SiteSettings } from "./sites.ts";

/** Takes half a second for all files; the highest quality takes three and saves 2 %. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

const [site = "", folder = join(import.meta.dirname, "../dist", site)] = process.argv.slice(2);
if (!isSiteName(site)) throw new Error(`Name one of the sites: ${Object.keys(SITES).join(", ")}.`);
const settings: SiteSettings = SITES[site];
const configFile = join(import.meta.dirname, "../vite.config.ts");
await build({ configFile, mode: site, build: { outDir: resolve(folder) } });
const assets = join(folder, "assets");
for (const name of await readdir(assets)) {
  const body = await readFile(join(assets, name));
  await writeFile(join(assets, `${name}.gz`), gzipSync(body, { level: 9 }));
  await writeFile(join(assets, `${name}.br`), brotliCompressSync(body, BROTLI));
}
const weights = await weigh(folder, settings);
for (const { name, bytes } of weights)
  process.stdout.write(`${(bytes / 1024).toFixed(1).padStart(7)} KiB gzip  ${name}\n`);
for (const issue of overweight(weights)) {
  process.stderr.write(`${issue}\n`);
  process.exitCode = 1;
}
