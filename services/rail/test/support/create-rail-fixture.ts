/** The real app on an empty store, with a gateway token, an operator token and a clock set by the test. */
import { createHash, randomBytes } from "node:crypto";
import { generateKey, SERVICE_FORM } from "@triptych/api-keys";
import type { Secrets } from "@triptych/encryption";
import { openRateWindows } from "@triptych/rate-limit";
import { createLogger } from "@triptych/server";
import { openDatabase, type Database } from "@triptych/storage";
import { ADMIN_FORM, READ_FORM } from "../../src/access.ts";
import { createApp } from "../../src/app.ts";
import type { Ledger } from "../../src/domain/ledger.ts";
import type { Mail } from "../../src/domain/email.ts";
import type { PaymentProvider } from "../../src/domain/payments.ts";
import { createRailMetrics } from "../../src/metrics.ts";
import { openRail } from "../../src/open-rail.ts";
import { createManualProvider, createTestProvider } from "../../src/payment-providers/test-provider.ts";
import { RAIL_MIGRATIONS, RAIL_SCHEMA } from "../../src/store/migrations.ts";
import { openLedger } from "../../src/store/open-ledger.ts";
import type { RailTables } from "../../src/store/tables.ts";

export interface RailFixtureOptions {
  /** Mode live uses manual payments. */
  readonly mode?: "test" | "live";
  readonly provider?: PaymentProvider;
  readonly mail?: boolean;
  readonly startAt?: number;
  /** Monotonic milliseconds, which clock jumps do not affect; defaults to the clock. */
  readonly monotonic?: () => number;
  /** Opens an empty store; defaults to SQLite in memory. */
  readonly open?: () => Promise<Database<RailTables>>;
  readonly secret?: string | Secrets;
  /** Wraps the ledger for the rail. */
  readonly between?: (ledger: Ledger) => Ledger;
  /** Wraps the database for the ledger. */
  readonly beneath?: (database: Database<RailTables>) => Database<RailTables>;
}

export interface RailAsk {
  readonly method?: "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS";
  readonly token?: string;
  readonly bearer?: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Caller address. */
  readonly from?: string;
}

export type RailFixture = Awaited<ReturnType<typeof createRailFixture>>;

const DIGEST = "a".repeat(43);

export async function createRailFixture(options: RailFixtureOptions = {}) {
  const { mode = "test", mail = false, startAt = Date.UTC(2026, 10, 20, 12), between = (ledger) => ledger } = options;
  const { beneath = (database) => database } = options;
  const lines: string[] = [];
  const mails: Mail[] = [];
  let now = startAt;
  const clock = () => now;
  const random = (count: number) => randomBytes(count);
  const database = await (options.open ?? openInMemory)();
  const ledger = openLedger(beneath(database));
  const tokens = { serviceToken: generateKey(SERVICE_FORM, random), adminToken: generateKey(ADMIN_FORM, random) };
  const readToken = generateKey(READ_FORM, random);
  const previous = { service: generateKey(SERVICE_FORM, random), admin: generateKey(ADMIN_FORM, random) };
  const { secret = "an installation's secret for tests" } = options;
  const mailer = { send: (message: Mail) => void mails.push(message), close: () => Promise.resolve() };
  const rail = await openRail({
    ...tokens,
    more: { previousService: previous.service, previousAdmin: previous.admin, read: readToken },
    ledger: between(ledger),
    windows: openRateWindows({ database, clock }),
    provider: options.provider ?? (mode === "test" ? createTestProvider() : createManualProvider()),
    mailer: mail ? mailer : null,
    secret,
    process: "test",
    customHeadMicro: 49_000_000,
    algorithm: "EdDSA",
    now: clock,
    monotonic: options.monotonic ?? clock,
    random,
    url: () => "http://rail.test",
  });
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: "rail", level: "debug", destination });
  const metrics = createRailMetrics();
  const app = await createApp({ logger, publicUrl: "http://rail.test", ofProcess: false, metrics }, rail);

  const ask = (url: string, request: RailAsk = {}) => {
    const { method = request.body === undefined ? "GET" : "POST", token, bearer, key, body, headers, from } = request;
    return app.fastify.inject({
      method,
      url,
      remoteAddress: from ?? "127.0.0.1",
      headers: {
        ...(token !== undefined && { "x-rail-wallet": token }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(key !== undefined && { "idempotency-key": key }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  };
  let seq = 0;

  /** Opens a wallet; returns its token. */
  async function openWallet(email = "ada@example.org"): Promise<{ id: string; token: string }> {
    const answer = await ask("/v1/wallets", { body: { email } });
    if (answer.statusCode !== 201) throw new Error(answer.body);
    const { wallet_id: id, wallet_token: token } = answer.json();
    return { id, token };
  }

  /** Adds paid money as the operator. */
  async function pay(id: string, amountMicro: number): Promise<void> {
    const body = { amount_micro: amountMicro, operator: "test", reason: "to begin with" };
    const answer = await ask(`/v1/admin/wallets/${id}/adjust`, { bearer: tokens.adminToken, body });
    if (answer.statusCode !== 200) throw new Error(answer.body);
  }

  return {
    ...tokens,
    readToken,
    /** The tokens that were valid before the last rotation. */
    previous,
    app,
    database,
    ledger,
    rail,
    secret,
    /** All log lines. */
    lines,
    mails,
    ask,
    now: clock,
    /** Advances the clock. */
    pass: (ms: number) => (now += ms),
    sweep: () => ledger.sweep(rail.context(), 100),
    asOperator: (url: string, request: RailAsk = {}) => ask(url, { bearer: tokens.adminToken, ...request }),
    asGateway: (url: string, request: RailAsk = {}) => ask(url, { bearer: tokens.serviceToken, ...request }),
    openWallet,
    pay,
    async openPaidWallet(paidMicro: number) {
      const opened = await openWallet();
      await pay(opened.id, paidMicro);
      return opened;
    },
    hello: (boot = "b1") =>
      ask("/internal/v1/instances", { bearer: tokens.serviceToken, body: { instance: "gw", boot } }),
    batch: (body: Readonly<Record<string, unknown>>) =>
      ask("/internal/v1/charges", { bearer: tokens.serviceToken, body: { instance: "gw", boot: "b1", ...body } }),
    /** An attempt to charge the wallet of this token. */
    charge: (token: string, more: Readonly<Record<string, unknown>> = {}) => ({
      seq: ++seq,
      wallet_hash: createHash("sha256").update(token).digest("hex"),
      op: "route",
      qty: 1,
      price_id: "decision-v1",
      req: DIGEST,
      res: DIGEST,
      ...more,
    }),
    async [Symbol.asyncDispose]() {
      await app.stop();
      await ledger[Symbol.asyncDispose]();
    },
  };
}

function openInMemory(): Promise<Database<RailTables>> {
  return openDatabase({ url: "sqlite::memory:", schema: RAIL_SCHEMA, migrations: RAIL_MIGRATIONS });
}
