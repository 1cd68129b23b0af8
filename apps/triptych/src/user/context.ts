/** Options, connection, output and errors that all user commands share. */
import { stripVTControlCharacters } from "node:util";
import { addJsonOption, printResult, renderTable, widthOf, type Output } from "@triptych/terminal";
import type { Command } from "commander";
import { connect, messageOf, type Connection } from "./connect.ts";
import { UsageError, type Environment, type ServiceName } from "./profile.ts";

export interface Context {
  readonly environment: Environment;
  readonly stdin: AsyncIterable<unknown>;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Call extends Connection {
  readonly args: readonly string[];
  /** Prints one JSON value with `--json`, otherwise the text. */
  print(json: unknown, text: () => string): void;
  /** Removes control sequences from text written by people and agents. */
  table(heads: readonly string[], rows: readonly (readonly (string | number)[])[], shrink: readonly string[]): string;
}

/** Adds `--json` and `--profile`, and runs `work` with a client. */
// Commander checks no types of options, so the caller names them.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function onCall<Options extends object>(
  command: Command,
  context: Context,
  service: ServiceName | ((access: Connection["access"]) => ServiceName),
  work: (call: Call, options: Options, command: Command) => Promise<void>,
): Command {
  addJsonOption(addProfileOption(command));
  return command.exitOverride().action(() =>
    asUsage(command, async () => {
      const options = command.opts<Options & { readonly profile?: string }>();
      const connection = connect(context.environment, options.profile);
      const { stdout } = context;
      const call: Call = {
        ...connection,
        args: command.args,
        print: (json, text) => printResult(command, stdout, { json, text }),
        table: (heads, rows, shrink) =>
          renderTable({ heads, rows: rows.map((row) => row.map(cleanCell)), shrink }, widthOf(stdout)),
      };
      try {
        await work(call, options, command);
      } catch (error) {
        if (isOfCommander(error) || error instanceof UsageError) throw error;
        const name = typeof service === "string" ? service : service(connection.access);
        throw new Error(messageOf(error, connection.access[name], name), { cause: error });
      }
    }),
  );
}

export function addProfileOption(command: Command): Command {
  return command.option("--profile <name>", "profile to use (default: TRIPTYCH_PROFILE, else the current one)");
}

/** Exits with code 2 on a UsageError. */
export async function asUsage(command: Command, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof UsageError) command.error(`error: ${error.message}`, { exitCode: 2 });
    throw error;
  }
}

function isOfCommander(error: unknown): boolean {
  return error instanceof Error && "exitCode" in error;
}

function cleanCell(cell: string | number): string | number {
  return typeof cell === "number" ? cell : cleanText(cell);
}

export function cleanText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\s]+/gu, " ");
}

/** Throws a UsageError unless the text is a finite number. */
export function numberIn(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new UsageError(`${text} is not a number.`);
  return value;
}
