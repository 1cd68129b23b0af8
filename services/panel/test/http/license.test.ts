/** The rows of section 11 over HTTP, with query and body as sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LICENSE_PATH } from "@triptych/contracts";
import { NO_WORKERS } from "../../src/domain/panel.ts";
import { createFixture } from "../support/create-fixture.ts";

const SILENT = { "cache-control": "no-store", pragma: "no-cache", expires: "0" };

interface Row {
  readonly query?: string;
  readonly body?: string | Buffer;
  readonly type?: string;
}

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/** Whether workers are notified; "refused": nothing is rotated. */
const ROWS: readonly (readonly [expected: boolean | "refused", row: Row])[] = [
  [true, { query: "?notify_workers=1" }],
  [true, { query: "?notify_workers=1", body: "{broken" }],
  [true, { query: "?x=1&x=2&notify_workers=Yes&y" }],
  [true, { query: "?notify_workers=on&notify_workers=0" }],
  [false, { query: "?notify_workers=0&notify_workers=1" }],
  [false, { query: "?notify_workers", body: '{"notify_workers":true}' }],
  [false, { query: "?notify_workers=", body: '{"notify_workers":true}' }],
  [false, { query: "?notify_workers=%00", body: '{"notify_workers":true}' }],
  [false, { query: "?notify_workers=%20true" }],
  [true, { query: "?notify_worker=0", body: '{"notify_workers":true}' }],
  [true, { query: "?NOTIFY_WORKERS=0", body: '{"notify_workers":true}' }],
  [true, { body: '{"notify_workers":1e0,"other":[1]}', type: ";;;" }],
  [true, { body: '{"notify_workers":" T "}', type: "application/x-www-form-urlencoded" }],
  [true, { body: '\ufeff{"notify_workers":false,"notify_workers":true}', type: "text/plain" }],
  [false, { body: deep(32) }],
  [false, { body: "\ufeff \n", type: "image/png" }],
  [false, { type: "application/json" }],
  ["refused", { body: deep(33) }],
  ["refused", { body: "{broken" }],
  ["refused", { body: Buffer.from([0x22, 0xff, 0x22]) }],
];

test("follows every row of the specification over HTTP, and leaks no key", async () => {
  const notified: boolean[] = [];
  const notifyRotation = async () => {
    notified.push(true);
    return 2;
  };
  await using fixture = await createFixture({ workers: { ...NO_WORKERS, notifyRotation } });
  const { access_token: token } = fixture.pro;
  const key = async () => (await fixture.ask("GET", LICENSE_PATH, { token })).json().license_key;
  for (const [expected, { query = "", body, type }] of ROWS) {
    const before = await key();
    notified.length = 0;
    const answer = await fixture.server.fastify.inject({
      method: "POST",
      url: LICENSE_PATH + query,
      headers: { authorization: `Bearer ${token}`, ...(type !== undefined && { "content-type": type }) },
      ...(body !== undefined && { payload: body }),
    });
    const row = JSON.stringify({ query, body: String(body), type, answer: answer.body });
    const { "cache-control": cache, pragma, expires } = answer.headers;
    assert.deepEqual({ "cache-control": cache, pragma, expires }, SILENT, row);
    if (expected === "refused") {
      assert.deepEqual([answer.statusCode, answer.json().code, await key()], [400, "invalid_json", before], row);
      continue;
    }
    const { license_key, ...rest } = answer.json();
    assert.deepEqual(rest, { notified_workers: expected, notified_workers_count: expected ? 2 : 0 }, row);
    assert.deepEqual([await key(), license_key !== before, notified.length === 1], [license_key, true, expected], row);
  }
  const read = await fixture.ask("GET", `${LICENSE_PATH}?whatever=1&whatever=2`, { token });
  assert.deepEqual([read.statusCode, Object.keys(read.json())], [200, ["license_key"]]);
});
