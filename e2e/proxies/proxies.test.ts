/** `npm run e2e:proxies`: the examples for nginx and Caddy before a real panel: TLS, a worker's WebSocket, an event stream. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request, type RequestOptions } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { setTimeout } from "node:timers/promises";
import { ask, keysOf } from "../../test/support/panel-api.ts";
import { openInstallation } from "../../test/support/product.ts";

const DEPLOY = fileURLToPath(new URL("../../deploy/", import.meta.url));
const lacks = (program: string, flag: string) =>
  spawnSync(program, [flag]).error !== undefined && `${program} is not installed`;

interface Proxied {
  readonly port: number;
  readonly host: string;
  readonly ca: string;
}

/** An event stream of the demo run, a request and an upgrade, all through the proxy. */
async function checkPanel({ port, host, ca }: Proxied, keys: { readonly token: string; readonly license: string }) {
  const { token, license } = keys;
  const send = async (path: string, headers: Readonly<Record<string, string>>) => {
    const options: RequestOptions = { host: "127.0.0.1", port, servername: host, ca, path };
    const call = request({ ...options, headers: { host, ...headers } });
    call.end();
    const answered = once(call, "response").then(([response]) => ({ kind: "response" as const, response }));
    const upgraded = once(call, "upgrade").then(([response, socket]) => ({
      kind: "upgrade" as const,
      response,
      socket,
    }));
    return { ...(await Promise.race([answered, upgraded])), call };
  };
  const authorization = `Bearer ${token}`;
  const plain = await send("/api/account", { authorization });
  assert.equal(plain.response.statusCode, 200);
  plain.call.destroy();

  const runs = await send("/api/runs", { authorization });
  let text = "";
  for await (const part of runs.response) text += String(part);
  const [run] = JSON.parse(text).items;
  const stream = await send(`/api/runs/${run.id}/bus`, { authorization, accept: "text/event-stream" });
  assert.match(String(stream.response.headers["content-type"]), /^text\/event-stream/);
  const [first] = await once(stream.response, "data");
  assert.match(String(first), /^(id|event|data|retry|:)/m);
  stream.call.destroy();

  const worker = await send("/api/worker/connect", {
    authorization: `Bearer ${license}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-protocol": "panel.worker.v1",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  });
  assert.deepEqual([worker.kind, worker.response.statusCode], ["upgrade", 101]);
  worker.call.destroy();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Runs the proxy while `check` succeeds or fails; waits until it accepts connections. */
async function behind(program: string, args: readonly string[], check: () => Promise<void>): Promise<void> {
  const child = spawn(program, args, { stdio: "ignore" });
  const ended = once(child, "exit");
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        return await check();
      } catch (error) {
        const isStarting =
          error instanceof Error && "code" in error && /ECONNREFUSED|EPROTO|ENOENT/.test(String(error.code));
        if (!isStarting || attempt > 100) throw error;
        await setTimeout(100);
      }
    }
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function startPanel() {
  const installation = await openInstallation();
  const panel = await installation.startPanel({ PANEL_EMBEDDED_WORKER: "1", TRUSTED_PROXIES: "127.0.0.1" });
  const { access_token: token, license_key: license } = await keysOf(installation.folder);
  for (let attempt = 0; attempt < 100; attempt++) {
    const { body } = await ask(`${panel.url}/api/runs`, { token });
    if (body.items.length > 0) break;
    await setTimeout(100);
  }
  return { installation, port: new URL(panel.url).port, keys: { token, license } };
}

test("nginx passes TLS, event streams and WebSockets to the panel", { skip: lacks("nginx", "-v") }, async () => {
  const { installation, port: upstream, keys } = await startPanel();
  await using _ = installation;
  const folder = await mkdtemp(join(tmpdir(), "triptych-nginx-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=panel.example.org", "-addext", "subjectAltName=DNS:panel.example.org"];
  const files = ["-keyout", key, "-out", certificate];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...files, ...names];
  execFileSync("openssl", args, { stdio: "ignore" });
  const port = await freePort();
  const example = (await readFile(join(DEPLOY, "nginx/triptych.conf"), "utf8"))
    .replaceAll("/etc/ssl/triptych/fullchain.pem", certificate)
    .replaceAll("/etc/ssl/triptych/privkey.pem", key)
    .replaceAll("/etc/nginx/triptych-proxy.conf", join(DEPLOY, "nginx/triptych-proxy.conf"))
    .replaceAll("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replaceAll("127.0.0.1:7001", `127.0.0.1:${upstream}`);
  const main = `daemon off;\npid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${example}}\n`;
  await writeFile(join(folder, "nginx.conf"), main);
  const ca = await readFile(certificate, "utf8");
  const host = "panel.example.org";
  await behind("nginx", ["-c", join(folder, "nginx.conf")], () => checkPanel({ port, host, ca }, keys));
  await rm(folder, { recursive: true });
});

test(
  "Caddy issues a certificate, and passes event streams and WebSockets",
  { skip: lacks("caddy", "version") },
  async () => {
    const { installation, port: upstream, keys } = await startPanel();
    await using _ = installation;
    const folder = await mkdtemp(join(tmpdir(), "triptych-caddy-"));
    const [port, plain] = [await freePort(), await freePort()];
    const options = `{\n\tadmin off\n\tskip_install_trust\n\thttps_port ${port}\n\thttp_port ${plain}\n\tstorage file_system ${folder}\n}\n`;
    const example = (await readFile(join(DEPLOY, "caddy/Caddyfile"), "utf8")).replace(":7001", `:${upstream}`);
    await writeFile(join(folder, "Caddyfile"), options + example);
    const args = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
    await behind("caddy", args, async () => {
      const ca = await readFile(join(folder, "pki/authorities/local/root.crt"), "utf8");
      await checkPanel({ port, host: "panel.localhost", ca }, keys);
    });
    await rm(folder, { recursive: true });
  },
);

test("Caddy serves all five services behind one host name", { skip: lacks("caddy", "version") }, async () => {
  await using installation = await openInstallation();
  const product = await installation.start();
  const credentials = JSON.parse(await readFile(join(installation.folder, "data/credentials.json"), "utf8"));
  const folder = await mkdtemp(join(tmpdir(), "triptych-caddy-"));
  const ports = new Map<number, number>();
  for (const port of [443, 8002, 8003, 8004, 8005]) ports.set(port, await freePort());
  const portOf = (port: number) => ports.get(port) ?? assert.fail(String(port));
  const names = ["panel", "directory", "gateway", "router", "rail"];
  const lines = ["admin off", "skip_install_trust", `https_port ${portOf(443)}`, `http_port ${await freePort()}`];
  const options = `{\n\t${[...lines, `storage file_system ${folder}`].join("\n\t")}\n}\n`;
  const example = (await readFile(join(DEPLOY, "caddy/Caddyfile.one-host"), "utf8"))
    .replaceAll(/:(800\d)/g, (_, port: string) => `:${portOf(Number(port))}`)
    .replaceAll(/:700(\d)$/gm, (_, digit: string) => `:${new URL(product.addressOf(names[Number(digit) - 1])).port}`);
  await writeFile(join(folder, "Caddyfile"), options + example);
  const args = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
  await behind("caddy", args, async () => {
    const ca = await readFile(join(folder, "pki/authorities/local/root.crt"), "utf8");
    const send = async (port: number, path: string, { body = "", ...headers }: Readonly<Record<string, string>>) => {
      const address = { host: "127.0.0.1", servername: "localhost", port: portOf(port), ca, path };
      const call = request({
        ...address,
        method: body === "" ? "GET" : "POST",
        headers: { host: "localhost", ...headers },
      });
      call.end(body);
      const [response] = await once(call, "response");
      let text = "";
      for await (const part of response) text += String(part);
      return { status: response.statusCode, text };
    };
    const { directory, rail, panel } = credentials;
    const decision = {
      body: JSON.stringify({ state: "What is the weather in Paris?" }),
      "content-type": "application/json",
    };
    const calls = [
      [443, "/api/account", { authorization: `Bearer ${panel.pro.access_token}` }, /"plan"/],
      [8002, "/api/items?q=rennes", { "x-api-key": directory.pro_key }, /"rennes"/],
      [8003, "/v1/route", { ...decision, "x-rail-wallet": rail.demo_wallet_token }, /get_weather/],
      [8004, "/v1/route", decision, /get_weather/],
      [8005, "/.well-known/jwks.json", {}, /"keys"/],
    ] as const;
    for (const [port, path, headers, expected] of calls) {
      const { status, text } = await send(port, path, headers);
      assert.equal(status, 200, `${port}: ${text}`);
      assert.match(text, expected);
      const page = await send(port, "/docs", { accept: "text/html" });
      assert.match(page.text, /<html/, String(port));
    }
  });
  await rm(folder, { recursive: true });
});
