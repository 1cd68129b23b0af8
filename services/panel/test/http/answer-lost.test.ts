import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixture } from "../support/create-fixture.ts";

test("does not create a run twice under one key when the response was lost in a crash", async () => {
  await using fixture = await createFixture();
  const token = fixture.pro.access_token;
  const repo = await fixture.ask("POST", "/api/repos", { token, body: { url: "https://git.example.org/a.git" } });
  const { change } = fixture.store;
  const dying: typeof change = async (owner, work) => {
    await change(owner, work);
    throw new Error("the process died behind its first commit");
  };
  const start = () =>
    fixture.ask("POST", `/api/repos/${repo.json<{ id: string }>().id}/run`, {
      token,
      body: { parallel: true },
      headers: { "idempotency-key": "one" },
    });
  Object.assign(fixture.store, { change: dying });
  assert.equal((await start()).statusCode, 500);
  Object.assign(fixture.store, { change });
  const again = await start();
  assert.deepEqual([again.statusCode, again.headers["idempotency-replayed"]], [202, "true"]);
  const runs = (await fixture.ask("GET", "/api/runs", { token })).json<{ items: { id: string }[] }>().items;
  assert.deepEqual(
    runs.map(({ id }) => id),
    [again.json<{ id: string }>().id],
  );
});
