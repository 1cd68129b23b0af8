import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { createFixture, postThing } from "./support.ts";

test("an early handler receives only the bytes of its own bodies before parsing, and can delay the parsing", async () => {
  await using fixture = await createFixture();
  const received: string[] = [];
  const answered: string[] = [];
  fixture.server.mount({ ...postThing, id: "early", path: "/v1/early" } as const, {
    early({ bodyBytes, body }) {
      const text = bodyBytes?.toString("utf8") ?? "";
      received.push(`${text} ${body === undefined}`);
      return text.includes("é") ? Promise.resolve() : undefined;
    },
    handle({ body: { name } }, errors) {
      errors.refuse();
      answered.push(name);
      return { name };
    },
  });
  const post = async (payload: Buffer | string, more: Record<string, string> = {}) => {
    const headers = { "content-type": "application/json", ...more };
    const answer = await fixture.server.fastify.inject({ method: "POST", url: "/v1/early", headers, payload });
    return answer.statusCode;
  };
  const body = '{"name":"é","size":1}';
  assert.equal(await post(body), 200);
  assert.equal(await post('{"name":'), 400);
  assert.equal(await post('{"name":"é'), 400);
  assert.deepEqual(received.splice(0), [`${body} true`, '{"name": true', '{"name":"é true']);
  assert.deepEqual(answered, ["é"]);

  assert.equal(await post(Buffer.from(body, "latin1")), 400);
  assert.equal(await post(gzipSync(body), { "content-encoding": "gzip" }), 415);
  assert.equal(await post(body, { "content-type": "text/plain" }), 415);
  assert.deepEqual(received, []);
});
