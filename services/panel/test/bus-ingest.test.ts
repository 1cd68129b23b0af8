import assert from "node:assert/strict";
import { test } from "node:test";
import { word } from "./support/bus.ts";
import { heldRun } from "./support/held-run.ts";
import { openScene } from "./support/create-fixture.ts";

/** In the address of the repository, percent-encoded there. */
const CREDENTIAL = "correct-horse/staple";

async function open() {
  const scene = await openScene();
  const run = await heldRun(scene);
  const stored = async () => {
    const chunks = await scene.database.db.selectFrom("bus_chunk").select("items").execute();
    return chunks.map(({ items }) => items).join("\n");
  };
  const say = (...items: Parameters<typeof word>[]) =>
    scene.bus.ingest(
      run.owner,
      run.id,
      1,
      items.map((item) => word(...item)),
    );
  return { ...scene, run, stored, say, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

test("no secret of the account comes into the store: as it is, encoded, in data, or cut between two messages", async () => {
  await using scene = await open();
  const { license_key: license } = scene.pro;
  const inside = Buffer.from(`me:${CREDENTIAL}:x`).toString("base64");
  await scene.say(
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
  const said = await scene.stored();
  for (const secret of [CREDENTIAL, license, license.slice(15), inside, encodeURIComponent(CREDENTIAL), "a1B2a1B2"])
    assert.ok(!said.includes(secret), secret);
  assert.match(said, /clone with \[redacted:repo_credential\]/);
  assert.match(said, /"key \[redacted:(license_key|triptych_key)\]"/);
  assert.match(said, /" was it"/);
  const { body } = await scene.ask("GET", "/metrics");
  assert.match(body, /^panel_redactions_total\{service="panel"\} 7$/m);
});

test("a key that was rotated and a credential that was replaced are known while the run goes on", async () => {
  await using scene = await open();
  const { token } = scene.run;
  await scene.say([1]);
  const fresh = (await scene.ask("POST", "/api/account/license", { token })).json().license_key;
  const { items } = (await scene.ask("GET", "/api/repos", { token })).json();
  const credential = { kind: "token", token: "another-secret-word" };
  await scene.ask("PATCH", `/api/repos/${items[0].id}`, { token, body: { credential } });
  scene.advance(1_000);
  await scene.say(
    [2, { text: Buffer.from(fresh).toString("base64") }],
    [3, { kind: "log", text: "an another-secret-word" }],
  );
  const said = await scene.stored();
  assert.match(said, /"\[redacted:license_key\]/);
  assert.match(said, /"an \[redacted:repo_credential\]"/);
});

test("frames of one run stay in their order, those of many are kept together, and what was said before is not said again", async () => {
  await using scene = await open();
  const ingested = await Promise.all(
    Array.from({ length: 50 }, (_, index) => scene.say([2 * index + 1], [2 * index + 2], [2 * index + 2])),
  );
  assert.deepEqual(
    ingested.map((one) => one.kind === "stored" && one.upto),
    Array.from({ length: 50 }, (_, index) => 2 * index + 2),
  );
  assert.deepEqual(await scene.say([99], [100]), ingested.at(-1));
  assert.deepEqual(await scene.bus.ingest(scene.run.owner, scene.run.id, 2, [word(1)]), { kind: "fenced" });
  await scene.run.move("given_back");
  assert.deepEqual(await scene.say([101]), { kind: "fenced" });
});

test("what is too long is cut, what is too deep too, and a worker does not speak as the panel", async () => {
  await using scene = await open();
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`);
  await scene.say(
    [1, { text: "é".repeat(20_000), data: deep }],
    [2, { from: { role: "panel", agent: null, cli: null, model: null } }],
  );
  const { items } = (await scene.ask("GET", `${scene.run.path}?after=2`, { token: scene.run.token })).json();
  const [long, forged] = items;
  assert.ok(Buffer.byteLength(long.text) <= 16 * 1024 && Buffer.byteLength(long.text) > 16 * 1024 - 3);
  assert.match(long.text, /é \[cut\]$/);
  assert.match(JSON.stringify(long.data), /\{"a":"\[cut\]"\}/);
  assert.equal(forged.from.role, "worker");
  await assert.rejects(scene.bus.ingest(scene.run.owner, scene.run.id, 1, [word(2 ** 31)]), RangeError);
  assert.equal((await scene.say([3])).kind, "stored");
});

test("a frame that no bus takes is refused alone", async () => {
  await using scene = await open();
  const broken = { ...word(1), kind: "talk" as "log" };
  const outcomes = await Promise.allSettled([
    scene.say([1]),
    scene.bus.ingest(scene.run.owner, scene.run.id, 1, [broken]),
    scene.say([2]),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});
