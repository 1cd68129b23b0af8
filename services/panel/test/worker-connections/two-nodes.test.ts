import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachEngine } from "@triptych/storage/testing";
import { PANEL_MIGRATIONS } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { createClock } from "../support/clock.ts";
import { createChannelFixture, REPO } from "../support/create-channel-fixture.ts";

const about = { migrations: PANEL_MIGRATIONS, engines: ["PostgreSQL"] } as const;

forEachEngine<PanelTables>("two nodes on one store", about, (_open, stores) => {
  test("leases each run once on the worker's node, and forwards calls between nodes", async () => {
    await using location = await stores.createLocation();
    await using databases = new AsyncDisposableStack();
    const clock = createClock();
    const [here, there] = [databases.use(await location.open()), databases.use(await location.open())];
    await using first = await createChannelFixture({ database: here, clock });
    await using other = await createChannelFixture({ database: there, clock });
    const { license_key: key, access_token: token, account_id: owner } = await first.make("team");
    const workers = [await first.join(key, { slots: 3 }), await other.join(key, { slots: 3, process: "process-2" })];

    const runs = [];
    for (let n = 0; n < 6; n++) {
      const { body } = await first.ask(token, "POST", "/api/repos", { url: `${REPO.url}${n}` });
      runs.push((await (n % 2 === 0 ? first : other).ask(token, "POST", `/api/repos/${body.id}/run`, {})).body.id);
    }
    const assigned = [];
    for (const worker of workers)
      for (let n = 0; n < 3; n++) {
        const { run_id, epoch, cid } = await worker.next("assign");
        assigned.push(run_id);
        assert.equal(epoch, 1);
        worker.say({ t: "ack", cid });
        worker.say({ t: "accept", run_id, epoch });
      }
    assert.deepEqual(assigned.toSorted(), runs.toSorted());

    // Cancelled through the other node.
    const far = workers[1]?.received.find((frame) => frame.t === "assign")?.run_id ?? "";
    await first.until(owner, far, ({ state }) => state === "preparing");
    assert.equal((await first.ask(token, "POST", `/api/runs/${far}/cancel`)).status, 202);
    assert.equal((await workers[1]?.next("cancel"))?.run_id, far);

    // The count includes the other node's workers; it reads the key from the store.
    const rotated = (await first.ask(token, "POST", "/api/account/license?notify_workers=1")).body;
    assert.equal(rotated["notified_workers_count"], 2);
    for (const worker of workers)
      assert.equal((await worker.next("token_rotated")).license_key, rotated["license_key"]);

    await workers[1]?.next("probe");
    const probing = first.ask(token, "POST", "/api/worker/probe", {
      cli: "codex",
      model: "gpt-y",
      worker_id: workers[1]?.workerId,
    });
    const { cid } = (await workers[1]?.next("probe")) ?? { cid: "" };
    workers[1]?.say({ t: "reply", cid, ok: true, data: { ok: true, latency_ms: 5 } });
    assert.deepEqual((await probing).body["ok"], true);

    // Its worker moves to the other node; the older connection is closed with a reason.
    const moved = await first.join(rotated["license_key"] as string, {
      worker_id: workers[1]?.workerId,
      process: "process-2",
    });
    assert.equal(moved.workerId, workers[1]?.workerId);
    assert.deepEqual(await workers[1]?.closed, { code: 4409, reason: "reconnected" });
    assert.deepEqual([first.errors, other.errors], [[], []]);
  });

  test("removes a node after ten seconds of silence, once, and gives its workers 45 s to reconnect", async () => {
    await using location = await stores.createLocation();
    await using databases = new AsyncDisposableStack();
    const [here, there] = [databases.use(await location.open()), databases.use(await location.open())];
    const stopped = createClock();
    const clock = createClock();
    await using dead = await createChannelFixture({ database: there, clock: stopped, leaseMs: 2_000 });
    await using alive = await createChannelFixture({ database: here, clock, leaseMs: 2_000 });
    const { license_key: key, access_token: token, account_id: owner } = await dead.make("pro");
    const worker = await dead.join(key);
    const repo = (await dead.ask(token, "POST", "/api/repos", REPO)).body;
    const run = (await dead.ask(token, "POST", `/api/repos/${repo.id}/run`, {})).body;
    const { run_id, epoch } = await worker.next("assign");
    worker.say({ t: "accept", run_id, epoch });
    const leased = await dead.until(owner, run.id, ({ state }) => state === "preparing");
    await alive.store.fleet.moveLeases([
      { owner, runId: run.id, epoch, workerId: worker.workerId, leaseUntil: clock.now() + 11_000 },
    ]);
    clock.advance(10_000);
    const lease = async () => (await alive.store.of(owner).runs.find(run.id))?.leaseUntil ?? 0;
    while ((await lease()) < clock.now() + 40_000) await new Promise(setImmediate);
    assert.equal(await alive.store.of(owner).workers.countConnected(), 0);
    assert.ok(leased.epoch === 1 && (await alive.store.of(owner).runs.find(run.id))?.state === "preparing");

    // It was alive: its next heartbeat registers its worker again.
    stopped.advance(2_000);
    while ((await alive.store.of(owner).workers.countConnected()) === 0) await new Promise(setImmediate);
  });
});
