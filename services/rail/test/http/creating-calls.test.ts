import assert from "node:assert/strict";
import { test } from "node:test";
import { crashableDatabase, type CrashControl } from "@triptych/storage/testing";
import { createRailFixture, type RailAsk, type RailFixture } from "../support/create-rail-fixture.ts";

interface Creating {
  readonly url: (id: string) => string;
  readonly buildRequest: (fixture: RailFixture, token: string) => RailAsk;
  readonly status: number;
  /** The rows that were added to the ledger since the start. */
  readonly made: (fixture: RailFixture, id: string) => Promise<number>;
}

const kindsOf = async (fixture: RailFixture, walletId: string, kind: string) => {
  const all = { kinds: [], since: null, until: null, before: null, limit: 100 };
  return (await fixture.ledger.entries(walletId, all)).filter((entry) => entry.kind === kind).length;
};

const CALLS: Readonly<Record<string, Creating>> = {
  "a wallet": {
    url: () => "/v1/wallets",
    buildRequest: () => ({ body: { email: "bob@example.org" } }),
    status: 201,
    made: async (fixture) => (await fixture.ledger.walletHeads()).length - 1,
  },
  "a rotation of the token": {
    url: () => "/v1/wallets/me/rotate",
    buildRequest: (_, token) => ({ token, body: { grace_seconds: 0 } }),
    status: 200,
    made: async (fixture) => (await fixture.database.db.selectFrom("wallet_token").select("hash").execute()).length - 1,
  },
  "a purchase": {
    url: () => "/v1/purchases",
    buildRequest: (_, token) => ({ token, body: { sku: "custom-head", ref: "tools" } }),
    status: 201,
    made: (fixture, id) => kindsOf(fixture, id, "purchase"),
  },
  "an operator's adjustment": {
    url: (id) => `/v1/admin/wallets/${id}/adjust`,
    buildRequest: (fixture) => ({
      bearer: fixture.adminToken,
      body: { amount_micro: 7, operator: "op", reason: "why" },
    }),
    status: 200,
    made: async (fixture, id) => (await kindsOf(fixture, id, "adjustment")) - 1,
  },
  "a top-up": {
    url: () => "/v1/topup",
    buildRequest: (_, token) => ({ token, body: { amount_micro: 20_000 } }),
    status: 201,
    made: (fixture, id) => kindsOf(fixture, id, "topup"),
  },
};

for (const [name, call] of Object.entries(CALLS))
  test(`${name}: a repeat with the same key completes the call once after a crash at any point, with the same response`, async () => {
    let steps = 0;
    for (let isDead = true; isDead; steps++) isDead = await diesAt(steps, call);
    assert.ok(steps > 5, `it died at ${steps} places only`);
  });

/** False if the call completed before this step. */
async function diesAt(step: number, { url, buildRequest, status, made }: Creating): Promise<boolean> {
  const crashes: CrashControl[] = [];
  await using fixture = await createRailFixture({
    beneath(database) {
      const { database: beneath, crash } = crashableDatabase(database);
      crashes.push(crash);
      return beneath;
    },
  });
  const [crash] = crashes;
  assert.ok(crash !== undefined);
  const { id, token } = await fixture.openWallet();
  await fixture.pay(id, 60_000_000);
  const path = url(id);
  const ask = () => fixture.ask(path, { ...buildRequest(fixture, token), key: "k" });

  crash.dieAt(step);
  const lost = await ask();
  const died = crash.isDead;
  crash.revive();
  const about = `died at step ${step}`;
  const answer = await ask();
  assert.equal(answer.statusCode, status, `${about}: ${answer.body}`);
  const again = await ask();
  assert.deepEqual([again.body, again.headers["idempotency-replayed"]], [answer.body, "true"], about);
  if (lost.statusCode === status) assert.equal(lost.body, answer.body, about);
  assert.equal(await made(fixture, id), 1, about);
  assert.deepEqual((await fixture.ledger.audit()).violations, [], about);
  return died;
}
