/** A panel on loopback with its worker channel and a manual clock; workers are real WebSockets. */
import { randomBytes } from "node:crypto";
import type { IsolationLevel } from "@triptych/contracts";
import { ulid } from "@triptych/ids";
import { createLogger } from "@triptych/server";
import { openDatabase, type Database } from "@triptych/storage";
import { createSeal, deriveKey } from "@triptych/encryption";
import { createSecrets } from "../../src/compose/access.ts";
import { createApp } from "../../src/app.ts";
import { openChannel } from "../../src/worker-connections/start-channel.ts";
import { openAccount } from "../../src/domain/open-account.ts";
import type { PanelStore } from "../../src/domain/repositories.ts";
import type { RunRecord } from "../../src/domain/records.ts";
import { createPasswords } from "../../src/compose/passwords.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA, storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";
import { CHEAP } from "./cheap-passwords.ts";
import { createClock, type Clock } from "./clock.ts";
import { createStatementKeys } from "../../src/domain/statement-keys.ts";
import { createRunTokens, createUploadedBundles, type UploadedBundles } from "./fake-delivery.ts";
import { openTestServices } from "./start-test-background.ts";
import { HELLO, openWorkerSocket, type WorkerSocket } from "./worker-socket.ts";

export interface ChannelFixtureOptions {
  /** Shared with another node; its owner closes it. */
  readonly database?: Database<PanelTables>;
  readonly clock?: Clock;
  readonly leaseMs?: number;
  readonly isolationMin?: IsolationLevel;
}

export const PRICES = { "gpt-x": { input: 2_000_000, cached: 200_000, output: 8_000_000 } };

type Answer = Readonly<Record<string, unknown>> & { readonly id: string };

export async function createChannelFixture(options: ChannelFixtureOptions = {}) {
  const { database, clock = createClock(), leaseMs = 45_000, isolationMin = "none" } = options;
  await using opened = new AsyncDisposableStack();
  const location = { url: "sqlite::memory:", schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  const own = database ?? opened.use(await openDatabase<PanelTables>(location));
  const store: PanelStore = { ...storeOn(own), [Symbol.asyncDispose]: () => Promise.resolve() };
  const seal = createSeal(deriveKey("s".repeat(32), "panel seal"), randomBytes);
  const keyParts = { repository: store.signingKeys, seal, now: clock.now, random: randomBytes };
  const statementKeys = createStatementKeys(keyParts);
  const secrets = createSecrets(randomBytes);
  const newId = (prefix: string) => ulid(prefix, clock.now(), randomBytes);
  const errors: unknown[] = [];
  const bundles: UploadedBundles = createUploadedBundles();
  const runTokens = createRunTokens("run tokens");
  const { bus, deliveryServices } = opened.use(
    await openTestServices({ store, seal, statementKeys, now: clock.now, newId }, (error) => errors.push(error)),
  );
  const channel = opened.use(
    await openChannel({
      node: newId("nod"),
      store,
      ingest: bus.ingest,
      secrets: bus.secrets,
      timers: clock,
      delivery: bundles,
      runTokens,
      checkTokens: deliveryServices.checkTokens,
      newId,
      leaseMs,
      author: { name: "Acme Bot", email: "bot@acme.example" },
      money: { prices: PRICES, usdEur: 0.9 },
      heartbeatMs: 10_000,
      isolationMin,
      openKey: (sealed, owner) => seal.open(sealed, owner).toString(),
      openVariable: (sealed, about) => seal.open(sealed, about).toString(),
      hash: secrets.hash,
      url: () => server.url(),
      broadcastWaitMs: 150,
      traceOf: () => null,
      onError: (error) => void errors.push(error),
    }),
  );
  const lines: string[] = [];
  const logger = createLogger({ service: "panel", level: "debug", destination: { write: (line) => lines.push(line) } });
  const about = {
    store,
    seal,
    statementKeys,
    secrets,
    newId,
    passwords: createPasswords(CHEAP),
    workers: channel.workers,
    now: clock.now,
    random: randomBytes,
    allows: { localRepo: () => false, privateHosts: false, isolationMin },
  };
  const rates = { all: 100_000, runs: 100_000, license: 100_000, probe: 6, prs: 100_000 };
  const server = await createApp(
    { logger, publicUrl: undefined, csrfKey: randomBytes(32), rates, loginFailures: 5, bus, deliveryServices },
    about,
  );
  opened.defer(() => server.stop());
  opened.use(channel);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  channel.serve(server.fastify, server.metrics.registry);

  const parts = opened.move();
  const make = async (plan: "free" | "pro" | "team", email = `${plan}@example.test`) => {
    const account = await openAccount(about, { email, plan, password: "right" });
    if (account === null) throw new Error("the e-mail is taken");
    return account;
  };

  return {
    url,
    store,
    clock,
    channel,
    bundles,
    runTokens,
    secrets,
    errors,
    lines,
    make,
    fastify: server.fastify,
    database: own,
    connect: (licenseKey: string) => openWorkerSocket(url, licenseKey),
    /** Connects and waits for the welcome. */
    async join(licenseKey: string, hello: object = {}): Promise<WorkerSocket & { readonly workerId: string }> {
      const worker = await openWorkerSocket(url, licenseKey);
      worker.say({ ...HELLO, ...hello });
      return { ...worker, workerId: (await worker.next("welcome")).worker_id };
    },
    async ask(token: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }> {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? { id: "" } : JSON.parse(text) };
    },
    /** Resolves when `isSo` is true for the run; checks on store notifications. */
    async until(owner: string, runId: string, isSo: (run: RunRecord) => boolean): Promise<RunRecord> {
      const settled = Promise.withResolvers<RunRecord>();
      const check = async () => {
        const run = await store.of(owner).runs.find(runId);
        if (run !== null && isSo(run)) settled.resolve(run);
      };
      const stop = await store.listen((hint) => {
        if (hint === null || hint.id === runId) void check().catch(settled.reject);
      });
      await check();
      const run = await settled.promise;
      await stop();
      return run;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export type ChannelFixture = Awaited<ReturnType<typeof createChannelFixture>>;

export const REPO = { url: "https://git.example.org/acme/sum.git" };
export const SHA = "ab".repeat(20);
export const GREEN = {
  baseline: { exit_code: 1, duration_ms: 8, cached: false },
  attempts: [{ n: 1, exit_code: 0, duration_ms: 7 }],
  gate: null,
  verdict: "passed",
} as const;
