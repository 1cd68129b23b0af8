import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "@triptych/storage";
import { createRailFixture, type RailFixture } from "../support/create-rail-fixture.ts";

const EMAIL = "planted.person@secret-domain.example";
const CLIENT_KEY = "planted-client-key-7f3a";
const CREATION_KEY = "planted-creation-key-91bc";

/** Every row of every table, with bytes as text and as hex. */
async function storeDump({ database }: RailFixture): Promise<string> {
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(database.db);
  const dumps = await Promise.all(
    tables.rows.map(async ({ name }) => {
      const { rows } = await sql.raw<Record<string, unknown>>(`select * from "${name}"`).execute(database.db);
      return rows.map((row) => Object.values(row).map(asText).join("|")).join("\n");
    }),
  );
  return dumps.join("\n");
}

function asText(value: unknown): string {
  if (!(value instanceof Uint8Array)) return String(value);
  return `${Buffer.from(value).toString("latin1")} ${Buffer.from(value).toString("hex")}`;
}

test("tokens, addresses and client keys never appear in a log line, error, receipt, metric or row", async () => {
  await using fixture = await createRailFixture({ mail: true });
  const made = await fixture.ask("/v1/wallets", { key: CREATION_KEY, body: { email: EMAIL, label: "mine" } });
  const { wallet_id: id, wallet_token: token } = made.json();
  const rotated = await fixture.ask("/v1/wallets/me/rotate", {
    token,
    key: CREATION_KEY,
    body: { grace_seconds: 600 },
  });
  const next: string = rotated.json().wallet_token;
  await fixture.hello();
  const charge = fixture.charge(token, { key: CLIENT_KEY });
  const charged = await fixture.batch({ charges: [charge] });
  await fixture.batch({ ack: { through: charge.seq } });
  await fixture.ask("/v1/wallets/recover", { body: { email: EMAIL } });
  for (let tick = 0; tick < 200 && fixture.mails.length === 0; tick++)
    await new Promise((resolve) => setImmediate(resolve));
  const codes = fixture.mails.map(({ text }) => /#\w+=(\S+)/.exec(text)?.[1] ?? "");
  assert.equal(codes.length, 1);

  const answers = await Promise.all([
    fixture.ask(`/v1/wallets/me?token=${token}`, { token }),
    fixture.ask(`/v1/topups/${token}`, { token: next }),
    fixture.ask(`/${token}`),
    fixture.ask(`/v1/wallets/${encodeURIComponent(EMAIL)}`),
    fixture.ask("/v1/wallets", { body: { email: EMAIL, label: token, unknown: EMAIL, [token]: 1 } }),
    fixture.ask("/v1/wallets", { body: `{"email":"${EMAIL}"` }),
    fixture.ask("/v1/wallets/me", { token: `${token}x` }),
    fixture.ask("/v1/wallets/me", { token, headers: { "x-request-id": token } }),
    fixture.ask("/v1/wallets/me/entries", { token: next }),
    fixture.ask(`/v1/wallets/me/charges/${charged.json().results[0].charge_id}`, { token: next }),
    fixture.ask("/v1/wallets/me/statement?month=2026-11", { token: next }),
    fixture.asOperator(`/v1/admin/wallets/${id}`),
    fixture.asOperator("/v1/admin/audit", { method: "POST" }),
    fixture.ask("/metrics"),
    fixture.ask("/openapi.json"),
  ]);
  const receipt = Buffer.from(String(charged.json().results[0].receipt).split(".")[1] ?? "", "base64url").toString();
  const outputs = {
    logs: fixture.lines.join(""),
    answers: answers.map(({ body, headers }) => body + JSON.stringify(headers)).join("\n"),
    receipt,
    store: await storeDump(fixture),
  };
  const secrets = [
    token,
    next,
    fixture.adminToken,
    fixture.serviceToken,
    fixture.secret,
    EMAIL,
    CLIENT_KEY,
    CREATION_KEY,
    ...codes,
  ];
  for (const [output, text] of Object.entries(outputs))
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in ${output}`);
  assert.ok(outputs.store.includes(id), "the dump holds the wallet");
  assert.ok(outputs.logs.includes("/v1/wallets/me"), "the log holds routes");
  assert.ok(!outputs.logs.includes("planted"), "nor any part of them");
});
