import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { test } from "node:test";
import { createHostProxy } from "../../src/model-proxy/host-proxy.ts";
import { createProxyServer } from "../../src/model-proxy/proxy-server.ts";
import { proxyFrom } from "../../src/model-proxy/upstream-proxy.ts";

function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** An operator's proxy with one origin that greets and echoes. */
async function startUpstream(status = 200) {
  const seen: string[] = [];
  const note = ({ method, url, headers }: IncomingMessage) =>
    seen.push(`${method} ${url} ${headers["proxy-authorization"] ?? "-"}`);
  const origin = createTcpServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
  const server = createServer((incoming, response) => {
    note(incoming);
    response.end(`plain ${incoming.url}`);
  }).listen(0, "127.0.0.1");
  server.on("connect", (incoming, inner) => {
    note(incoming);
    inner.write(`HTTP/1.1 ${status} Answer\r\n\r\n`);
    if (status !== 200) return void inner.end();
    const outer = connect(portOf(origin), "127.0.0.1");
    inner.on("error", () => outer.destroy());
    outer.on("error", () => inner.destroy());
    inner.on("close", () => outer.destroy());
    inner.pipe(outer).pipe(inner);
  });
  await Promise.all([once(origin, "listening"), once(server, "listening")]);
  return {
    address: `http://user:p%40ss@127.0.0.1:${portOf(server)}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      origin.close();
      await Promise.all([once(server, "close"), once(origin, "close")]);
    },
  };
}

/** The proxy of a sandbox whose policy allows two names; DNS resolves none here. */
async function openSandboxProxy(environment: Readonly<Record<string, string>>) {
  const lookedUp: string[] = [];
  const addressOf = async (host: string) => {
    lookedUp.push(host);
    return null;
  };
  const hosts = createHostProxy(["registry.test", "plain.test", "10.0.0.1"], addressOf, proxyFrom(environment));
  const proxyServer = await createProxyServer(null, () => ({ modelProxy: null, hosts }));
  return { ...proxyServer, lookedUp, [Symbol.asyncDispose]: () => proxyServer[Symbol.asyncDispose]() };
}

async function connectThrough(port: number, path: string): Promise<string> {
  const outgoing = request({ port, host: "127.0.0.1", method: "CONNECT", path }).end();
  const [response, socket] = await once(outgoing, "connect");
  if (response.statusCode !== 200) return String(response.statusCode);
  socket.write("hello");
  const [echo] = await once(socket, "data");
  socket.destroy();
  return `200 ${echo}`;
}

test("reaches an allowed host through the proxy of the worker", async () => {
  await using upstream = await startUpstream();
  await using sandbox = await openSandboxProxy({ HTTPS_PROXY: upstream.address, http_proxy: upstream.address });
  assert.equal(await connectThrough(sandbox.port, "registry.test:443"), "200 hello");
  const answer = await fetchThrough(sandbox.port, "http://plain.test/a?b");
  assert.equal(answer, "200 plain http://plain.test/a?b");
  const login = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
  assert.deepEqual(upstream.seen, [`CONNECT registry.test:443 ${login}`, `GET http://plain.test/a?b ${login}`]);
  assert.deepEqual(sandbox.lookedUp, []);
});

test("answers 403 for a host that is not allowed, without a request to the proxy", async () => {
  await using upstream = await startUpstream();
  await using sandbox = await openSandboxProxy({ HTTPS_PROXY: upstream.address });
  for (const path of ["other.test:443", "registry.test:22", "10.0.0.1:443"])
    assert.equal(await connectThrough(sandbox.port, path), "403", path);
  assert.deepEqual(upstream.seen, []);
});

test("answers 502 if the proxy refuses", async () => {
  await using upstream = await startUpstream(407);
  await using sandbox = await openSandboxProxy({ HTTPS_PROXY: upstream.address });
  assert.equal(await connectThrough(sandbox.port, "registry.test:443"), "502");
});

test("connects directly to the hosts of NO_PROXY", async () => {
  await using upstream = await startUpstream();
  await using sandbox = await openSandboxProxy({ HTTPS_PROXY: upstream.address, NO_PROXY: "x.test, .test:443" });
  // DNS resolves no name here, so a direct connection is refused.
  assert.equal(await connectThrough(sandbox.port, "registry.test:443"), "403");
  assert.deepEqual([sandbox.lookedUp, upstream.seen], [["registry.test"], []]);
});

test("reads proxies and exceptions as curl does", () => {
  const proxyOf = (environment: Readonly<Record<string, string>>, host: string, port = "443") =>
    proxyFrom(environment)({ protocol: "https:", host, port })?.host ?? null;
  assert.equal(proxyOf({}, "a.test"), null);
  assert.equal(proxyOf({ ALL_PROXY: "proxy.test:3128" }, "a.test"), "proxy.test:3128");
  assert.equal(proxyOf({ HTTP_PROXY: "http://proxy.test:3128" }, "a.test"), null);
  assert.equal(proxyOf({ https_proxy: "http://one:1", HTTPS_PROXY: "http://two:2" }, "a.test"), "one:1");
  assert.equal(proxyOf({ HTTPS_PROXY: "socks5://proxy.test:1080" }, "a.test"), null);
  const direct = { HTTPS_PROXY: "http://proxy.test:3128", NO_PROXY: "b.test,*.c.test,d.test:8443" };
  for (const host of ["b.test", "x.b.test", "x.c.test"]) assert.equal(proxyOf(direct, host), null, host);
  for (const host of ["ab.test", "d.test"]) assert.equal(proxyOf(direct, host), "proxy.test:3128", host);
  assert.equal(proxyOf(direct, "d.test", "8443"), null);
  assert.equal(proxyOf({ HTTPS_PROXY: "http://proxy.test:3128", NO_PROXY: "*" }, "a.test"), null);
});

async function fetchThrough(port: number, address: string): Promise<string> {
  const outgoing = request({ port, host: "127.0.0.1", path: address, headers: { host: new URL(address).host } }).end();
  const [response] = await once(outgoing, "response");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return `${response.statusCode} ${text}`;
}
