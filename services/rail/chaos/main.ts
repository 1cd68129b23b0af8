/**
 * `npm run chaos:rail -- --seed N --kills N --store sqlite|postgres --callers N --proxies N --audit-every N`: kills the rail and its gateways
 * under load, judges the ledger after each round, and ends with 1 and the seed when anything does not hold.
 */
import { parseArgs } from "node:util";
import { postgresMissing, startPostgres } from "@triptych/storage/testing";
import { runCampaign } from "./campaign.ts";
import { progressOf, tableOf } from "./tally.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(1 + (Date.now() % 1_000_000)) },
    kills: { type: "string", default: "1000" },
    store: { type: "string", default: "sqlite" },
    callers: { type: "string", default: "16" },
    proxies: { type: "string", default: "2" },
    "audit-every": { type: "string", default: "10" },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const [seed, kills, callers, proxies, auditEvery] = (
  ["seed", "kills", "callers", "proxies", "audit-every"] as const
).map((name) => wholeNumber(name, values[name]));
if (values.store !== "sqlite" && values.store !== "postgres") throw new Error("--store is sqlite or postgres");
const PRINT_EVERY_MS = 5000;
const begun = performance.now();
let printedAt = begun;

print(`seed ${seed}, ${kills} kills, ${proxies} gateways, ${callers} callers, ${values.store}`);
const { tally, violations } = await runCampaign({
  seed,
  kills,
  callers,
  proxies,
  auditEvery,
  databaseUrl: values.store === "postgres" ? await openDatabase() : undefined,
  onRound(tally) {
    if (performance.now() - printedAt < PRINT_EVERY_MS) return;
    printedAt = performance.now();
    print(`${seconds().padStart(7)}  ${progressOf(tally)}`);
  },
});
print(`\n${tableOf(tally)}\n${"violations".padEnd(24)}${violations.length}`);
for (const { law, message } of violations.slice(0, 20)) print(`  ${law}: ${message}`);
print(`${seconds()}; again: npm run chaos:rail -- --seed ${seed} --kills ${kills} --store ${values.store}`);
process.exitCode = violations.length === 0 ? 0 : 1;

function seconds(): string {
  return `${((performance.now() - begun) / 1000).toFixed(0)} s`;
}

async function openDatabase(): Promise<string> {
  const missing = postgresMissing();
  if (missing !== undefined) throw new Error(missing);
  return await (await startPostgres()).createDatabase();
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name}: "${text}" is not a whole number above 0`);
  return Number(text);
}
