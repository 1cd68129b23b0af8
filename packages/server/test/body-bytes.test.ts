import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createFixture, postThing } from "./support.ts";

test("a handler receives the bytes of a JSON body as sent, and does not run for an unreadable body", async () => {
  await using fixture = await createFixture();
  const received: string[] = [];
  fixture.server.mount({ ...postThing, id: "bytes", path: "/v1/bytes" } as const, ({ request, body: { name } }) => {
    received.push(request.bodyBytes?.toString("utf8") ?? "");
    return { name };
  });
  const post = async (payload: Buffer | string, more: Record<string, string> = {}) => {
    const headers = { "content-type": "application/json", ...more };
    const response = await fixture.server.fastify.inject({ method: "POST", url: "/v1/bytes", headers, payload });
    return response.statusCode;
  };
  const body = '{"name":"é","size":1}';
  assert.equal(await post(body), 200);
  assert.equal(await post('{"name":'), 400);
  assert.equal(await post(Buffer.from(body, "latin1")), 400);
  assert.equal(await post(gzipSync(body), { "content-encoding": "gzip" }), 415);
  assert.equal(await post(body, { "content-type": "text/plain" }), 415);
  assert.deepEqual(received, [body]);
});
