/**
 * The command line of a campaign: parses the options, shows the progress, prints a table, and exits with 1 after a
 * violation.
 */
import { parseArgs } from "node:util";
import { postgresMissing, startPostgres } from "@triptych/storage/testing";
import { runCampaign, type Outcome } from "./campaign.ts";
import type { Plan } from "./stage.ts";
import { progressOf, tableOf } from "./tally.ts";

export interface CommandLine {
  /** The command, for the line that tells how to reproduce a violation. */
  readonly command: string;
  /** Additional positive integer options, with their defaults. */
  readonly more: Readonly<Record<string, number>>;
  readonly openFront: (parsed: Readonly<Record<string, number>>) => Plan["openFront"];
}

const PRINT_EVERY_MS = 5000;
const DISPLAYED_MAX = 20;

export async function runFromCommandLine({ command, more, openFront }: CommandLine): Promise<void> {
  const defaults = { seed: 1 + (Date.now() % 1_000_000), kills: 1000, callers: 16, "audit-every": 10, ...more };
  const values: Readonly<Record<string, unknown>> = parseArgs({ options: optionsWith(defaults) }).values;
  const parsed = Object.fromEntries(Object.keys(defaults).map((name) => [name, wholeNumber(name, values[name])]));
  const { seed = 0, kills = 0, callers = 0, "audit-every": auditEvery = 0 } = parsed;
  const store = values["postgres"] === true ? "postgres" : values["store"];
  if (store !== "sqlite" && store !== "postgres") throw new Error("--store must be sqlite or postgres");
  const startedAt = performance.now();
  let printedAt = startedAt;
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
  const front = Object.keys(more).map((name) => `${parsed[name]} ${name}`);

  print([`seed ${seed}`, `${kills} kills`, ...front, `${callers} callers`, store].join(", "));
  const outcome = await runCampaign({
    seed,
    kills,
    callers,
    auditEvery,
    openFront: openFront(parsed),
    databaseUrl: store === "postgres" ? await openDatabase() : undefined,
    onRound(tally) {
      if (performance.now() - printedAt < PRINT_EVERY_MS) return;
      printedAt = performance.now();
      print(`${seconds().padStart(7)}  ${progressOf(tally)}`);
    },
  });
  printOutcome(outcome);
  const same = Object.keys(more).map((name) => `--${name} ${parsed[name]}`);
  print([`${seconds()}; again: ${command} -- --seed ${seed} --kills ${kills} --store ${store}`, ...same].join(" "));
  process.exitCode = outcome.violations.length === 0 ? 0 : 1;
}

function printOutcome({ tally, violations }: Outcome): void {
  print(`\n${tableOf(tally)}\n${"violations".padEnd(24)}${violations.length}`);
  for (const { law, message } of violations.slice(0, DISPLAYED_MAX)) print(`  ${law}: ${message}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function optionsWith(defaults: Readonly<Record<string, number>>) {
  const numbers = Object.entries(defaults).map(([name, value]) => [name, text(String(value))] as const);
  return { ...Object.fromEntries(numbers), store: text("sqlite"), postgres: { type: "boolean" } as const };
}

function text(value: string) {
  return { type: "string", default: value } as const;
}

async function openDatabase(): Promise<string> {
  const missing = postgresMissing();
  if (missing !== undefined) throw new Error(missing);
  return await (await startPostgres()).createDatabase();
}

function wholeNumber(name: string, text: unknown): number {
  if (typeof text !== "string" || !/^[1-9]\d{0,8}$/.test(text))
    throw new Error(`--${name}: "${String(text)}" is not a whole number above 0`);
  return Number(text);
}
