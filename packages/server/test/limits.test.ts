import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { Problem } from "../src/index.ts";
import { createFixture } from "./support.ts";

async function connectTo(url: string): Promise<{ readonly socket: Socket; readonly closed: Promise<string> }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  socket.on("error", () => {});
  const closed = once(socket, "close").then(() => received);
  await once(socket, "connect");
  return { socket, closed };
}

const DRIP = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";

test("rejects a body that does not arrive in time with 408, and closes the connection", async () => {
  await using fixture = await createFixture({ limits: { requestTimeoutMs: 50, uploadTimeoutMs: 60_000 } });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  for (const path of ["/v1/turn", "/v1/no-such-path"]) {
    const { socket, closed } = await connectTo(url);
    socket.write(`POST ${path} HTTP/1.1\r\n${DRIP}`);
    const response = await closed;
    assert.match(response, /^HTTP\/1\.1 (408|404) /, path);
    if (path === "/v1/turn") assert.match(response, /"code":"request_timeout"/);
  }
});

test("after a rejection, stops reading the body at the normal timeout, even on an upload endpoint", async () => {
  const admitAnonymous = () => {
    throw new Problem("account_suspended");
  };
  await using fixture = await createFixture({
    limits: { requestTimeoutMs: 50, uploadTimeoutMs: 60_000, admitAnonymous },
  });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const { socket, closed } = await connectTo(url);
  socket.write(`PUT /v1/upload HTTP/1.1\r\n${DRIP}`);
  assert.match(await closed, /^HTTP\/1\.1 403 /);
});

test("an upload may take longer than the normal timeout", async (context) => {
  await using fixture = await createFixture({ limits: { requestTimeoutMs: 20, uploadTimeoutMs: 60_000 } });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const upload = await connectTo(url);
  upload.socket.write("PUT /v1/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\na");
  context.after(() => upload.socket.destroy());
  const other = await connectTo(url);
  other.socket.write(`POST /v1/turn HTTP/1.1\r\n${DRIP}`);
  assert.match(await other.closed, /^HTTP\/1\.1 408 /);
  upload.socket.write("b");
  assert.match(await upload.closed, /^HTTP\/1\.1 200 [\s\S]*\{"bytes":2\}$/);
});

test("rejects connections beyond the limits, counts them, and accepts new ones after others have closed", async () => {
  const cases = [
    { max: 2, maxPerAddress: 10, limit: "total" },
    { max: 10, maxPerAddress: 2, limit: "address" },
  ] as const;
  for (const { limit, ...bounds } of cases) {
    await using fixture = await createFixture({ limits: { connections: { ...bounds, isExempt: () => false } } });
    const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
    const first = await connectTo(url);
    const second = await connectTo(url);
    second.socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(second.socket, "data");
    const third = await connectTo(url);
    assert.equal(await third.closed, "");
    const metrics = await fixture.server.metrics.registry.metrics();
    assert.match(metrics, /http_connections_open\{service="thing"\} 2\n/);
    assert.match(metrics, new RegExp(`http_connections_refused_total\\{limit="${limit}",service="thing"\\} 1\\n`));
    first.socket.destroy();
    second.socket.end("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await Promise.all([first.closed, second.closed]);
    const response = await fetch(`${url}/livez`, { headers: { Connection: "close" } });
    assert.equal(response.status, 200);
  }
});

test("the limit per address does not apply to loopback and trusted proxies", async () => {
  await using fixture = await createFixture({ limits: { connections: { max: 10, maxPerAddress: 1 } } });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const open = [await connectTo(url), await connectTo(url)];
  assert.equal((await fetch(`${url}/livez`, { headers: { Connection: "close" } })).status, 200);
  for (const { socket } of open) socket.destroy();
});

test("lists the first hundred issues of a body, and notes that there may be more", async () => {
  await using fixture = await createFixture();
  const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f${index}`, 1]));
  const payload = JSON.stringify(body);
  const response = await fixture.server.fastify.inject({
    method: "POST",
    url: "/v1/turn",
    payload,
    headers: { "content-type": "application/json" },
  });
  const { errors, detail } = response.json();
  assert.equal(errors.length, 100);
  assert.equal(detail, "The first 100 issues are listed in `errors`; there may be more.");
});

test("calls `admitAnonymous` before the body of an unauthenticated endpoint is read", async () => {
  const admitAnonymous = () => {
    throw new Problem("rate_limited", { headers: { "Retry-After": "1" } });
  };
  await using fixture = await createFixture({ limits: { admitAnonymous } });
  const headers = { "content-type": "application/json" };
  const response = await fixture.server.fastify.inject({ method: "POST", url: "/v1/turn", payload: "{", headers });
  assert.deepEqual([response.statusCode, response.json().code], [429, "rate_limited"]);
});
