/**
 * Whom the foreign clients talk to, and all that a test may know of it: the address, the key that they send as Bearer, further headers.
 * Either two routers, as a person starts them, one open and one that wants a token; or, with COUNTERPART=gateway, the gateway with the rail
 * and a router behind it, where the key is the token of a wallet.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { freePort, startHosted, startRouter } from "../processes.ts";

export interface Counterpart {
  /** Root address, without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Watched extends Counterpart {
  /** Everything it has written so far. */
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

/** Null where routers are asked. */
export const hosted = process.env["COUNTERPART"] === "gateway" ? await startGateway() : null;
export const open = hosted ?? (await startOwn({ name: "open", key: "any", environment: {} }));
export const locked = hosted ?? (await startOwn({ name: "locked", key: TOKEN, environment: { ROUTER_TOKEN: TOKEN } }));
/** A token that nobody knows: the appliance wants a credential, its hosted front wants money. */
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
  // Where a test file cannot even be loaded, no hook runs: nothing of ours may outlive this process.
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

/** The starter credit is 200 decisions: fewer than all clients together ask for. */
async function topUp(railUrl: string, token: string): Promise<void> {
  const paid = await fetch(`${railUrl}/v1/topup`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Rail-Wallet": token },
    body: JSON.stringify({ amount_micro: 10_000_000 }),
  });
  if (!paid.ok) throw new Error(`the wallet could not be topped up: ${await paid.text()}`);
}
