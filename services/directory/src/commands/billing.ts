import { BillingError, createBillingLedger, monthBounds, type BillingLedger } from "@triptych/usage-metering";
import { addJsonOption, renderTable, widthOf } from "@triptych/terminal";
import { csvCell } from "@triptych/util";
import { InvalidArgumentError, Option, type Command } from "commander";
import { failure, say, withStore, type Output, type CliContext } from "./cli-context.ts";

interface UsageOptions {
  readonly key?: string;
  readonly month?: string;
  readonly format?: "json" | "csv";
}
type Cell = string | number;

export function addBillingCommands(directory: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  const thisMonth = () => new Date(context.now()).toISOString().slice(0, 7);
  const run = (work: (ledger: BillingLedger) => Promise<void>) => withLedger(context, work);

  directory
    .command("usage")
    .description("show the requests, items and amounts of a month, per key or per day of one key")
    .option("--key <id>", "show only this key, day by day")
    .addOption(
      new Option("--month <month>", "month as YYYY-MM (UTC); default: the current month").argParser(parseMonth),
    )
    .addOption(formatOption())
    .addOption(jsonOption())
    .action(({ key, month = thisMonth(), format }: UsageOptions) =>
      run(async (ledger) => {
        const [from, to] = monthBounds(month);
        const rows: Cell[][] =
          key === undefined
            ? (await ledger.month(month)).map((sums) => [sums.keyId, ...figures(sums)])
            : (await ledger.usage(key, from, to)).map((day) => [day.date, ...figures(day)]);
        print(stdout, {
          heads: [key === undefined ? "key" : "date", "requests", "items", "bytes", "geo_requests", "amount_micro"],
          rows,
          format,
        });
      }),
    );

  addJsonOption(directory.command("close-day"))
    .description("close the days that have ended, which makes their figures final")
    .action((_options, command: Command) =>
      run(async (ledger) => {
        const days = await ledger.closeEndedDays();
        if (command.opts()["json"] === true) say(stdout, JSON.stringify({ days }, null, 2));
        say(stderr, days.length === 0 ? "No day to close." : `Closed ${days.join(", ")}.`);
      }),
    );

  directory
    .command("invoices")
    .description("print the invoice lines of a closed month (idempotent)")
    .addOption(new Option("--month <month>", "YYYY-MM (UTC)").argParser(parseMonth).makeOptionMandatory())
    .addOption(formatOption())
    .addOption(jsonOption())
    .action(({ month, format }: { readonly month: string; readonly format?: "json" | "csv" }) =>
      run(async (ledger) => {
        const lines = await ledger.invoices(month);
        const rows = lines.map(({ name, keyId, requests, items, amountMicro }) => [
          name,
          keyId,
          requests,
          items,
          amountMicro,
        ]);
        print(stdout, { heads: ["name", "key", "requests", "items", "amount_micro"], rows, format });
      }),
    );
}

async function withLedger(context: CliContext, work: (ledger: BillingLedger) => Promise<void>): Promise<void> {
  const { now, random } = context;
  await withStore(context, async ({ database }) => {
    try {
      await work(createBillingLedger({ database, service: "directory", clock: now, random }));
    } catch (error) {
      throw error instanceof BillingError ? failure(error) : error;
    }
  });
}

function formatOption(): Option {
  return new Option("--format <format>", "machine-readable output").choices(["json", "csv"]);
}

function jsonOption(): Option {
  return new Option("--json", "same as --format json").implies({ format: "json" }).conflicts("format");
}

function parseMonth(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError("Write a month like 2026-11.");
  return text;
}

interface Figures {
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
  readonly geoRequests: number;
  readonly amountMicro: number;
}

function figures({ requests, items, bytes, geoRequests, amountMicro }: Figures): number[] {
  return [requests, items, bytes, geoRequests, amountMicro];
}

function print(
  output: Output,
  { heads, rows, format }: { heads: string[]; rows: Cell[][]; format: "json" | "csv" | undefined },
): void {
  if (format === "json")
    say(
      output,
      JSON.stringify(
        rows.map((row) => Object.fromEntries(row.map((cell, index) => [heads[index], cell]))),
        null,
        2,
      ),
    );
  else if (format === "csv")
    output.write([heads, ...rows].map((row) => `${row.map((cell) => csvCell(String(cell))).join(",")}\r\n`).join(""));
  else say(output, rows.length === 0 ? "No usage." : renderTable({ heads, rows }, widthOf(output)));
}
