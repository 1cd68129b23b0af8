/** `usage`, `close-day`, `invoices`: what keys have used and what they owe. Every one may be repeated. */
import { BooksFault, createBooks, monthBounds, type Books } from "@triptych/metering";
import { renderTable } from "@triptych/server";
import { InvalidArgumentError, Option, type Command } from "commander";
import { refuseUse, say, widthOf, withStore, type Output, type Surroundings } from "./surroundings.ts";

interface UsageWords {
  readonly key?: string;
  readonly month?: string;
  readonly format?: "json" | "csv";
}
type Cell = string | number;

export function addBooksCommands(directory: Command, surroundings: Surroundings): void {
  const { stdout, stderr } = surroundings;
  const thisMonth = () => new Date(surroundings.now()).toISOString().slice(0, 7);
  const run = (command: Command, work: (books: Books) => Promise<void>) => withBooks(surroundings, command, work);

  directory
    .command("usage")
    .description("requests, items and amounts of a month: of every key, or day by day of one")
    .option("--key <id>", "only this key, day by day")
    .addOption(new Option("--month <month>", "YYYY-MM (UTC), default the present one").argParser(parseMonth))
    .addOption(formatOption())
    .action(({ key, month = thisMonth(), format }: UsageWords, command: Command) =>
      run(command, async (books) => {
        const [from, to] = monthBounds(month);
        const rows: Cell[][] =
          key === undefined
            ? (await books.month(month)).map((sums) => [sums.keyId, ...figures(sums)])
            : (await books.usage(key, from, to)).map((day) => [day.date, ...figures(day)]);
        print(stdout, {
          heads: [key === undefined ? "key" : "date", "requests", "items", "bytes", "geo_requests", "amount_micro"],
          rows,
          format,
        });
      }),
    );

  directory
    .command("close-day")
    .description("close the days that have ended: their figures never change again")
    .action((_options, command: Command) =>
      run(command, async (books) => {
        const days = await books.closeEndedDays();
        say(stderr, days.length === 0 ? "No day was open that has ended." : `Closed ${days.join(", ")}.`);
      }),
    );

  directory
    .command("invoices")
    .description("the invoice lines of an ended month; asked again, the same lines come")
    .addOption(new Option("--month <month>", "YYYY-MM (UTC)").argParser(parseMonth).makeOptionMandatory())
    .addOption(formatOption())
    .action(({ month, format }: { readonly month: string; readonly format?: "json" | "csv" }, command: Command) =>
      run(command, async (books) => {
        const lines = await books.invoices(month);
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

async function withBooks(
  surroundings: Surroundings,
  command: Command,
  work: (books: Books) => Promise<void>,
): Promise<void> {
  const { now, random } = surroundings;
  await withStore(surroundings, async ({ database }) => {
    try {
      await work(createBooks({ database, service: "directory", clock: now, random }));
    } catch (error) {
      if (error instanceof BooksFault) refuseUse(command, error.message);
      throw error;
    }
  });
}

function formatOption(): Option {
  return new Option("--format <format>", "for programs instead of people").choices(["json", "csv"]);
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
        rows.map((row) => Object.fromEntries(row.map((cell, place) => [heads[place], cell]))),
        null,
        2,
      ),
    );
  else if (format === "csv") output.write([heads, ...rows].map((row) => `${row.join(",")}\r\n`).join(""));
  else say(output, rows.length === 0 ? "Nothing was used." : renderTable({ heads, rows }, widthOf(output)));
}
