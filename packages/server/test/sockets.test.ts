import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { createFixture, postThing } from "./support.ts";

/** Sends bytes verbatim and collects the response until the server closes the connection. */
function speak(url: string, bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = "";
  const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes));
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  socket.on("close", () => resolve(received));
  socket.on("error", reject);
  return promise;
}

const cases = [
  {
    name: "returns a 400 problem for data that is not HTTP",
    bytes: "hello there\r\n\r\n",
    status: 400,
    code: "malformed_request",
  },
  {
    name: "returns a 431 problem for headers beyond the parser's limit",
    bytes: `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(300_000)}\r\n\r\n`,
    status: 431,
    code: "headers_too_large",
  },
  {
    name: "returns a 431 problem for too many headers",
    bytes: `GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${"a".repeat(40_000)}\r\n\r\n`,
    status: 431,
    code: "headers_too_large",
  },
  {
    name: "returns a 414 problem for a URL far beyond the limit",
    bytes: `GET /${"a".repeat(70_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    status: 414,
    code: "uri_too_long",
  },
];

test("explains an accent that is not percent-encoded", async () => {
  await using fixture = await createFixture();
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const answer = await speak(fixture.server.url(), "GET /livez?q=\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.match(JSON.parse(Buffer.from(answer.slice(answer.indexOf("{")), "latin1").toString()).detail, /%C3%A9/);
});

for (const { name, bytes, status, code } of cases) {
  test(name, async () => {
    await using fixture = await createFixture();
    await fixture.server.listen({ host: "127.0.0.1", port: 0 });
    const answer = await speak(fixture.server.url(), bytes);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, /content-type: application\/problem\+json/i);
    assert.equal(JSON.parse(answer.slice(answer.indexOf("{"))).code, code);
  });
}

test("adds the common headers to responses to unparseable requests", async () => {
  await using fixture = await createFixture({
    headers: { "API-Version": "1", "Cache-Control": "no-store" },
    cors: true,
  });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  for (const [bytes, status] of [
    ["hello there\r\n\r\n", 400],
    ["GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["GET /%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404],
  ] as const) {
    const answer = await speak(url, bytes);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    for (const header of [/^api-version: 1\r$/im, /^access-control-allow-origin: \*\r$/im, /^x-request-id: req_/im])
      assert.match(answer, header, bytes);
    assert.equal(answer.match(/^cache-control:/gim)?.length, 1, bytes);
    assert.equal(JSON.parse(answer.slice(answer.indexOf("{"))).status, status);
  }
  assert.match(await speak(url, "GET /livez HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
});

test("routes an absolute URL by its path, and ignores unknown expectations", async () => {
  await using fixture = await createFixture();
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const last = "Host: x\r\nConnection: close\r\n\r\n";
  const whole = await speak(url, `DELETE ${url}/livez?key=1 HTTP/1.1\r\n${last}`);
  assert.match(whole, /^HTTP\/1\.1 405 .*^allow: GET, HEAD\r$.*"instance":"\/livez"/ims);
  assert.match(await speak(url, `GET HTTP://x?a HTTP/1.1\r\n${last}`), /^HTTP\/1\.1 404 .*"instance":"\/"/s);
  assert.match(await speak(url, `OPTIONS * HTTP/1.1\r\n${last}`), /^HTTP\/1\.1 404 /);
  const expecting = await speak(url, `GET /livez HTTP/1.1\r\nExpect: a-miracle\r\n${last}`);
  assert.match(expecting, /^HTTP\/1\.1 200 .*^x-request-id: req_/ims);
});

test("reports a port in use, with the variable to change", async () => {
  await using first = await createFixture();
  await using second = await createFixture();
  const { port } = new URL(await first.server.listen({ host: "127.0.0.1", port: 0 }));
  const refused = second.server.listen({ host: "127.0.0.1", port: Number(port) });
  await assert.rejects(refused, {
    message: new RegExp(`thing cannot listen .*:${port}\\)\\. Stop the process .*HOST or THING_PORT`),
  });
});

test("HEAD omits Content-Length if GET may be compressed", async () => {
  await using fixture = await createFixture();
  const headers = { "accept-encoding": "gzip, br" };
  const plain = await fixture.server.fastify.inject({ method: "HEAD", url: "/openapi.json" });
  assert.ok(Number(plain.headers["content-length"]) > 1024);
  const packed = await fixture.server.fastify.inject({ method: "HEAD", url: "/openapi.json", headers });
  assert.deepEqual([packed.statusCode, packed.body, packed.headers["content-length"]], [200, "", undefined]);
  const small = await fixture.server.fastify.inject({ method: "HEAD", url: "/livez", headers });
  assert.equal(small.headers["content-length"], String('{"status":"ok"}'.length));
});

test("adds the service's members to every problem, including those for unparseable requests", async () => {
  const problemMembers = ({ code, detail }: { readonly code: string; readonly detail: string }) => ({
    error: { code, message: detail },
  });
  await using fixture = await createFixture({ problemMembers });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const broken = await speak(url, "hello there\r\n\r\n");
  for (const body of [
    JSON.parse(broken.slice(broken.indexOf("{"))),
    (await fixture.server.fastify.inject("/nowhere")).json(),
    (await fixture.server.fastify.inject({ method: "POST", url: "/v1/things" })).json(),
  ])
    assert.deepEqual(body.error, { code: body.code, message: body.detail });
});

