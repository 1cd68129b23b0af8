/** Options and errors that `calibrate`, `check` and `batch` share. */
import { readFileSync } from "node:fs";
import type { Output } from "@triptych/terminal";
import { ROUTE_LABEL_MAX } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import { InvalidArgumentError, Option, type Command } from "commander";
import { openAddress, type DecisionAddress, type Environment, type OwnServices } from "../deciding/address.ts";
import { APIS, type Api, type DecisionSettings, type Labels } from "../deciding/wires.ts";

export interface ToolContext {
  readonly environment: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Addresses and credentials, from the environment or a profile. */
  readonly connect: (profile: string | undefined) => OwnServices;
}

export interface AddressOptions {
  readonly url?: string;
  readonly profile?: string;
}

export interface CostOptions {
  readonly concurrency: number;
  readonly maxCostMicro?: number;
}

export interface DecisionOptions {
  readonly api: Api;
  readonly expert?: string;
  readonly options?: Labels;
  readonly optionsFile?: Labels;
}

export function addAddressOptions(command: Command): Command {
  return command
    .option(
      "--url <url>",
      "address of the API (default: the gateway if a wallet token is set, otherwise the router)",
      urlIn,
    )
    .option("--profile <name>", "profile to use (default: TRIPTYCH_PROFILE, else the current one)");
}

export function addDecisionOptions(command: Command): Command {
  return command
    .addOption(new Option("--api <name>", "API that the address serves").choices(APIS).default("route"))
    .option("--expert <name>", "name of an expert, or ID of a head (hed_…)")
    .option("--options <labels>", "routes, comma-separated", listIn)
    .option("--options-file <file>", "JSON file with a list of routes, or a map of routes to descriptions", labelsIn);
}

export function addCostOptions(command: Command): Command {
  return command
    .option("--concurrency <number>", "number of concurrent requests, 1 to 64", wholeIn(1, 64), 8)
    .option(
      "--max-cost-micro <amount>",
      "stop before the cost exceeds this, in micro-euros",
      wholeIn(0, Number.MAX_SAFE_INTEGER),
    );
}

export function settingsOf(command: Command, { api, expert, options, optionsFile }: DecisionOptions): DecisionSettings {
  if (options !== undefined && optionsFile !== undefined)
    usageError(command, "Use --options or --options-file, not both.");
  const labels = options ?? optionsFile ?? null;
  return { api, expert: expert ?? null, labels, minConf: null };
}

export async function addressFor(
  command: Command,
  { environment, connect }: ToolContext,
  { url, profile, maxCostMicro }: AddressOptions & Partial<CostOptions>,
): Promise<DecisionAddress> {
  const address = await openAddress(url, { own: connect(profile), environment, fetch });
  if (maxCostMicro !== undefined && address.priceMicro === null)
    usageError(command, `${address.url} publishes no price at /pricing, so --max-cost-micro cannot be enforced.`);
  return address;
}

/** Exits with code 2. */
export function usageError(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: 2 });
}

export function numberIn(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}

export function wholeIn(least: number, most: number) {
  const parse = numberIn(least, most);
  return (text: string): number => {
    if (/^\d+$/.test(text)) return parse(text);
    throw new InvalidArgumentError("It must be a whole number.");
  };
}

function urlIn(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" && url.hash === "")
    return url.href.replace(/\/+$/, "");
  throw new InvalidArgumentError("It must be an http or https URL without user name and query.");
}

function listIn(text: string): Labels {
  return checkedLabels(text.split(",").map((label) => label.trim()));
}

function labelsIn(file: string): Labels {
  try {
    return checkedLabels(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    throw new InvalidArgumentError(`Cannot read JSON from ${file}.`);
  }
}

function checkedLabels(value: unknown): Labels {
  if (isLabelList(value) || isLabelMap(value)) return value;
  throw new InvalidArgumentError(
    `It must be a list of different routes, or a map of routes to descriptions; a route has 1 to ${ROUTE_LABEL_MAX} characters.`,
  );
}

function isLabelList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isLabel) && new Set(value).size === value.length;
}

function isLabelMap(value: unknown): value is Readonly<Record<string, string | null>> {
  return isRecord(value) && Object.keys(value).length > 0 && Object.entries(value).every(isDescribed);
}

function isLabel(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= ROUTE_LABEL_MAX;
}

function isDescribed([label, description]: readonly [string, unknown]): boolean {
  return isLabel(label) && (description === null || typeof description === "string");
}
