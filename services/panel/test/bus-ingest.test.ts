import assert from "node:assert/strict";
import { test } from "node:test";
import { busItem } from "./support/bus.ts";
import { createLeasedRun } from "./support/leased-run.ts";
import { createFixture } from "./support/create-fixture.ts";

/** Percent-encoded in the repository address. */
const CREDENTIAL = "correct-horse/staple";

async function open() {
  const fixture = await createFixture();
  const run = await createLeasedRun(fixture);
  const stored = async () => {
    const chunks = await fixture.database.db.selectFrom("bus_chunk").select("items").execute();
    return chunks.map(({ items }) => items).join("\n");
  };
  const say = (...items: Parameters<typeof busItem>[]) =>
    fixture.bus.ingest(
      run.owner,
      run.id,
      1,
      items.map((item) => busItem(...item)),
    );
  return { ...fixture, run, stored, say, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

test("stores no secret of the account: plain, encoded, in data, or split across two messages", async () => {
  await using fixture = await open();
  const { license_key: license } = fixture.pro;
  const inside = Buffer.from(`me:${CREDENTIAL}:x`).toString("base64");
  await fixture.say(
    [1, { text: `clone with ${CREDENTIAL}` }],
    [2, { kind: "log", text: encodeURIComponent(CREDENTIAL), data: { deep: [{ [license]: inside }] } }],
    [3, { text: `key ${license.slice(0, 15)}` }],
    [4, { text: `${license.slice(15)} was it` }],
    [
      5,
      {
        kind: "tool_call",
        text: `ghp_${"a1B2".repeat(9)}`,
        from: { role: "coder", agent: license, cli: null, model: null },
      },
    ],
  );
  const stored = await fixture.stored();
  for (const secret of [CREDENTIAL, license, license.slice(15), inside, encodeURIComponent(CREDENTIAL), "a1B2a1B2"])
    assert.ok(!stored.includes(secret), secret);
  assert.match(stored, /clone with \[redacted:repo_credential\]/);
  assert.match(stored, /"key \[redacted:(license_key|triptych_key)\]"/);
  assert.match(stored, /" was it"/);
  const { body } = await fixture.ask("GET", "/metrics");
  assert.match(body, /^panel_redactions_total\{service="panel"\} 7$/m);
});

test("redacts a rotated key and a replaced credential during a run", async () => {
  await using fixture = await open();
  const { token } = fixture.run;
  await fixture.say([1]);
  const fresh = (await fixture.ask("POST", "/api/account/license", { token })).json().license_key;
  const { items } = (await fixture.ask("GET", "/api/repos", { token })).json();
  const credential = { kind: "token", token: "another-secret-word" };
  await fixture.ask("PATCH", `/api/repos/${items[0].id}`, { token, body: { credential } });
  fixture.advance(1_000);
  await fixture.say(
    [2, { text: Buffer.from(fresh).toString("base64") }],
    [3, { kind: "log", text: "an another-secret-word" }],
  );
  const stored = await fixture.stored();
  assert.match(stored, /"\[redacted:license_key\]/);
  assert.match(stored, /"an \[redacted:repo_credential\]"/);
});

test("keeps the order of frames of a run, batches frames of many runs, and ignores duplicates", async () => {
  await using fixture = await open();
  const ingested = await Promise.all(
    Array.from({ length: 50 }, (_, index) => fixture.say([2 * index + 1], [2 * index + 2], [2 * index + 2])),
  );
  assert.deepEqual(
    ingested.map((outcome) => outcome.kind === "stored" && outcome.upto),
    Array.from({ length: 50 }, (_, index) => 2 * index + 2),
  );
  assert.deepEqual(await fixture.say([99], [100]), ingested.at(-1));
  assert.deepEqual(await fixture.bus.ingest(fixture.run.owner, fixture.run.id, 2, [busItem(1)]), { kind: "fenced" });
  await fixture.run.move("given_back");
  assert.deepEqual(await fixture.say([101]), { kind: "fenced" });
});

test("truncates long texts and deep data, and rejects the panel's role from a worker", async () => {
  await using fixture = await open();
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`);
  await fixture.say(
    [1, { text: "é".repeat(20_000), data: deep }],
    [2, { from: { role: "panel", agent: null, cli: null, model: null } }],
  );
  const { items } = (await fixture.ask("GET", `${fixture.run.path}?after=2`, { token: fixture.run.token })).json();
  const [long, forged] = items;
  assert.ok(Buffer.byteLength(long.text) <= 16 * 1024 && Buffer.byteLength(long.text) > 16 * 1024 - 3);
  assert.match(long.text, /é \[cut\]$/);
  assert.match(JSON.stringify(long.data), /\{"a":"\[cut\]"\}/);
  assert.equal(forged.from.role, "worker");
  await assert.rejects(fixture.bus.ingest(fixture.run.owner, fixture.run.id, 1, [busItem(2 ** 31)]), RangeError);
  assert.equal((await fixture.say([3])).kind, "stored");
});

test("rejects only the invalid frame of a batch", async () => {
  await using fixture = await open();
  const broken = { ...busItem(1), kind: "talk" as "log" };
  const outcomes = await Promise.allSettled([
    fixture.say([1]),
    fixture.bus.ingest(fixture.run.owner, fixture.run.id, 1, [broken]),
    fixture.say([2]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});