test("ignores an offered protocol upgrade and reads the body; CONNECT is routed like any method", async () => {
  await using fixture = await createFixture({ upgrades: ({ url }) => url === "/elsewhere" });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  // An upgrade listener for one path must not affect other paths.
  fixture.server.fastify.server.on("upgrade", (_request, socket) =>
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
  );
  const body = '{"name":"sum","size":1}';
  const offer = "Host: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
  const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  assert.match(await speak(url, `POST /v1/things HTTP/1.1\r\n${offer}${head}${body}`), /^HTTP\/1\.1 200 .*"sum"/s);
  assert.match(await speak(url, `GET /elsewhere HTTP/1.1\r\n${offer}\r\n`), /^HTTP\/1\.1 101 /);
  const connected = await speak(url, "CONNECT /v1/things HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(connected, /^HTTP\/1\.1 405 .*allow: POST\r\n.*"method_not_allowed"/is);
  assert.match(await speak(url, "CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n"), /^HTTP\/1\.1 404 /);
});

for (const { name, path, status, header } of [
  { name: "with Content-Length", path: "/v1/things", status: 413, header: "Content-Length: 1000000" },
  { name: "with chunked encoding", path: "/v1/things", status: 413, header: "Transfer-Encoding: chunked" },
  { name: "on an unknown path", path: "/nowhere", status: 404, header: "Content-Length: 1000000" },
])
  test(`rejects a body over the limit ${name}, and reads it to its end so that the client sees the response`, async () => {
    await using fixture = await createFixture();
    const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
    const half = "x".repeat(500_000);
    const [part, end] = header.includes("chunked") ? [`7a120\r\n${half}\r\n`, "0\r\n\r\n"] : [half, ""];
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
    let received = "";
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(head + part));
    // Send the rest after the response has arrived, followed by another request.
    socket.once("data", () => socket.write(`${part}${end}GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
    await promise;
    assert.deepEqual(
      [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => Number(code)),
      [status, 200],
    );
  });

test("disconnects a client that keeps sending after a rejection", async () => {
  await using fixture = await createFixture();
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const part = `100000\r\n${"x".repeat(0x100000)}\r\n`;
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  // The disconnect may appear as a reset.
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(
    "POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
  );
  let parts = 0;
  for (; !socket.destroyed && parts < 200; parts++)
    if (!socket.write(part)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  await closed;
  assert.match(received, /^HTTP\/1\.1 413 /);
  assert.ok(parts >= 64 && parts < 200, `it took ${parts} MiB`);
});

test("logs no error when a client aborts its upload", async () => {
  await using fixture = await createFixture();
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const ended = new Promise((resolve) =>
    fixture.server.fastify.server.once("connection", (connection) => connection.on("close", resolve)),
  );
  const begun = once(fixture.server.fastify.server, "request");
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write("POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{");
  await begun;
  socket.destroy();
  await ended;
  await new Promise(setImmediate);
  const entries = fixture.lines.map((line) => JSON.parse(line)).filter(({ request_id: id }) => id !== undefined);
  assert.deepEqual(
    entries.map(({ level, msg }) => [level, msg]),
    [["info", "client aborted the request"]],
  );
});

test("rejects requests on open connections during shutdown, with the common headers", async () => {
  await using fixture = await createFixture({ headers: { "Cache-Control": "no-store" } });
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = new URL(fixture.server.url());
  const socket = connect(Number(port), "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const begun = new Promise((resolve) => fixture.server.fastify.server.once("connection", resolve));
  socket.write("GET /v1/found?owner=me HTTP/1.1\r\n");
  await begun;
  await new Promise(setImmediate);
  const stopped = fixture.server.stop();
  socket.write("Host: x\r\n\r\n");
  await closed;
  await stopped;
  assert.match(received, /^HTTP\/1\.1 503 /);
  for (const header of [/content-type: application\/problem\+json/i, /retry-after: 1\r/i, /x-request-id: req_/i])
    assert.match(received, header);
  assert.match(received, /cache-control: no-store\r/i);
  assert.match(received, /connection: close\r/i);
  assert.equal(JSON.parse(received.slice(received.indexOf("{"))).code, "draining");
});

test("closes a keep-alive connection with the response that the shutdown waited for", { timeout: 5_000 }, async () => {
  const gate = Promise.withResolvers<void>();
  await using fixture = await createFixture();
  const arrived = Promise.withResolvers<void>();
  fixture.server.mount({ ...postThing, id: "slow", path: "/v1/slow" }, async ({ body: { name } }) => {
    arrived.resolve();
    await gate.promise;
    return { name };
  });
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const body = '{"name":"a","size":1}';
  const received = speak(
    fixture.server.url(),
    `POST /v1/slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await arrived.promise;
  const stopped = fixture.server.stop();
  gate.resolve();
  assert.match(await received, /^HTTP\/1\.1 200 /);
  await stopped;
});
