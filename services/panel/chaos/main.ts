/**
 * `npm run chaos:panel -- --seed N --runs N --kills N --workers N --repos N --red-heads N --postgres`: kills the panel and its workers under load.
 * With `--red-heads N`, the check of the first N heads of each pull request fails, so that each run gets N follow-ups.
 * Exits with 1 and prints the seed on a violated invariant.
 */
import { parseArgs } from "node:util";
import { postgresMissing, startPostgres } from "@triptych/storage/testing";
import { runCampaign } from "./campaign.ts";

const DEFAULTS = { seed: 1 + (Date.now() % 1_000_000), runs: 3000, kills: 500, workers: 4, repos: 4, "red-heads": 0 };
const PRINT_EVERY_MS = 5000;

const number = (value: number) => ({ type: "string", default: String(value) }) as const;
const { values } = parseArgs({
  options: {
    seed: number(DEFAULTS.seed),
    runs: number(DEFAULTS.runs),
    kills: number(DEFAULTS.kills),
    workers: number(DEFAULTS.workers),
    repos: number(DEFAULTS.repos),
    "red-heads": number(DEFAULTS["red-heads"]),
    postgres: { type: "boolean", default: false },
  },
});
const options = {
  seed: whole("seed"),
  runs: whole("runs"),
  kills: whole("kills"),
  workers: whole("workers"),
  repos: whole("repos"),
  redHeads: values["red-heads"] === "0" ? 0 : whole("red-heads"),
};
const startedAt = performance.now();
let printedAt = startedAt;
print(
  `seed ${options.seed}, ${options.runs} runs, ${options.kills} kills, ${options.workers} workers, ${options.repos} repos`,
);
const outcome = await runCampaign({
  ...options,
  databaseUrl: values.postgres ? await openDatabase() : undefined,
  onProgress({ kills, started, ended }) {
    if (performance.now() - printedAt < PRINT_EVERY_MS) return;
    printedAt = performance.now();
    print(`${seconds().padStart(7)}  ${kills} kills, ${started} runs accepted, ${ended} at rest`);
  },
});
const { kills, leases, states, violations, followUpMs } = outcome;
print(`\nkills            ${kills.panel} panel, ${kills.worker} workers`);
for (const [state, count] of states) print(`${state.padEnd(17)}${count}`);
print(`leases           ${leases}\nviolations       ${violations.length}`);
if (followUpMs.length > 0)
  print(
    `follow-ups       ${followUpMs.length} pushed, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms after the poll that started them`,
  );
for (const { invariant, message } of violations.slice(0, 20)) print(`  ${invariant}: ${message}`);
print(
  `${seconds()}; again: npm run chaos:panel -- --seed ${options.seed} --runs ${options.runs} --kills ${options.kills}`,
);
process.exitCode = violations.length === 0 ? 0 : 1;

function whole(name: keyof typeof DEFAULTS): number {
  const text = values[name];
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name}: "${text}" is not a whole number above 0`);
  return Number(text);
}

async function openDatabase(): Promise<string> {
  const missing = postgresMissing();
  if (missing !== undefined) throw new Error(missing);
  return await (await startPostgres()).createDatabase();
}

function at(share: number): number {
  return followUpMs[Math.min(followUpMs.length - 1, Math.floor(followUpMs.length * share))] ?? 0;
}

function seconds(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
