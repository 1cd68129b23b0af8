import assert from "node:assert/strict";
import { test } from "node:test";
import { wideTrainingRequest } from "../support/training-requests.ts";
import { createFixture } from "../support/create-fixture.ts";

test("a head with 255 routes is trained and decides among all of them", async () => {
  await using fixture = await createFixture();
  const made = await fixture.ask("/v1/heads", { body: wideTrainingRequest(255), headers: { prefer: "wait=0" } });
  await fixture.owned.heads.settled();
  const head = (await fixture.ask(`/v1/heads/${made.json().id}`)).json();
  assert.deepEqual([head.state, head.routes.length, head.size.dense_bytes], ["live", 255, 64 + 255 * (48 + 8)]);
  const body = { state: "do show the piano of apple, number 6", expert: "wide" };
  const { choice, probabilities } = (await fixture.ask("/v1/decide", { body })).json();
  assert.deepEqual([choice, Object.keys(probabilities).length], ["route 6", 255]);
});
