import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../src/index.ts";
import { createFixture, postThing } from "./support.ts";

test("a rejection waits for the pending promise of `identify`, whose error takes precedence", async () => {
  const inject = {
    method: "POST",
    url: "/v1/kept",
    headers: { "x-api-key": "k", "content-type": "application/json" },
  } as const;
  const endpoint = { ...postThing, id: "kept", path: "/v1/kept", auth: "key" } as const;
  for (const [body, fault] of [
    ["{broken", "invalid_json"],
    ['{"name":""}', "validation_failed"],
  ] as const) {
    const gate = Promise.withResolvers<void>();
    await using fixture = await createFixture({ unsettled: () => gate.promise });
    fixture.server.mount(endpoint, ({ body: { name } }) => ({ name }));
    const ask = async () => (await fixture.server.fastify.inject({ ...inject, body })).json().code;
    const waiting = ask();
    gate.resolve();
    assert.equal(await waiting, fault);

    const closed = Promise.reject(new Problem("rate_limited"));
    closed.catch(() => undefined);
    await using refusing = await createFixture({ unsettled: () => closed });
    refusing.server.mount(endpoint, ({ body: { name } }) => ({ name }));
    const answer = await refusing.server.fastify.inject({ ...inject, body });
    assert.deepEqual([answer.statusCode, answer.json().code], [429, "rate_limited"]);
  }
});
