import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { WORKER_SUBPROTOCOL } from "@triptych/contracts";
import { createChannelFixture, REPO, type ChannelFixture } from "../support/create-channel-fixture.ts";
import { HELLO } from "../support/worker-socket.ts";

/** A refused upgrade: status and problem of the response. */
async function upgrade({ url }: ChannelFixture, credential: string, protocol: string = WORKER_SUBPROTOCOL) {
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asking = request(`${url}/api/worker/connect`, {
      headers: {
        authorization: `Bearer ${credential}`,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AQIDBAUGBwgJCgsMDQ4PEA==",
        "sec-websocket-protocol": protocol,
      },
    });
    asking.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Error("it was upgraded"));
    });
    asking.on("response", (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asking.on("error", reject);
    asking.end();
  });
  return [answer.status, JSON.parse(answer.text).code];
}

test("opens the channel only to a license key with the subprotocol, and nothing else to it", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token } = await fixture.make("pro");
  const runToken = fixture.runTokens.mint({ owner: "acc", runId: "run", epoch: 1 }, fixture.clock.now() + 9_000);
  for (const bad of ["lic_wrong", token, runToken])
    assert.deepEqual(await upgrade(fixture, bad), [401, "unauthenticated"]);
  assert.deepEqual(await upgrade(fixture, key, "other.v9"), [400, "validation_failed"]);
  assert.equal((await fixture.ask(key, "GET", "/api/worker/connect")).status, 400);
  for (const bad of [token, runToken]) assert.equal((await fixture.ask(bad, "GET", "/api/worker/connect")).status, 401);
  for (const bad of [key, runToken]) assert.equal((await fixture.ask(bad, "GET", "/api/repos")).status, 401);
  assert.ok(!fixture.lines.join("").includes(key));
});

test("disconnects a worker without hello after 5 s, and a silent one after 45 s", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key } = await fixture.make("pro");
  const mute = await fixture.connect(key);
  const worker = await fixture.join(key);
  fixture.clock.advance(6_000);
  assert.equal((await mute.closed).code, 4408);
  worker.socket.pause();
  fixture.clock.advance(46_000);
  worker.socket.resume();
  assert.equal((await worker.closed).code, 1006);
});

test("closes the connection on invalid, early, binary or oversized frames; ignores unknown types", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key } = await fixture.make("team");
  const closeOf = async (say: (worker: Awaited<ReturnType<ChannelFixture["connect"]>>) => void) => {
    const worker = await fixture.connect(key);
    say(worker);
    return (await worker.closed).code;
  };
  assert.equal(await closeOf((worker) => worker.socket.send("{broken")), 4400);
  assert.equal(
    await closeOf((worker) => worker.say({ t: "hb", holding: [], free_slots: 1, load: 0, disk_free_mb: 1 })),
    4400,
  );
  assert.equal(await closeOf((worker) => worker.say({ ...HELLO, slots: 0 })), 4400);
  assert.equal(await closeOf((worker) => worker.say({ ...HELLO, os: "x".repeat(201) })), 4400);
  assert.equal(await closeOf((worker) => worker.socket.send(Buffer.from("{}"))), 4400);
  assert.equal(await closeOf((worker) => worker.say({ t: "ack", cid: "x".repeat(300_000) })), 4413);
  assert.equal(await closeOf((worker) => worker.say({ t: "ack", cid: "x".repeat(3_000_000) })), 4413);
  const twice = await fixture.join(key);
  twice.say({ t: "song", text: "la" });
  twice.say({ ...HELLO });
  assert.equal((await twice.closed).code, 4400);
  const badReport = await fixture.join(key);
  badReport.say({ t: "state", mid: "m", run_id: "run_x", epoch: 1, state: "failed", data: { code: "no such" } });
  const { code, reason } = await badReport.closed;
  assert.deepEqual(
    [code, reason],
    [
      4400,
      "data of state failed: must have required properties message; /code must be equal to one of the allowed values",
    ],
  );
});

test("closes with 4403 for a suspended account or a full plan, and counts a reconnecting worker once", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, account_id: owner } = await fixture.make("free");
  const [first] = [await fixture.join(key), await fixture.join(key), await fixture.join(key)];
  const fourth = await fixture.connect(key);
  fourth.say(HELLO);
  assert.equal((await fourth.closed).code, 4403);
  const back = await fixture.join(key, { worker_id: first.workerId });
  assert.equal(back.workerId, first.workerId);
  assert.deepEqual(await first.closed, { code: 4409, reason: "reconnected" });

  await fixture.store.change(owner, ({ account }) => account.setStatus("suspended"));
  const late = await fixture.connect(key);
  late.say(HELLO);
  assert.equal((await late.closed).code, 4403);
  fixture.clock.advance(1_000);
  assert.equal((await back.closed).code, 4403);
});

test("replaces the older connection of a worker id, and assigns a new id instead of one of another account", async () => {
  await using fixture = await createChannelFixture();
  const [first, other] = [await fixture.make("pro"), await fixture.make("team")];
  const older = await fixture.join(first.license_key);
  const newer = await fixture.join(first.license_key, { worker_id: older.workerId, process: "process-2" });
  assert.equal(newer.workerId, older.workerId);
  assert.deepEqual(await older.closed, { code: 4409, reason: "replaced" });
  const stranger = await fixture.join(other.license_key, { worker_id: older.workerId });
  assert.notEqual(stranger.workerId, older.workerId);
  assert.equal(newer.socket.readyState, newer.socket.OPEN);
});

test("closes with 4401 when the key was rotated before hello, and keeps connected workers", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token } = await fixture.make("pro");
  const stays = await fixture.join(key);
  const late = await fixture.connect(key);
  await fixture.ask(token, "POST", "/api/account/license");
  late.say(HELLO);
  assert.equal((await late.closed).code, 4401);
  assert.equal(stays.socket.readyState, stays.socket.OPEN);
  assert.deepEqual(await upgrade(fixture, key), [401, "unauthenticated"]);
});

test("notifies all workers of a restart on shutdown", async () => {
  const fixture = await createChannelFixture();
  const { license_key: key } = await fixture.make("pro");
  const worker = await fixture.join(key);
  await fixture[Symbol.asyncDispose]();
  assert.equal((await worker.closed).code, 1012);
  assert.deepEqual(fixture.errors, []);
});

test("closes with 1013 when an outbox is full for 30 s, and requeues an offer that does not fit", async () => {
  await using fixture = await createChannelFixture();
  const { license_key: key, access_token: token, account_id: owner } = await fixture.make("pro");
  const worker = await fixture.join(key, { agents: [{ ...HELLO.agents[0], models: [] }] });
  const rotate = async () => (await fixture.ask(token, "POST", "/api/account/license?notify_workers=1")).body;
  // The first of the 64 is the probe at connect.
  await worker.next("probe");
  for (let count = 1; count < 64; count++) assert.equal((await rotate())["notified_workers_count"], 1);
  assert.deepEqual([(await rotate())["notified_workers"], (await rotate())["notified_workers_count"]], [false, 0]);
  const status = (await fixture.ask(token, "GET", "/api/worker/status")).body["workers"];
  assert.deepEqual(JSON.parse(JSON.stringify(status))[0].outbox, { pending: 64, limit: 64 });
  const repo = (await fixture.ask(token, "POST", "/api/repos", REPO)).body;
  const run = (await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {})).body;
  const back = await fixture.until(owner, run.id, ({ state, epoch }) => state === "queued" && epoch === 1);
  assert.equal(back.attempt, 0);
  fixture.clock.advance(31_000);
  assert.equal((await worker.closed).code, 1013);
});
