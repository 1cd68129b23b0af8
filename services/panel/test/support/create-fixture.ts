/** A panel with two accounts on an in-memory store, called without a socket; its log is captured. */
import { randomBytes } from "node:crypto";
import type { IsolationLevel } from "@triptych/contracts";
import { ulid } from "@triptych/ids";
import { createLogger } from "@triptych/server";
import { openDatabase } from "@triptych/storage";
import { createKeyring, createRotatingSeal, type Secrets } from "@triptych/encryption";
import { SEAL_PURPOSE } from "../../src/compose/panel.ts";
import { createSecrets } from "../../src/compose/access.ts";
import { createApp } from "../../src/app.ts";
import { createStatementKeys } from "../../src/domain/statement-keys.ts";
import { openAccount } from "../../src/domain/open-account.ts";
import { NO_WORKERS, type ConnectedWorkers } from "../../src/domain/panel.ts";
import { createPasswords } from "../../src/compose/passwords.ts";
import type { BuiltPage } from "@triptych/server";
import type { WorkerPack } from "../../src/pages/worker-download.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { CHEAP } from "./cheap-passwords.ts";
import { openTestServices, type DeliveryOverrides } from "./start-test-background.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "PUT";

interface FixtureOptions {
  readonly url?: string;
  readonly privateHosts?: boolean;
  readonly isolationMin?: IsolationLevel;
  readonly dashboard?: BuiltPage | null;
  readonly deliveryOverrides?: DeliveryOverrides;
  readonly workers?: ConnectedWorkers;
  readonly secret?: string | Secrets;
  readonly publicUrl?: string;
  readonly workerPack?: WorkerPack;
}

export async function createFixture(options: FixtureOptions = {}) {
  const {
    url = "sqlite::memory:",
    privateHosts = false,
    isolationMin = "none",
    dashboard = null,
    workers = NO_WORKERS,
    secret = "s".repeat(32),
    publicUrl = "http://panel.test",
    workerPack,
  } = options;
  const lines: string[] = [];
  const errors: unknown[] = [];
  const location = { url, schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  const database = await openDatabase<PanelTables>(location);
  let time = Date.parse("2026-11-22T10:00:00Z");
  const seal = createRotatingSeal(createKeyring(secret), SEAL_PURPOSE, randomBytes);
  const store = storeOn(database);
  const keyParts = { repository: store.signingKeys, seal, now: () => time, random: randomBytes };
  const about = {
    store,
    seal,
    statementKeys: createStatementKeys(keyParts),
    passwords: createPasswords(CHEAP),
    secrets: createSecrets(randomBytes),
    workers,
    now: () => time,
    random: randomBytes,
    newId: (prefix: string) => ulid(prefix, time++, randomBytes),
    allows: { localRepo: () => false, privateHosts, isolationMin },
  };
  const logger = createLogger({ service: "panel", level: "debug", destination: { write: (line) => lines.push(line) } });
  const rates = { all: 100_000, runs: 100_000, license: 100_000, probe: 6, prs: 100_000 };
  const onError = (error: unknown) => {
    errors.push(error);
    logger.error({ err: error }, "background task failed");
  };
  const services = await openTestServices(about, onError, options.deliveryOverrides);
  const { bus, deliveryServices, folder, blobs, metrics } = services;
  const httpOptions = { publicUrl, csrfKey: randomBytes(32), rates, loginFailures: 5 };
  const parts = { ...httpOptions, logger, deliveryServices, bus, dashboard, workerPack };
  const server = await createApp(parts, about);
  metrics.showIn(server.metrics.registry);
  const make = async (plan: "free" | "pro") => {
    const opened = await openAccount(about, { email: `${plan}@example.test`, plan, password: "right" });
    if (opened === null) throw new Error("an e-mail was taken in an empty store");
    return opened;
  };
  return {
    pro: await make("pro"),
    free: await make("free"),
    lines,
    database,
    panel: about,
    server,
    deliveryServices,
    blobs,
    folder,
    errors,
    /** Advances the clock by milliseconds. */
    pass(ms: number) {
      time += ms;
    },
    bus,
    store: about.store,
    now: () => time,
    advance: (ms: number) => (time += ms),
    ask(
      method: Method,
      url: string,
      { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
    ) {
      return server.fastify.inject({
        method,
        url,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await services[Symbol.asyncDispose]();
      await database.close();
    },
  };
}
