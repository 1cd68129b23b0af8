/** A router on small models, called without a socket; records its logs and metrics. */
import { randomBytes, randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ulid } from "@triptych/ids";
import { createLogger } from "@triptych/server";
import { openDatabase, type Database } from "@triptych/storage";
import { ARTIFACTS, loadBundledModels, openSentenceEncoder, type ShippedArtifacts } from "@triptych/decisions";
import { createAccess } from "../../src/access.ts";
import { createApp } from "../../src/app.ts";
import type { Expert } from "../../src/domain/experts.ts";
import type { Router } from "../../src/domain/router.ts";
import { baseModelFromEncoder, baseModelFromTrunk, type CustomEncoder } from "../../src/engine/base-models.ts";
import { createRouterMetrics } from "../../src/metrics.ts";
import { openHeads } from "../../src/open-heads.ts";
import { routerOn, withHeads } from "../../src/service.ts";
import { filesInFolder } from "../../src/store/head-files.ts";
import type { HeadFiles } from "../../src/domain/heads/head-store.ts";
import { ROUTER_MIGRATIONS, ROUTER_SCHEMA } from "../../src/store/migrations.ts";
import { storeOn } from "../../src/store/open-store.ts";
import type { RouterTables } from "../../src/store/tables.ts";
import { smallArtifacts, smallFiles } from "./small-artifacts.ts";

export const SERVICE_TOKEN = "rail_svc_00000000000000000000000000_0000000";

export interface FixtureOptions {
  readonly artifacts?: ShippedArtifacts;
  /** File of the trunk of these artifacts, for training; defaults to the small trunk. */
  readonly trunkBytes?: Uint8Array;
  readonly routerToken?: string;
  readonly rate?: number;
  /** Custom heads of the caller's owner, added to the shipped ones. */
  readonly custom?: readonly Expert[];
  /** Milliseconds since the epoch; defaults to a fixed clock. */
  readonly now?: () => number;
  /** Store of heads; defaults to unshared memory. The caller closes it. */
  readonly storage?: { readonly database: Database<RouterTables>; readonly files: HeadFiles };
  readonly isReachable?: boolean;
  readonly playgroundFolder?: Promise<string | null>;
  readonly allowedHosts?: readonly string[];
  /** Sentence encoder for custom heads; defaults to the small trunk. */
  readonly encoder?: CustomEncoder;
}

export interface Asking {
  readonly method?: "GET" | "POST" | "HEAD" | "PUT" | "PATCH" | "OPTIONS" | "DELETE";
  /** Sent as JSON; a string is sent verbatim. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function createFixture(options: FixtureOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({
    service: "router",
    level: "debug",
    destination: { write: (line) => lines.push(line) },
  });
  const metrics = createRouterMetrics();
  await using opened = new AsyncDisposableStack();
  const artifacts = options.artifacts ?? smallArtifacts();
  const brought = options.encoder;
  const encoder = brought && opened.use(await openSentenceEncoder(brought.folder, brought.runtime));
  const ground =
    brought && encoder
      ? baseModelFromEncoder(encoder, brought)
      : baseModelFromTrunk(artifacts.trunk, () =>
          Promise.resolve(options.trunkBytes ?? smallFiles().get("trunk.tptk") ?? new Uint8Array()),
        );
  const shipped = routerOn(artifacts, { ...metrics, encoder: encoder ?? null });
  const now = options.now ?? (() => 0);
  const folder = join(tmpdir(), `triptych-heads-${randomUUID()}`);
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const memory = { url: "sqlite::memory:", schema: ROUTER_SCHEMA, migrations: ROUTER_MIGRATIONS };
  const storage = options.storage ?? {
    database: opened.use(await openDatabase<RouterTables>(memory)),
    files: filesInFolder(folder),
  };
  const store = storeOn(storage.database, storage.files);
  const owned = opened.use(
    await openHeads({
      baseModel: ground,
      engine: shipped.assessor.engine,
      shipped: shipped.experts,
      store,
      process: randomUUID(),
      now,
      newId: (prefix) => ulid(prefix, now(), randomBytes),
      onError: (what, error) => logger.error({ err: error }, what),
    }),
  );
  const router = withCustom(withHeads(shipped, owned), options.custom ?? []);
  const rate = options.rate ?? null;
  const access = createAccess({
    routerToken: options.routerToken ?? null,
    isReachable: options.isReachable ?? false,
    serviceToken: SERVICE_TOKEN,
    rate,
    now,
  });
  const parts = { logger, publicUrl: "http://router.test", access, rate, showMetrics: metrics.showIn };
  const { allowedHosts = [] } = options;
  const pages = options.playgroundFolder && { playgroundFolder: options.playgroundFolder };
  const app = await createApp({ ...parts, ...pages, allowedHosts, writeError: store.writeError, now }, router, owned);
  const server = opened.adopt(app, (item) => item.stop());
  const running = opened.move();

  return {
    router,
    server,
    owned,
    store,
    lines,
    ask(url: string, { method, body, headers = {} }: Asking = {}) {
      return server.fastify.inject({
        url,
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A router on the released models. */
export async function createReleasedFixture() {
  const trunkBytes = await readFile(new URL("trunk.tptk", ARTIFACTS));
  return createFixture({ artifacts: loadBundledModels(), trunkBytes });
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

/** Heads of owner `acme` only. */
function withCustom(router: Router, custom: readonly Expert[]): Router {
  const { experts } = router;
  const ofOwner = (owner: string) => (owner === "acme" ? custom : []);
  return {
    ...router,
    experts: {
      async find(owner, name) {
        return ofOwner(owner).find((item) => item.name === name || item.headId === name) ?? experts.find(owner, name);
      },
      async inPlay(owner) {
        return [...(await experts.inPlay(owner)), ...ofOwner(owner).filter(({ auto }) => auto)];
      },
      async list(owner) {
        return [...(await experts.list(owner)), ...ofOwner(owner)];
      },
    },
  };
}
