/**
 * A gateway with real services, each on its own port, in a new data folder, and wallets with a given number of
 * decisions.
 */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { start as startRail } from "@triptych/rail";
import { start as startRouter } from "@triptych/router";
import { requestDigest, type DigestInput } from "@triptych/billing-client";
import { CHARGES_MAX, DECISION_PRICE_ID } from "@triptych/contracts";
import { start as startGateway } from "../../src/service.ts";

export interface Asking {
  readonly method?: string;
  readonly token?: string;
  readonly bearer?: string;
  readonly key?: string;
  /** A string is sent verbatim. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Wallet {
  readonly id: string;
  readonly token: string;
}

export type Environment = Readonly<Record<string, string>>;

const STARTER_DECISIONS = 200;

export async function createFixture(environment: Environment = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-gateway-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const base = { TRIPTYCH_DATA: folder, LOG_LEVEL: "silent", RAIL_PORT: "0", ROUTER_PORT: "0", GATEWAY_PORT: "0" };
  const rail = opened.adopt(await startRail({ ...base, ...environment }), (running) => running.stop());
  const router = opened.adopt(await startRouter({ ...base, ...environment }), (running) => running.stop());
  const context = { ...base, RAIL_URL: rail.url, ROUTER_URL: router.url, ...environment };
  const gateway = opened.adopt(await startGateway(context), (running) => running.stop());
  await untilReady(gateway.url);
  const tokens = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8")).rail;
  const serviceToken = String(tokens.service_token);
  const parts = opened.move();
  const spender = `spender-${randomUUID()}`;
  let spent = 0;

  const railAsk = (path: string, options: Asking = {}) => ask(rail.url + path, options);
  const asGateway = (path: string, body: unknown) => railAsk(path, { bearer: tokens.service_token, body });

  /** Spends the surplus of a new wallet at another gateway. */
  async function spend({ token }: Wallet, decisions: number): Promise<void> {
    const wallet_hash = hashOf(token);
    const boot = `b-${++spent}`;
    await asGateway("/internal/v1/instances", { instance: spender, boot });
    for (let from = 0; from < decisions; from += CHARGES_MAX) {
      const count = Math.min(CHARGES_MAX, decisions - from);
      const charges = Array.from({ length: count }, (_, index) => ({
        seq: from + index + 1,
        wallet_hash,
        op: "route",
        qty: 1,
        price_id: DECISION_PRICE_ID,
        req: "a".repeat(43),
        res: "a".repeat(43),
      }));
      const charged = await asGateway("/internal/v1/charges", { instance: spender, boot, charges });
      assert.equal(charged.status, 200, charged.text);
      await asGateway("/internal/v1/charges", { instance: spender, boot, ack: { through: from + count } });
    }
  }

  return {
    url: gateway.url,
    railUrl: rail.url,
    routerUrl: router.url,
    folder,
    context,
    /** For a gateway on another data folder. */
    tokens: { RAIL_SERVICE_TOKEN: serviceToken, ROUTER_SERVICE_TOKEN: serviceToken },
    serviceToken,
    rail,
    router,
    gateway,
    ask: (path: string, options: Asking = {}) => ask(gateway.url + path, options),
    askRail: railAsk,
    askRouter: (path: string, options: Asking = {}) => ask(router.url + path, options),
    spend,
    /** Another gateway next to the first one. */
    async openGateway(more: Environment) {
      const running = await startGateway({ ...context, ...more });
      return {
        url: running.url,
        ask: (path: string, options: Asking = {}) => ask(running.url + path, options),
        stop: () => running.stop(),
        [Symbol.asyncDispose]: () => running.stop(),
      };
    },
    /** Charges the wallet at another gateway, which does not deliver or abort yet. */
    async chargeElsewhere(
      { token }: Wallet,
      { key, request }: { readonly key: string; readonly request: DigestInput },
    ) {
      const boot = { instance: `other-${randomUUID()}`, boot: "b-1" };
      await asGateway("/internal/v1/instances", boot);
      const body = {
        seq: 1,
        wallet_hash: hashOf(token),
        key,
        op: request.path.slice(4),
        qty: 1,
        price_id: DECISION_PRICE_ID,
      };
      const charge = { ...body, req: requestDigest(request), res: "a".repeat(43) };
      const charged = await asGateway("/internal/v1/charges", { ...boot, charges: [charge] });
      assert.equal(charged.json.results[0].status, 201, charged.text);
      return {
        giveUp: () => asGateway("/internal/v1/charges", { ...boot, voids: [{ seq: 1, reason: "aborted" }] }),
      };
    },
    async openWallet({ decisions = STARTER_DECISIONS }: { readonly decisions?: number } = {}): Promise<Wallet> {
      const made = await railAsk("/v1/wallets", { body: { email: `${randomUUID()}@example.org` } });
      assert.equal(made.status, 201, made.text);
      const wallet = { id: String(made.json.wallet_id), token: String(made.json.wallet_token) };
      await spend(wallet, STARTER_DECISIONS - decisions);
      return wallet;
    },
    /** Paid credit, added by the operator. */
    async pay({ id }: Wallet, amountMicro: number): Promise<void> {
      const body = { amount_micro: amountMicro, operator: "test", reason: "a test" };
      const paid = await railAsk(`/v1/admin/wallets/${id}/adjust`, { bearer: tokens.admin_token, body });
      assert.equal(paid.status, 200, paid.text);
    },
    async asOperator(path: string, body: unknown = {}) {
      return await railAsk(path, { bearer: tokens.admin_token, body });
    },
    async balance({ token }: Wallet): Promise<number> {
      return Number((await railAsk("/v1/wallets/me", { token })).json.balance_micro);
    },
    /** Kinds of the wallet's ledger entries, oldest first. */
    async entries({ token }: Wallet): Promise<readonly LedgerEntry[]> {
      const { items } = (await railAsk("/v1/wallets/me/entries?limit=200", { token })).json;
      return Array.isArray(items) ? items.reverse() : [];
    },
    async chargeState({ token }: Wallet, charge: string | null): Promise<string> {
      return String((await railAsk(`/v1/wallets/me/charges/${charge}`, { token })).json.state);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

export interface LedgerEntry {
  readonly kind: string;
  readonly charge_id: string | null;
}

let common: Promise<Fixture> | null = null;

/**
 * Shares one fixture between all tests of a process that change only their own wallets, because starting it takes
 * longer than most tests.
 */
export function sharedFixture(): Promise<Fixture> {
  common ??= createFixture();
  return common;
}

after(async () => (await common)?.[Symbol.asyncDispose]());

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** An empty object for a body that is not an object. */
  readonly json: ReturnType<typeof JSON.parse>;
}

export async function ask(url: string, options: Asking = {}): Promise<Reply> {
  const { method, token, bearer, key, body, headers, signal } = options;
  const response = await fetch(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { "x-rail-wallet": token }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = Buffer.from(bytes).toString("utf8");
  return { status: response.status, headers: response.headers, text, bytes, json: parsed(text) };
}

function parsed(text: string): Reply["json"] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Waits for healthy routers: on a busy machine, the first health check may time out, and calls before the second one
 * are rejected.
 */
export function untilReady(url: string): Promise<void> {
  return until("the gateway is ready", async () => (await ask(`${url}/readyz`)).status === 200);
}

/** Pause between polls, so that the polled service, which is often in this process, gets CPU time. */
const POLL_INTERVAL_MS = 5;

/** Polls, because the state is behind a socket and emits no event. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 10_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    assert.ok(performance.now() < end, `Timed out waiting until ${what}.`);
    await wait(POLL_INTERVAL_MS);
  }
}
