/**
 * The servers under test: address, bearer key and additional headers. By default two routers, one open and one with a token. With
 * COUNTERPART=gateway the gateway with a rail and a router; the key is then a wallet token.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { freePort, startHosted, startRouter } from "../processes.ts";

export interface Counterpart {
  /** The root URL, without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Watched extends Counterpart {
  /** Its output so far. */
  output(): string;
}

export interface Hosted extends Watched {
  readonly railUrl: string;
}

const TOKEN = "a-token-of-the-end-to-end-test";

const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());
const folder = await mkdtemp(join(tmpdir(), "e2e-clients-"));
opened.defer(() => rm(folder, { recursive: true }));

/** Null when routers are tested. */
export const hosted = process.env["COUNTERPART"] === "gateway" ? await startGateway() : null;
export const open = hosted ?? (await startOwn({ name: "open", key: "any", environment: {} }));
export const locked = hosted ?? (await startOwn({ name: "locked", key: TOKEN, environment: { ROUTER_TOKEN: TOKEN } }));
/** The status for an unknown token: a router requires a credential, the gateway a wallet. */
export const WRONG_TOKEN = hosted === null ? 401 : 402;

interface Kind {
  readonly name: string;
  readonly key: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function startOwn({ name, key, environment }: Kind): Promise<Watched> {
  const port = String(await freePort());
  const router = await startRouter({ TRIPTYCH_DATA: join(folder, name), ROUTER_PORT: port, ...environment });
  opened.use(router);
  // No hook runs if a test file fails to load, and the router must not outlive this process.
  process.once("exit", () => router.child.kill());
  return { url: `http://127.0.0.1:${port}`, key, headers: {}, output: () => router.output() };
}

async function startGateway(): Promise<Hosted> {
  const [rail, router, gateway] = [String(await freePort()), String(await freePort()), String(await freePort())];
  const data = join(folder, "hosted");
  const ports = { RAIL_PORT: rail, ROUTER_PORT: router, GATEWAY_PORT: gateway };
  const running = await startHosted({ TRIPTYCH_DATA: data, ...ports });
  opened.use(running);
  process.once("exit", () => running.child.kill());
  const { demo_wallet_token: key } = JSON.parse(await readFile(join(data, "credentials.json"), "utf8")).rail;
  const railUrl = `http://127.0.0.1:${rail}`;
  await topUp(railUrl, key);
  return { url: `http://127.0.0.1:${gateway}`, railUrl, key, headers: {}, output: () => running.output() };
}

/** The starter credit of 200 decisions is not enough for all clients together. */
async function topUp(railUrl: string, token: string): Promise<void> {
  const paid = await fetch(`${railUrl}/v1/topup`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Rail-Wallet": token },
    body: JSON.stringify({ amount_micro: 10_000_000 }),
  });
  if (!paid.ok) throw new Error(`the wallet could not be topped up: ${await paid.text()}`);
}
