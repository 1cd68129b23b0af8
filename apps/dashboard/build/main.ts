/** Builds the dashboard into the given folder, and fails above the size budget. */
import { join, resolve } from "node:path";
import { build } from "vite";
import { overweight, weigh, type Weight } from "./bundle-size.ts";

const [folder = join(import.meta.dirname, "../dist/by-hand")] = process.argv.slice(2);
await build({ configFile: join(import.meta.dirname, "../vite.config.ts"), build: { outDir: resolve(folder) } });
const weight = await weigh(folder);
const issues = overweight(weight);
process.stdout.write(`${table(weight)}\n`);
for (const error of issues) process.stderr.write(`${error}\n`);
if (issues.length > 0) process.exitCode = 1;

function table({ firstLoad, routes }: Weight): string {
  const rows = [["first load", firstLoad] as const, ...routes];
  return rows.map(([name, bytes]) => `${(bytes / 1024).toFixed(1).padStart(7)} KiB gzip  ${name}`).join("\n");
}
