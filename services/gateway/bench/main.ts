/**
 * `npm run bench:gateway`: measures the required figures of paid decisions. Prints Markdown on stdout and progress on
 * stderr.
 *
 *   npm run bench:gateway -- [--seconds N] [--rounds N] [--sqlite-only] [--profile DIR] [--folder DIR] [--out FILE]
 *
 * Run it on the production disk (`--folder`). `--profile` writes a CPU profile of each process to DIR.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresMissing, startPostgres } from "@triptych/storage/testing";
import { machine, progress, renderGoals, renderTable } from "../../../packages/decisions/bench/report.ts";
import { measureDecisions } from "./decision-figures.ts";
import { openProduct } from "./open-product.ts";
import { measureQuestions } from "./questions-figures.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    "sqlite-only": { type: "boolean", default: false },
    profile: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    out: { type: "string" },
  },
});
const QUESTION_ROUNDS = 21;
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
if (!(seconds >= 0.5)) throw new Error("--seconds must be a number of at least 0.5.");
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a whole number above 0.");

const startedAt = performance.now();
const load = loadavg()[0]?.toFixed(1);
const folder = mkdtempSync(join(values.folder, "triptych-gateway-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
progress(`load of the machine ${load}`);

const { profile } = values;
await using sqlite = await openProduct({ folder, databaseUrl: undefined, profile });
await using postgres = await openOnPostgres();
const stores = [
  { name: "SQLite", product: sqlite },
  ...(postgres === null ? [] : [{ name: "PostgreSQL", product: postgres }]),
];
const found = [
  await measureDecisions({ folder, stores, rounds, milliseconds: 1000 * seconds }),
  await measureQuestions(sqlite, { rounds: QUESTION_ROUNDS }),
];
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
const text = [
  `${machine()}, load ${load}, ${new Date().toISOString().slice(0, 10)}, ${minutes} minutes.`,
  "",
  renderGoals(found.flatMap(({ goals }) => goals)),
  ...found.flatMap(({ tables }) => tables.map(renderTable)),
].join("\n");
if (values.out !== undefined) await writeFile(values.out, text);
process.stdout.write(text);

async function openOnPostgres() {
  if (values["sqlite-only"]) return null;
  const missing = postgresMissing();
  if (missing !== undefined) {
    progress(`PostgreSQL: ${missing}`);
    return null;
  }
  const databaseUrl = await (await startPostgres()).createDatabase();
  return await openProduct({ folder, databaseUrl, profile });
}
