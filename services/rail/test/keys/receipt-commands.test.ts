import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { Command, CommanderError } from "commander";
import { addReceiptCommands } from "../../src/commands/receipt.ts";
import { applyBatch, hello, type ChargeInput } from "../../src/domain/charge-batch.ts";
import { toEntryResponse, type EntryResponse } from "../../src/domain/entry.ts";
import { chargeWith } from "../support/charges.ts";
import { MemoryRows } from "../support/memory-ledger.ts";
import { createSharedKeys } from "../support/memory-keys.ts";

const ANSWER = canonicalJson({ action: "tool_call", route: "trains", confidence: 0.91 });
const REQUEST = '{ "state": "when does my train leave?",\n  "options": ["trains", "planes"] }';
const digestOf = (text: string) => createHash("sha256").update(text).digest("base64url");

interface RunInput {
  /** Standard input. */
  readonly input?: string;
  /** The responses of the network, by URL. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

/** A folder with a wallet owner's files, and the CLI. */
async function openDesk() {
  const sharedKeys = createSharedKeys();
  const keys = await sharedKeys.open();
  const folder = await mkdtemp(join(tmpdir(), "receipts-"));
  const file = (name: string) => join(folder, name);
  const keep = (name: string, text: string) => writeFile(file(name), text);
  await keep("jwks.json", JSON.stringify({ keys: keys.published() }));
  await keep("answer.json", ANSWER);
  await keep("request.json", REQUEST);
  const req = digestOf(`POST\n/v1/route\n${canonicalJson(JSON.parse(REQUEST))}`);
  const charge = chargeWith(keys.activeKid(), { req, res: digestOf(ANSWER) });

  async function run(args: readonly string[], { input = "", answers = {} }: RunInput = {}) {
    let out = "";
    const write = (text: string) => (out += text);
    const fetchStub: typeof fetch = (address) => {
      const answer = answers[String(address instanceof Request ? address.url : address)];
      return Promise.resolve(answer === undefined ? new Response(null, { status: 404 }) : Response.json(answer));
    };
    const rail = new Command("rail").exitOverride().configureOutput({ writeOut: write, writeErr: write });
    addReceiptCommands(rail, { stdout: { write }, stdin: Readable.from([Buffer.from(input)]), fetch: fetchStub });
    try {
      await rail.parseAsync(["receipt", ...args], { from: "user" });
      return { status: 0, out };
    } catch (error) {
      // As in the CLI's main function.
      if (error instanceof CommanderError) return { status: error.exitCode === 0 ? 0 : 2, out };
      return { status: 1, out: `${out}${error instanceof Error ? error.message : String(error)}` };
    }
  }
  return {
    keys,
    charge,
    receipt: await keys.receiptOf(charge),
    file,
    keep,
    run,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

test("verifies a receipt with its response and request, and prints its claims", async () => {
  await using desk = await openDesk();
  const more = ["--jwks", desk.file("jwks.json"), "--body", desk.file("answer.json")];
  const { status, out } = await desk.run(["verify", desk.receipt, ...more, "--request", desk.file("request.json")]);
  assert.equal(status, 0, out);
  assert.match(out, /^Valid, and it matches the response and the request\.\n/);
  assert.match(out, new RegExp(desk.charge.id));
  assert.match(out, /amount +500 micro-EUR/);
});

test("names the sub-token that paid", async () => {
  await using desk = await openDesk();
  const receipt = await desk.keys.receiptOf({ ...desk.charge, tokenId: "tok_agent" });
  const verify = (text: string) => desk.run(["verify", text, "--jwks", desk.file("jwks.json")]);
  assert.match((await verify(receipt)).out, /\n {2}token {5}tok_agent\n/);
  assert.doesNotMatch((await verify(desk.receipt)).out, /token/);
});

test("reads a receipt from standard input, and a request as HTTP text", async () => {
  await using desk = await openDesk();
  await desk.keep(
    "http",
    `POST /v1/route?trace=1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\r\n${REQUEST}`,
  );
  await desk.keep("short", `POST /v1/route\n\n${REQUEST}`);
  await desk.keep("other", `POST /v1/decide\n\n${REQUEST}`);
  for (const [name, expected] of [
    ["http", 0],
    ["short", 0],
    ["other", 1],
  ] as const) {
    const args = ["verify", "-", "--jwks", desk.file("jwks.json"), "--request", desk.file(name)];
    const { status, out } = await desk.run(args, { input: `${desk.receipt}\n` });
    assert.equal(status, expected, out);
  }
});

test("rejects a different response, a different request and a modified receipt", async () => {
  await using desk = await openDesk();
  await desk.keep("other.json", `${ANSWER}\n`);
  await desk.keep("changed.json", REQUEST.replace("planes", "boats"));
  const jwks = ["--jwks", desk.file("jwks.json")];
  const answer = await desk.run(["verify", desk.receipt, ...jwks, "--body", desk.file("other.json")]);
  assert.deepEqual([answer.status, /different response/.test(answer.out)], [1, true]);
  const request = await desk.run(["verify", desk.receipt, ...jwks, "--request", desk.file("changed.json")]);
  assert.deepEqual([request.status, /different request/.test(request.out)], [1, true]);
  const [header, claims, signature] = desk.receipt.split(".");
  const richer = Buffer.from(Buffer.from(claims, "base64url").toString().replace("99500", "99999")).toString(
    "base64url",
  );
  assert.equal((await desk.run(["verify", [header, richer, signature].join("."), ...jwks])).status, 1);
});

test("exits with 2 when a receipt or chain cannot be checked", async () => {
  await using desk = await openDesk();
  const jwks = ["--jwks", desk.file("jwks.json")];
  await desk.keep("text", "hello");
  await desk.keep("other.json", '{"keys":[],"hello":1}');
  for (const args of [
    ["verify", desk.receipt],
    ["verify"],
    ["verify", desk.receipt, "--jwks", desk.file("none.json")],
    ["verify", desk.receipt, "--jwks", desk.file("text")],
    ["verify", desk.receipt, "--jwks", desk.file("other.json")],
    ["verify", desk.receipt, "--jwks", "https://rail.example.test/.well-known/jwks.json"],
    ["verify", desk.receipt, ...jwks, "--body", desk.file("none.json")],
    ["verify", desk.receipt, ...jwks, "--request", desk.file("text")],
    ["verify", desk.receipt, ...jwks, "--colour"],
    ["chain", desk.file("none.ndjson")],
    ["chain", desk.file("text")],
    ["chain", "-"],
  ])
    assert.equal((await desk.run(args)).status, 2, args.join(" "));
  assert.match((await desk.run(["chain", desk.file("none.ndjson")])).out, /cannot read the file \S+none\.ndjson/);
});

test("fetches the revoked keys next to a key URL", async () => {
  await using desk = await openDesk();
  const late = await desk.keys.receiptOf({ ...desk.charge, createdAt: desk.charge.createdAt + 60_000 });
  const base = "https://rail.example.test/.well-known";
  const revoke = (kid: string, notAfter: number) => {
    const [jwk] = desk.keys.published();
    return { keys: [{ kid, not_after: new Date(notAfter).toISOString(), jwk }] };
  };
  const answers = {
    [`${base}/jwks.json`]: { keys: [] },
    [`${base}/revoked-keys.json`]: revoke(desk.charge.kid, desk.charge.createdAt + 60_000),
  };
  const verifyArgs = (receipt: string) => ["verify", receipt, "--jwks", `${base}/jwks.json`];
  assert.equal((await desk.run(verifyArgs(desk.receipt), { answers })).status, 0);
  const { status, out } = await desk.run(verifyArgs(late), { answers });
  assert.deepEqual([status, /compromised/.test(out)], [1, true]);
});

const HASH = "a".repeat(64);

/**
 * The entries of a wallet after `atLeast` or more charges, as the API returns them. A third of the charges is voided.
 */
function longChain(atLeast: number): EntryResponse[] {
  const rows = new MemoryRows();
  rows.openWallet(HASH, 1_000_000_000);
  const gateway = { instance: "gw", boot: "b1" };
  rows.commit((unit) => hello(unit, gateway, rows.context(1000)));
  const about = { op: "route", priceId: "decision-v1", priceMicro: 500, req: "r".repeat(43), res: "s".repeat(43) };
  let through = 0;
  while (rows.entries.length < atLeast) {
    const charges = Array.from({ length: 64 }, (_, index): ChargeInput => {
      return { seq: through + index + 1, walletHash: HASH, keyHash: null, sealed: null, ...about };
    });
    const voids = charges
      .filter(({ seq }) => seq % 3 === 0)
      .map(({ seq }) => ({ seq, reason: "client_gone" }) as const);
    rows.commit((unit) => {
      const now = 1000 + through;
      applyBatch(unit, { ...gateway, ack: null, voids: [], charges }, rows.context(now));
      through += 64;
      applyBatch(unit, { ...gateway, ack: { through, also: [] }, voids, charges: [] }, rows.context(now));
    });
    rows.charges.clear();
  }
  return rows.entries.map(toEntryResponse);
}

const chain = longChain(10_000);
const lines = (entries: readonly EntryResponse[]) => entries.map((entry) => JSON.stringify(entry)).join("\n");

test("verifies a chain of more than 10 000 entries with voids, in either order and as pages", async () => {
  await using desk = await openDesk();
  assert.ok(chain.length >= 10_000 && chain.some((entry) => entry.kind === "void"));
  const whole = new RegExp(`^Valid: ${chain.length} entries .* ${chain.at(-1)?.balance_after_micro} micro-euros`);
  for (const input of [lines(chain), `${lines(chain.toReversed())}\n`]) {
    const { status, out } = await desk.run(["chain", "-"], { input });
    assert.equal(status, 0);
    assert.match(out, whole);
  }
  const page = JSON.stringify({ items: chain.slice(0, 200), next_cursor: null });
  assert.equal((await desk.run(["chain", "-"], { input: page })).status, 0);
});

test("finds an omitted, modified, inserted or repeated entry", async () => {
  await using desk = await openDesk();
  const first = chain.slice(0, 500);
  const at = 250;
  const entry = first[at];
  const cheaper = {
    ...entry,
    amount_micro: entry.amount_micro + 1,
    balance_after_micro: entry.balance_after_micro + 1,
  };
  const cases: readonly (readonly [string, readonly EntryResponse[], RegExp])[] = [
    ["left out", first.toSpliced(at, 1), /entry 251 is missing/],
    ["the first ones left out", first.slice(3), /entries 1 to 3 are missing/],
    ["twice", first.toSpliced(at, 0, entry), /occurs twice/],
    ["another amount", first.with(at, { ...entry, amount_micro: entry.amount_micro + 1 }), /expected \d+/],
    ["another operation", first.with(at, { ...entry, op: "decide" }), /entry 252 .* does not contain the hash/],
    ["a cheaper one", first.with(at, cheaper), /does not contain the hash|expected \d+/],
    ["another time", first.with(at, { ...entry, created_at: "2026-01-01T00:00:00.000Z" }), /does not contain the hash/],
  ];
  for (const [name, entries, fault] of cases) {
    const { status, out } = await desk.run(["chain", "-"], { input: lines(entries) });
    assert.equal(status, 1, name);
    assert.match(out, fault, name);
  }
});

test("finds a change of any member of any entry", async () => {
  await using desk = await openDesk();
  const few = chain.slice(0, 130);
  const members = ["id", "kind", "amount_micro", "balance_after_micro", "charge_id", "reverses", "op", "prev"] as const;
  for (const member of members) {
    const entry = few[100];
    const other = { ...entry, [member]: typeof entry[member] === "number" ? 7 : (few[99][member] ?? few[98].id) };
    if (other[member] === entry[member]) continue;
    const { status } = await desk.run(["chain", "-"], { input: lines(few.with(100, other)) });
    assert.equal(status, 1, member);
  }
});
