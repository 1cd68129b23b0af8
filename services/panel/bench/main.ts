/**
 * `npm run bench:panel`: the rows of "Goals" of the panel's contract that a machine can measure in minutes, as Markdown on stdout.
 *
 *   npm run bench:panel -- [--only bus,redaction] [--seconds N] [--folder DIR]
 *
 * Run it on the disk that will hold the data (`--folder`).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureBus } from "./bus.ts";
import { measureRedaction } from "./redaction.ts";

const PARTS = ["redaction", "bus"] as const;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: PARTS.join(",") },
    seconds: { type: "string", default: "3" },
    folder: { type: "string", default: tmpdir() },
  },
});
const only = PARTS.filter((name) => values.only.split(",").includes(name));
const milliseconds = 1000 * Number(values.seconds);
if (only.length === 0) throw new Error(`--only names some of: ${PARTS.join(", ")}.`);
if (!(milliseconds > 0)) throw new Error("--seconds is a number above 0.");

const folder = mkdtempSync(join(values.folder, "triptych-panel-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const measures = { bus: () => measureBus({ folder, milliseconds }), redaction: () => measureRedaction(milliseconds) };
const rows: string[] = [];
for (const part of only) for (const row of await measures[part]()) rows.push(`| ${row.join(" | ")} |`);
process.stdout.write(`${machine()}\n\n| what | measured | goal |\n|---|---|---|\n${rows.join("\n")}\n`);
process.exit(0);

function machine(): string {
  const gigabytes = Math.round(totalmem() / 1e9);
  const load = loadavg()[0]?.toFixed(1);
  const processor = cpus()[0]?.model.trim() ?? "?";
  const date = new Date().toISOString().slice(0, 10);
  return `${availableParallelism()} cores (${processor}), ${gigabytes} GB, Linux ${release()}, Node ${process.version}, load ${load}, ${date}.`;
}
