/**
 * `triptych rail receipt …`: verifies receipts and entries offline with the published keys. Exit status: 0 valid, 1
 * invalid, 2 not checked (wrong arguments, missing file, unreachable keys).
 */
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { listEntries } from "@triptych/contracts";
import { addJsonOption, printResult } from "@triptych/terminal";
import { CommanderError, type Command } from "commander";
import type { Static } from "typebox";
import { Value } from "typebox/value";
import { verifyChain, type ChainIssue } from "@triptych/client/entry-chain";
import { digest, keysOf, requestDigest, verifyReceipt, type Claims } from "@triptych/client/receipt.js";
import { readRequest } from "./read-request.ts";

export interface ReceiptContext {
  readonly stdout: { write(text: string): unknown };
  readonly stdin: Readable;
  readonly fetch: typeof fetch;
}

interface VerifyOptions {
  readonly jwks: readonly string[];
  readonly body?: string;
  readonly request?: string;
}

export function addReceiptCommands(rail: Command, context: ReceiptContext): void {
  const receipt = rail.command("receipt").description("verify receipts and entries offline");
  addJsonOption(receipt.command("verify"))
    .description("verify a receipt with the published keys, and check that it matches a response and a request")
    .argument("<receipt>", "value of X-Rail-Receipt, or - for standard input")
    .requiredOption(
      "--jwks <url or file...>",
      "key set: https://…/.well-known/jwks.json, or a saved copy; add revoked-keys.json to detect revoked keys",
    )
    .option("--body <file>", "response body, byte for byte, to compare with the receipt")
    .option("--request <file>", "request: `METHOD /path`, an empty line and the body; or the body of POST /v1/<op>")
    .addHelpText("after", STATUS)
    .action(async (text: string, options: VerifyOptions, command: Command) => {
      const input = text === "-" ? await readAll(context.stdin) : text;
      const keys = keysOf(await readKeys(options.jwks, { command, fetch: context.fetch }));
      if (keys.length === 0) refuse(command, `${options.jwks.join(" and ")} contain no signing key of a rail`);
      const verdict = await verifyReceipt(input.trim(), keys);
      const reason = verdict.good ? await mismatch(verdict.claims, options, command) : verdict.reason;
      if (!verdict.good || reason !== null) return failAs(command, context, [reason ?? ""]);
      const { claims, kid } = verdict;
      printResult(command, context.stdout, {
        json: { valid: true, kid, claims, matches: matchesOf(options) },
        text: () => describe(claims, kid, options),
      });
    });
  addJsonOption(receipt.command("chain"))
    .description("verify the entries of a wallet: no gaps, hash chain, running balance")
    .argument("<entries>", "NDJSON file of entries or pages from /v1/wallets/me/entries, or - for standard input")
    .addHelpText("after", STATUS)
    .action(async (file: string, _options, command: Command) => {
      const source = file === "-" ? context.stdin : createReadStream(file);
      const { entries, balanceMicro, issues } = await verifyChain(await readEntries(source, { file, command }));
      if (issues.length > 0) return failAs(command, context, issues.map(sentenceOf));
      printResult(command, context.stdout, {
        json: { valid: true, entries, balance_micro: balanceMicro },
        text: () => `Valid: ${entries} entries without gaps, hash chain intact; balance ${balanceMicro} micro-euros.`,
      });
    });
}

/** With `--json`, scripts also read the reasons from standard output. */
function failAs(command: Command, { stdout }: ReceiptContext, issues: readonly string[]): never {
  if (command.opts()["json"] === true) stdout.write(`${JSON.stringify({ valid: false, issues }, null, 2)}\n`);
  const [first = "", ...others] = issues;
  throw new Error(
    others.length === 0 ? `Invalid: ${first}` : `Invalid:\n${issues.map((issue) => `  ${issue}`).join("\n")}`,
  );
}

function sentenceOf({ code, entry, expected, found }: ChainIssue): string {
  const name = `entry ${entry.seq} (${entry.id})`;
  switch (code) {
    case "duplicate":
      return `${name} occurs twice`;
    case "gap":
      return `${expected === found ? `entry ${expected} is` : `entries ${expected} to ${found} are`} missing before ${name}`;
    case "hash":
      return `${name} does not contain the hash of the previous entry`;
    case "balance":
      return `${name} has a balance of ${found} micro-euros, expected ${expected}`;
    case "reversal":
      return `the ${entry.kind} ${entry.seq} (${entry.id}) reverses no charge of this wallet, or one already reversed`;
    case "reversal_amount":
      return `the ${entry.kind} ${entry.seq} (${entry.id}) returns ${found} of a charge of ${expected}`;
  }
}

