import assert from "node:assert/strict";
import { test } from "node:test";
import type { BusMessage } from "@triptych/contracts";
import { forEachEngine } from "@triptych/storage/testing";
import { PANEL_MIGRATIONS } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { createChannelFixture, REPO } from "../support/create-channel-fixture.ts";

const about = { migrations: PANEL_MIGRATIONS, engines: ["SQLite in memory", "PostgreSQL"] } as const;

forEachEngine<PanelTables>("worker text that a store or reader cannot represent", about, (open) => {
  test("replaces null bytes and lone surrogates in names and messages, and keeps the connection", async () => {
    await using database = await open();
    await using fixture = await createChannelFixture({ database });
    const { license_key: key, access_token: token } = await fixture.make("pro");
    const worker = await fixture.join(key, { name: "box\u0000\ud800", os: "li\u0000nux" });
    const { workers } = (await fixture.ask(token, "GET", "/api/worker/status")).body;
    const [seen] = workers as readonly { readonly name: string; readonly os: string }[];
    assert.deepEqual([seen?.name, seen?.os], ["box\ufffd\ufffd", "li\ufffdnux"]);

    worker.say({ t: "state", mid: "m\u0000", run_id: "run\u0000", epoch: 1, state: "running", data: {} });
    assert.equal((await worker.next("state_ack")).result, "rejected");
    const { body: repo } = await fixture.ask(token, "POST", "/api/repos", REPO);
    const { body: run } = await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, {});
    const { run_id, epoch } = await worker.next("assign");
    worker.say({ t: "accept", run_id, epoch });
    const from = { role: "coder" };
    const item = { wseq: 1, at: "", from, kind: "log", text: "a\u0000b\ud83d", data: { "k\udc00": ["\u0000", "😀"] } };
    worker.say({ t: "events", run_id, epoch, items: [item] });
    await worker.next("events_ack");
    const { items } = (await fixture.ask(token, "GET", `/api/runs/${run.id}/bus?kind=log`)).body;
    const [message] = items as readonly BusMessage[];
    assert.deepEqual([message?.text, message?.data], ["a\ufffdb\ufffd", { "k\ufffd": ["\ufffd", "😀"] }]);
    assert.deepEqual(fixture.errors, []);
  });
});
