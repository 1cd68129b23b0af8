import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { createHostCheck } from "../src/host-check.ts";
import { createFixture } from "./support.ts";

const check = createHostCheck(["router.internal", "10.0.0.5", "2001:DB8::1"]);

for (const host of [
  "localhost",
  "localhost:7004",
  "LOCALHOST:7004",
  "localhost.:7004",
  "router.localhost",
  "127.0.0.1",
  "127.8.9.10:65535",
  "[::1]",
  "[::1]:7004",
  "[0:0:0:0:0:0:0:1]:7004",
  "[::ffff:127.0.0.1]",
  "router.internal",
  "Router.Internal.:80",
  "10.0.0.5:7004",
  "[2001:db8::1]:7004",
])
  test(`allows the host ${host}`, () => assert.equal(check(host), true));

for (const host of [
  "",
  "evil.example",
  "evil.example:7004",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "evillocalhost",
  "router.internal.evil.example",
  "sub.router.internal",
  "evil.example@localhost",
  "localhost@evil.example",
  "evil.example/localhost",
  "localhost, evil.example",
  "localhost:evil",
  "128.0.0.1",
  "192.168.1.5",
  "0.0.0.0",
  "[::]",
  "[::2]",
  "[::1",
  "::1",
])
  test(`rejects the host "${host}"`, () => assert.equal(check(host), false));

test("allows every host with *", () => assert.equal(createHostCheck(["*"])("evil.example"), true));

/** Sends one request verbatim and reads the whole response. */
function send(url: string, bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes));
  socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
  socket.on("close", () => resolve(answer));
  socket.on("error", reject);
  return promise;
}

const hosts = { allowed: ["things.internal"], variable: "THING_ALLOWED_HOSTS", admits: () => false };

test("rejects a foreign host with 421 and the name of the variable", async () => {
  await using fixture = await createFixture({ hosts });
  const answer = await fixture.server.fastify.inject({ url: "/v1/found?owner=me", headers: { host: "evil.example" } });
  assert.equal(answer.statusCode, 421);
  const { code, detail } = answer.json();
  assert.equal(code, "misdirected_request");
  assert.match(detail, /THING_ALLOWED_HOSTS/);
});

test("rejects pages, documents, metrics and unknown paths for a foreign host too", async () => {
  await using fixture = await createFixture({ hosts });
  for (const url of ["/docs", "/openapi.json", "/metrics", "/nowhere"]) {
    const answer = await fixture.server.fastify.inject({ url, headers: { host: "evil.example" } });
    assert.equal(answer.statusCode, 421, url);
  }
});

test("responds to the probes of an orchestrator for any host", async () => {
  await using fixture = await createFixture({ hosts });
  for (const url of ["/livez", "/readyz?deep=1"])
    assert.equal(
      (await fixture.server.fastify.inject({ url, headers: { host: "10.1.2.3:7004" } })).statusCode,
      200,
      url,
    );
});

test("allows the host of the public URL and the configured hosts", async () => {
  await using fixture = await createFixture({ hosts, publicUrl: "https://things.example/api" });
  for (const host of ["things.example", "things.internal:8080", "localhost:1"]) {
    const answer = await fixture.server.fastify.inject({ url: "/v1/found?owner=me", headers: { host } });
    assert.equal(answer.statusCode, 200, host);
  }
});

test("allows a foreign host if the credential suffices", async () => {
  const admits = ({ headers }: { readonly headers: { readonly authorization?: string } }) =>
    headers.authorization === "Bearer gateway";
  await using fixture = await createFixture({ hosts: { ...hosts, admits } });
  const headers = { host: "things", authorization: "Bearer gateway" };
  const answer = await fixture.server.fastify.inject({ url: "/v1/found?owner=me", headers });
  assert.equal(answer.statusCode, 200);
});

test("allows every host without the option", async () => {
  await using fixture = await createFixture();
  const answer = await fixture.server.fastify.inject({ url: "/v1/found?owner=me", headers: { host: "evil.example" } });
  assert.equal(answer.statusCode, 200);
});

test("allows HTTP/1.0 without a host, and prefers the host of an absolute target to the header", async () => {
  await using fixture = await createFixture({ hosts });
  const url = await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const last = "Connection: close\r\n\r\n";
  assert.match(await send(url, "GET /docs HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
  assert.match(await send(url, `GET /docs HTTP/1.0\r\nHost: evil.example\r\n\r\n`), /^HTTP\/1\.1 421 /);
  assert.match(
    await send(url, `GET HTTP://evil.example/docs HTTP/1.1\r\nHost: localhost\r\n${last}`),
    /^HTTP\/1\.1 421 /,
  );
  assert.match(await send(url, `GET ${url}/docs HTTP/1.1\r\nHost: evil.example\r\n${last}`), /^HTTP\/1\.1 200 /);
  assert.match(
    await send(url, `CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example\r\n${last}`),
    /^HTTP\/1\.1 421 /,
  );
  assert.match(await send(url, `GET /docs HTTP/1.1\r\nHost: \r\n${last}`), /^HTTP\/1\.1 421 /);
});
