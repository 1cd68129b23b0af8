import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { railCommands } from "../../src/commands/index.ts";
import { start } from "../../src/service.ts";

async function openInstallation() {
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  const environment = { TRIPTYCH_DATA: folder, RAIL_PORT: "0", LOG_LEVEL: "silent", NODE_ENV: "test" };
  async function keys(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
    let out = "";
    const output = { write: (text: string) => (out += text), columns: 80 };
    const world = { stdin: Readable.from([]), stdout: output, stderr: { write: () => true }, fetch, user: "olivia" };
    const rail = railCommands({
      ...world,
      environment: { ...environment, ...more },
      now: () => Date.now(),
      random: randomBytes,
    });
    await rail.parseAsync(["keys", ...args], { from: "user" });
    return out;
  }
  return { environment, keys, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** The table's rows as lists of cells. */
function cells(table: string): string[][] {
  const rows = table.trimEnd().split("\n").slice(1);
  return rows.map((row) => row.split(/ {2,}/));
}

test("lists keys with full IDs, rotates them one at a time, and revokes them", async () => {
  await using installation = await openInstallation();
  const { keys } = installation;
  const [[first, state]] = cells(await keys(["list"]));
  assert.match(first, /^[\w-]{43}$/);
  assert.equal(state, "active");
  const rotated = cells(await keys(["rotate", "--reason", "once a year"]));
  assert.deepEqual(
    rotated.map(([, state]) => state),
    ["next", "active"],
  );
  await assert.rejects(keys(["rotate", "--reason", "again"]), /published|24 h/);
  const revoked = cells(await keys(["revoke", "--yes", first, "--reason", "it was in a log"]));
  assert.deepEqual(
    revoked.map(([kid, state]) => [kid === first, state]),
    [
      [false, "next"],
      [false, "active"],
      [true, "revoked"],
    ],
  );
  await assert.rejects(keys(["revoke", "--yes", "nobody's", "--reason", "x"]), /No signing key has this ID/);
});

test("a running rail publishes a key that a command has rotated", async () => {
  await using installation = await openInstallation();
  const rail = await start(installation.environment);
  try {
    await installation.keys(["rotate", "--reason", "once a year"]);
    const { keys }: { keys: unknown[] } = JSON.parse(await (await fetch(`${rail.url}/.well-known/jwks.json`)).text());
    assert.equal(keys.length, 2);
  } finally {
    await rail.stop();
  }
});

test("a rail with a different secret does not start, and serves its wallets once its key is revoked", async () => {
  await using installation = await openInstallation();
  const before = await start(installation.environment);
  const [wallet, token] = await openWallet(before.url);
  const gateway = await openGateway(before.url, installation.environment.TRIPTYCH_DATA, token);
  await gateway.charge([{ seq: 1, key: "k-1" }]);
  await gateway.charge([], { through: 1 });
  await before.stop();

  const [[kid]] = cells(await installation.keys(["list"]));
  const other = { TRIPTYCH_SECRET: "another secret of at least 32 characters" };
  await assert.rejects(start({ ...installation.environment, ...other }), /encrypted with a different secret/);
  await installation.keys(["revoke", "--yes", kid, "--reason", "the secret is lost"], other);
  const rail = await start({ ...installation.environment, ...other });
  try {
    const revoked = await (await fetch(`${rail.url}/.well-known/revoked-keys.json`)).text();
    assert.match(revoked, new RegExp(kid));
    const response = await fetch(`${rail.url}/v1/wallets/me`, { headers: { "x-rail-wallet": token } });
    const { wallet_id, email_masked, balance_micro } = JSON.parse(await response.text());
    assert.deepEqual([response.status, wallet_id, email_masked, balance_micro], [200, wallet, null, 99_500]);
    const later = await openGateway(rail.url, installation.environment.TRIPTYCH_DATA, token);
    const results = await later.charge([{ seq: 1 }, { seq: 2, key: "k-1" }, { seq: 3 }]);
    assert.deepEqual(
      results.map(({ seq, status }) => [seq, status]),
      [
        [1, 201],
        [3, 201],
      ],
      "a receipt that cannot be made again costs its own call only",
    );
  } finally {
    await rail.stop();
  }
});

async function openWallet(url: string): Promise<[id: string, token: string]> {
  const made = await post(`${url}/v1/wallets`, { email: "ada@example.org" });
  return [String(made["wallet_id"]), String(made["wallet_token"])];
}

/** A restarted gateway of that name, with the token of the data folder. */
async function openGateway(url: string, folder: string, token: string) {
  const authorization = `Bearer ${(await readFile(join(folder, "service-token"), "utf8")).trim()}`;
  const names = { instance: "gw", boot: randomUUID() };
  await post(`${url}/internal/v1/instances`, names, { authorization });
  const digest = "a".repeat(43);
  const wallet_hash = createHash("sha256").update(token).digest("hex");
  const chargeDefaults = { wallet_hash, op: "route", qty: 1, price_id: "decision-v1", req: digest, res: digest };
  return {
    async charge(asks: readonly { readonly seq: number; readonly key?: string }[], ack = { through: 0 }) {
      const charges = asks.map((ask) => ({ ...chargeDefaults, ...ask }));
      const answer = await post(`${url}/internal/v1/charges`, { ...names, ack, charges }, { authorization });
      return answer["results"] as { readonly seq: number; readonly status: number }[];
    },
  };
}

async function post(url: string, body: unknown, headers = {}): Promise<Record<string, unknown>> {
  const json = { "content-type": "application/json", ...headers };
  const answer = await fetch(url, { method: "POST", headers: json, body: JSON.stringify(body) });
  assert.ok(answer.ok, await answer.clone().text());
  return JSON.parse(await answer.text());
}
