/** Two routers with a shared store apply each other's changes within a second. */
import assert from "node:assert/strict";
import { forEachEngine } from "@triptych/storage/testing";
import { test } from "node:test";
import { filesInRows } from "../../src/store/head-files.ts";
import { ROUTER_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RouterTables } from "../../src/store/tables.ts";
import { bringHead } from "../support/imported-heads.ts";
import { trainingRequest } from "../support/training-requests.ts";
import { createFixture } from "../support/create-fixture.ts";

interface Decided {
  readonly choice: string;
  readonly probabilities: Readonly<Record<string, number>>;
}

const artifactOf = (id: string) => `/v1/heads/${id}/artifact`;
const SECOND = 1000;
const body = { state: "will it rain", expert: "acme" };

forEachEngine<RouterTables>(
  "two routers",
  { migrations: ROUTER_MIGRATIONS, engines: ["PGlite"] },
  (_open, { createLocation }) => {
    test("serve each other's heads after training, promotion, feedback and deletion on either of them", async () => {
      await using location = await createLocation();
      await using here = await location.open();
      await using there = await location.open();
      let clock = SECOND;
      const now = () => clock;
      await using firstRouter = await createFixture({ storage: { database: here, files: filesInRows(here) }, now });
      await using other = await createFixture({ storage: { database: there, files: filesInRows(there) }, now });

      assert.equal((await other.ask("/v1/decide", { body })).json().code, "expert_not_found");
      const first = (await firstRouter.ask("/v1/heads", { body: trainingRequest() })).json();
      const served = await other.ask("/v1/decide", { body });
      assert.equal(served.statusCode, 200, served.body);
      const own: Decided = (await firstRouter.ask("/v1/decide", { body })).json();
      const theirOwn: Decided = served.json();
      assert.deepEqual([theirOwn.choice, theirOwn.probabilities], [own.choice, own.probabilities]);
      const [mine, theirs] = [await firstRouter.ask(artifactOf(first.id)), await other.ask(artifactOf(first.id))];
      assert.deepEqual(theirs.rawPayload, mine.rawPayload);

      const second = await bringHead(firstRouter, { contrary: true });
      assert.equal(second.state, "ready");
      await firstRouter.ask(`/v1/heads/${second.id}/promote`, { body: { force: true } });
      clock += SECOND;
      assert.notEqual((await other.ask("/v1/decide", { body })).json().choice, own.choice);
      assert.equal((await other.ask(`/v1/heads/${first.id}`)).json().state, "retired");

      const item = { expert: "acme", state: "will it rain", route: "weather" };
      await other.ask("/v1/feedback", { body: item });
      assert.equal((await firstRouter.ask("/v1/feedback", { body: item })).json().feedback.n, 2);

      assert.equal((await other.ask(`/v1/heads/${second.id}`, { method: "DELETE" })).statusCode, 204);
      clock += SECOND;
      assert.equal((await firstRouter.ask("/v1/decide", { body })).json().code, "head_not_ready");
      assert.equal((await other.ask(`/v1/heads/${first.id}`, { method: "DELETE" })).statusCode, 204);
      clock += SECOND;
      assert.equal((await firstRouter.ask("/v1/decide", { body })).json().code, "expert_not_found");
    });

    test("leave a training to the router that started it, and fail it when its lease expires", async () => {
      await using location = await createLocation();
      await using here = await location.open();
      await using there = await location.open();
      let clock = SECOND;
      const now = () => clock;
      await using firstRouter = await createFixture({ storage: { database: here, files: filesInRows(here) }, now });
      await using other = await createFixture({ storage: { database: there, files: filesInRows(there) }, now });
      const slots = { greeting: Array.from({ length: 150 }, (_, index) => `number ${index}`) };
      const created = await firstRouter.ask("/v1/heads", {
        body: trainingRequest({ slots }),
        headers: { prefer: "wait=0" },
      });
      const state = async () => (await other.ask(`/v1/heads/${created.json().id}`)).json().state;
      clock += 14 * SECOND;
      await firstRouter.owned.heads.watch();
      clock += 14 * SECOND;
      await other.owned.heads.watch();
      assert.equal(await state(), "training");
      clock += SECOND;
      await other.owned.heads.watch();
      assert.equal(await state(), "failed");
    });
  },
);