const STATUS = "\nExit status: 0 valid, 1 invalid, 2 not checked.";

function refuse(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: 2, code: "triptych.use" });
}

interface Reading {
  readonly command: Command;
  readonly fetch: typeof fetch;
}

/** For a URL, also fetches the revoked keys, which a rail publishes next to the key set. */
export async function readKeys(locations: readonly string[], reading: Reading): Promise<unknown[]> {
  const documents = locations.map(async (location) => {
    if (!/^https?:\/\//.test(location))
      return [parseJson(await readText(location, reading.command), location, reading.command)];
    const revoked = location.replace(/\/jwks\.json$/, "/revoked-keys.json");
    return Promise.all([...new Set([location, revoked])].map((address) => fetchJson(address, reading)));
  });
  return (await Promise.all(documents)).flat();
}

const FETCH_MS = 10_000;

async function fetchJson(address: string, { command, fetch }: Reading): Promise<unknown> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(FETCH_MS) });
    if (response.ok) return await response.json();
    refuse(command, `${address} returned ${response.status}`);
  } catch (error) {
    if (error instanceof CommanderError) throw error;
    refuse(command, `cannot fetch ${address}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readText(file: string, command: Command): Promise<string> {
  return (await readBytes(file, command)).toString("utf8");
}

async function readBytes(file: string, command: Command): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(file);
  } catch {
    return refuse(command, `cannot read the file ${file}`);
  }
}

function parseJson(text: string, file: string, command: Command): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(command, `the file ${file} is not valid JSON`);
  }
}

/** Explains that the receipt belongs to another response or request; null if it matches. */
async function mismatch(claims: Claims, { body, request }: VerifyOptions, command: Command): Promise<string | null> {
  if (body !== undefined && (await digest(new Uint8Array(await readBytes(body, command)))) !== claims.res)
    return "the receipt is genuine, but belongs to a different response (`res` differs).";
  if (request === undefined) return null;
  const savedRequest = readRequest(await readText(request, command), claims.op);
  if (savedRequest === null)
    refuse(command, `the file ${request} contains no request: \`METHOD /path\`, an empty line and a JSON body`);
  if ((await requestDigest(savedRequest)) === claims.req) return null;
  return `the receipt is genuine, but belongs to a different request than ${savedRequest.method} ${savedRequest.path} with this body (\`req\` differs).`;
}

function matchesOf({ body, request }: VerifyOptions): readonly ("response" | "request")[] {
  return [...(body === undefined ? [] : ["response" as const]), ...(request === undefined ? [] : ["request" as const])];
}

function describe(claims: Claims, kid: string, options: VerifyOptions): string {
  const proven = matchesOf(options).map((name) => `the ${name}`);
  const rows = [
    ["charge", claims.jti],
    ["wallet", claims.sub],
    ...(claims.tok === undefined ? [] : [["token", claims.tok] as const]),
    ["rail", claims.iss],
    ["time", new Date(claims.iat * 1000).toISOString()],
    ["operation", claims.op],
    ["amount", `${claims.amt} micro-${claims.cur}`],
    ["balance", `${claims.bal} micro-${claims.cur} afterwards, entry ${claims.seq}`],
    ["key", kid],
  ];
  const head = proven.length === 0 ? "Valid." : `Valid, and it matches ${proven.join(" and ")}.`;
  return [head, ...rows.map(([name, value]) => `  ${name.padEnd(10)}${value}`)].join("\n");
}

const EntriesPage = listEntries.answers[200].schema;
const EntryResponse = EntriesPage.properties.items.items;
type EntryResponse = Static<typeof EntryResponse>;

async function readEntries(
  source: Readable,
  { file, command }: { readonly file: string; readonly command: Command },
): Promise<EntryResponse[]> {
  const entries: EntryResponse[] = [];
  let number = 0;
  try {
    for await (const line of createInterface({ input: source, crlfDelay: Infinity })) {
      number += 1;
      if (line.trim() === "") continue;
      const value: unknown = JSON.parse(line);
      if (Value.Check(EntriesPage, value)) entries.push(...value.items);
      else if (Value.Check(EntryResponse, value)) entries.push(value);
      else throw new Error("neither an entry nor a page of entries");
    }
  } catch (error) {
    if (number === 0) refuse(command, `cannot read the file ${file}`);
    refuse(command, `cannot read line ${number} of ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (entries.length === 0) refuse(command, `${file} contains no entries`);
  return entries;
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
