import assert from "node:assert/strict";
import { test } from "node:test";
import { wideOrder } from "../support/training-requests.ts";
import { openScene } from "../support/create-fixture.ts";

test("a head of 255 routes is trained and decides among all of them", async () => {
  await using scene = await openScene();
  const made = await scene.ask("/v1/heads", { body: wideOrder(255), headers: { prefer: "wait=0" } });
  await scene.owned.heads.settled();
  const head = (await scene.ask(`/v1/heads/${made.json().id}`)).json();
  assert.deepEqual([head.state, head.routes.length, head.size.dense_bytes], ["live", 255, 64 + 255 * (48 + 8)]);
  const body = { state: "do show the piano of apple, number 6", expert: "wide" };
  const { choice, probabilities } = (await scene.ask("/v1/decide", { body })).json();
  assert.deepEqual([choice, Object.keys(probabilities).length], ["route 6", 255]);
});
