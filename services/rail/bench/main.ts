/**
 * `npm run bench:rail`: measures those "Goals" of the rail's contract that take minutes to check. Writes Markdown to
 * stdout and progress to stderr. Results are medians of three interleaved rounds.
 *
 *   npm run bench:rail -- [--only core,caps,race,audit,http,receipts] [--charges N] [--seconds N] [--folder DIR]
 *     [--out FILE]
 *
 * Run it on the production disk (`--folder`). 64 callers are 64 gateways with one charge per batch, the worst case; "64
 * of one gateway" share a batch. PostgreSQL is a separate server with full sync.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgresMissing, startPostgres } from "@triptych/storage/testing";
import { machine } from "../../../packages/decisions/bench/report.ts";
import { measureCaps } from "./cap-figures.ts";
import { measureAudit, measureCharges, measureFsync, measureRace } from "./core-figures.ts";
import { measureHttp } from "./http-figures.ts";
import { measureReceipts } from "./receipt-figures.ts";
import { progress, renderRows, type Row } from "./report.ts";

const PHASES = ["core", "caps", "race", "audit", "http", "receipts"] as const;
type Phase = (typeof PHASES)[number];

const ROUNDS = 3;
const WALLETS = 1_000;
/**
 * There are many short rounds, because other load changes within seconds. The number is even, so that both orders are
 * equally frequent.
 */
const CAP_ROUNDS = 24;
const CAP_WALLETS = 500;
const RACING = 10_000;
const RECEIPTS = 6_400;

interface Plan {
  readonly only: ReadonlySet<Phase>;
  readonly charges: number;
  readonly milliseconds: number;
  readonly out: string | undefined;
}

async function run({ only, charges, milliseconds, out }: Plan, folder: string): Promise<void> {
  const startedAt = performance.now();
  const found: Row[] = [];
  const phase = async (name: Phase, measure: () => Promise<readonly Row[]>): Promise<void> => {
    if (!only.has(name)) return;
    progress(name);
    found.push(...(await measure()));
    // Phases take minutes, so partial results are saved in case a later phase fails.
    if (out !== undefined) await writeFile(out, textOf(found, startedAt));
  };
  const missing = postgresMissing();
  if (missing !== undefined) progress(`PostgreSQL: ${missing}`);
  const storesFor = async (purpose: string) => [
    { name: "SQLite", url: `sqlite:${join(folder, `${purpose}.db`)}`, bar: 10_000 },
    ...(missing === undefined
      ? [{ name: "PostgreSQL", url: await (await startPostgres()).createDatabase(), bar: 5_000 }]
      : []),
  ];

  await phase("core", async () =>
    measureCharges({ folder, stores: await storesFor("core"), wallets: WALLETS, rounds: ROUNDS, milliseconds }),
  );
  await phase("caps", async () => {
    const rows: Row[] = [];
    for (const store of await storesFor("caps"))
      rows.push(
        ...(await measureCaps(store, { wallets: CAP_WALLETS, rounds: CAP_ROUNDS, milliseconds: milliseconds / 3 })),
      );
    return rows;
  });
  await phase("race", async () => {
    const rows: Row[] = [];
    for (const store of await storesFor("race")) rows.push(...(await measureRace(store, RACING)));
    return rows;
  });
  await phase("audit", async () => {
    const rows: Row[] = [];
    for (const store of await storesFor("audit"))
      rows.push(...(await measureAudit(store, { wallets: WALLETS, charges })));
    return rows;
  });
  await phase("http", () =>
    measureHttp({ folder, rounds: ROUNDS, milliseconds, fsyncMs: () => measureFsync(folder, milliseconds) }),
  );
  await phase("receipts", () => measureReceipts({ rounds: ROUNDS, count: RECEIPTS }));
  process.stdout.write(textOf(found, startedAt));
}

function textOf(found: readonly Row[], startedAt: number): string {
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  return `${machine()}, load ${loadavg()[0]?.toFixed(1)}, ${new Date().toISOString().slice(0, 10)}, ${minutes} minutes.\n\n${renderRows(found)}`;
}

function readPlan(): Plan & { readonly folder: string } {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: PHASES.join(",") },
      charges: { type: "string", default: "200000" },
      seconds: { type: "string", default: "3" },
      folder: { type: "string", default: tmpdir() },
      out: { type: "string" },
    },
  });
  const only = new Set(PHASES.filter((name) => values.only.split(",").includes(name)));
  if (only.size === 0) throw new Error(`--only accepts a list of: ${PHASES.join(", ")}.`);
  const [charges, seconds] = [Number(values.charges), Number(values.seconds)];
  if (!Number.isInteger(charges) || charges < 1_000) throw new Error("--charges must be a number of at least 1000.");
  if (!(seconds > 0)) throw new Error("--seconds must be a number above 0.");
  return { only, charges, milliseconds: 1000 * seconds, folder: values.folder, out: values.out };
}

const plan = readPlan();
const folder = mkdtempSync(join(plan.folder, "triptych-rail-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
progress(`phases: ${[...plan.only].join(", ")}; load of the machine ${loadavg()[0]?.toFixed(1)}`);
await run(plan, folder);
