import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "@triptych/storage";
import { openRailScene, type RailScene } from "../support/create-rail-fixture.ts";

const EMAIL = "planted.person@secret-domain.example";
const CLIENT_KEY = "planted-client-key-7f3a";
const CREATION_KEY = "planted-creation-key-91bc";

/** Every row of every table, bytes as text and as hex. */
async function storeDump({ database }: RailScene): Promise<string> {
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

test("planted secrets are in no log line, error, receipt, metric or row: tokens, the address, the client's keys", async () => {
  await using scene = await openRailScene({ mail: true });
  const made = await scene.ask("/v1/wallets", { key: CREATION_KEY, body: { email: EMAIL, label: "mine" } });
  const { wallet_id: id, wallet_token: token } = made.json();
  const rotated = await scene.ask("/v1/wallets/me/rotate", { token, key: CREATION_KEY, body: { grace_seconds: 600 } });
  const next: string = rotated.json().wallet_token;
  await scene.hello();
  const charge = scene.charge(token, { key: CLIENT_KEY });
  const charged = await scene.batch({ charges: [charge] });
  await scene.batch({ ack: { through: charge.seq } });
  await scene.ask("/v1/wallets/recover", { body: { email: EMAIL } });
  for (let turn = 0; turn < 200 && scene.mails.length === 0; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  const codes = scene.mails.map(({ text }) => /#\w+=(\S+)/.exec(text)?.[1] ?? "");
  assert.equal(codes.length, 1);

  const answers = await Promise.all([
    scene.ask(`/v1/wallets/me?token=${token}`, { token }),
    scene.ask(`/v1/topups/${token}`, { token: next }),
    scene.ask(`/${token}`),
    scene.ask(`/v1/wallets/${encodeURIComponent(EMAIL)}`),
    scene.ask("/v1/wallets", { body: { email: EMAIL, label: token, unknown: EMAIL, [token]: 1 } }),
    scene.ask("/v1/wallets", { body: `{"email":"${EMAIL}"` }),
    scene.ask("/v1/wallets/me", { token: `${token}x` }),
    scene.ask("/v1/wallets/me", { token, headers: { "x-request-id": token } }),
    scene.ask("/v1/wallets/me/entries", { token: next }),
    scene.ask(`/v1/wallets/me/charges/${charged.json().results[0].charge_id}`, { token: next }),
    scene.ask("/v1/wallets/me/statement?month=2026-11", { token: next }),
    scene.asOperator(`/v1/admin/wallets/${id}`),
    scene.asOperator("/v1/admin/audit", { method: "POST" }),
    scene.ask("/metrics"),
    scene.ask("/openapi.json"),
  ]);
  const receipt = Buffer.from(String(charged.json().results[0].receipt).split(".")[1] ?? "", "base64url").toString();
  const places = {
    logs: scene.lines.join(""),
    answers: answers.map(({ body, headers }) => body + JSON.stringify(headers)).join("\n"),
    receipt,
    store: await storeDump(scene),
  };
  const secrets = [
    token,
    next,
    scene.adminToken,
    scene.serviceToken,
    scene.secret,
    EMAIL,
    CLIENT_KEY,
    CREATION_KEY,
    ...codes,
  ];
  for (const [place, text] of Object.entries(places))
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in ${place}`);
  assert.ok(places.store.includes(id), "the dump holds the wallet");
  assert.ok(places.logs.includes("/v1/wallets/me"), "the log holds routes");
  assert.ok(!places.logs.includes("planted"), "nor any part of them");
});
