/** A panel with two accounts on a store in memory, asked without a socket; what it logs is kept. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timeId } from "@triptych/metering";
import { createLogger } from "@triptych/server";
import { openDatabase } from "@triptych/storage";
import { createSecrets } from "../../src/access.ts";
import { createApp } from "../../src/app.ts";
import { openAccount } from "../../src/domain/open-account.ts";
import { NOBODY_CONNECTED } from "../../src/domain/panel.ts";
import { createSeal, deriveKey } from "../../src/domain/seal.ts";
import { fileBlobs } from "../../src/blobs/file-blobs.ts";
import { createHandoverMetrics } from "../../src/handover-metrics.ts";
import { openHandover } from "../../src/open-handover.ts";
import { createPasswords } from "../../src/passwords.ts";
import { PANEL_MIGRATIONS, PANEL_SCHEMA } from "../../src/store/migrations.ts";
import { storeOn } from "../../src/store/open-store.ts";
import type { PanelTables } from "../../src/store/tables.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "PUT";

/** What is due is looked for when a hint comes, or when a test asks. */
const NO_TIMERS = { every: () => () => {}, wait: () => new Promise<void>(() => {}) };

export async function openScene({ privateHosts = false }: { privateHosts?: boolean } = {}) {
  const lines: string[] = [];
  const troubles: unknown[] = [];
  const place = { url: "sqlite::memory:", schema: PANEL_SCHEMA, migrations: PANEL_MIGRATIONS };
  const database = await openDatabase<PanelTables>(place);
  let time = Date.parse("2026-11-22T10:00:00Z");
  const about = {
    store: storeOn(database),
    seal: createSeal(deriveKey("s".repeat(32), "panel seal"), randomBytes),
    passwords: createPasswords(),
    secrets: createSecrets(randomBytes),
    workers: NOBODY_CONNECTED,
    now: () => time,
    random: randomBytes,
    newId: (prefix: string) => timeId(prefix, time++, randomBytes),
    allows: { localRepo: () => false, privateHosts },
  };
  const folder = mkdtempSync(join(tmpdir(), "panel-"));
  const metrics = createHandoverMetrics(about.store.doors);
  const blobs = await fileBlobs(join(folder, "blobs"));
  const handover = await openHandover({
    store: about.store,
    seal: about.seal,
    tokenKey: deriveKey("s".repeat(32), "panel run tokens"),
    folder,
    blobs,
    allowsPrivateHosts: true,
    findSecrets: (known, text) =>
      /ghp_\w{20,}/.test(text)
        ? ["github_token"]
        : [...known.keys()].filter((name) => text.includes(known.get(name) ?? "")),
    by: "nod_test",
    now: about.now,
    timers: NO_TIMERS,
    meter: metrics,
    onTrouble: (error) => troubles.push(error),
  });
  const logger = createLogger({ service: "panel", level: "debug", destination: { write: (line) => lines.push(line) } });
  const rates = { all: 100_000, runs: 100_000, license: 100_000, prs: 100_000 };
  const parts = { logger, publicUrl: "http://panel.test", csrfKey: randomBytes(32), rates, loginFailures: 5, handover };
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
    handover,
    blobs,
    folder,
    troubles,
    /** The clock goes on by so many milliseconds. */
    pass(ms: number) {
      time += ms;
    },
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
      await handover[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
      await database.close();
    },
  };
}
