/**
 * A benchmark server in its own process. `product`: the service as started from its environment. `doors`: the same app
 * with switchable metering (`use`). `static`: a Fastify that sends given bytes.
 */
import { randomBytes } from "node:crypto";
import { openKeyCache, openKeyStore } from "@triptych/api-keys";
import { createSlidingWindow } from "@triptych/rate-limit";
import { openEmbeddedMeter } from "@triptych/usage-metering";
import { fastify } from "fastify";
import { readConfig } from "@triptych/config";
import { createLogger } from "@triptych/server";
import { createWriteProbe } from "@triptych/storage";
import { DirectoryConfig } from "../src/config.ts";
import { openApp } from "../src/app.ts";
import { start } from "../src/service.ts";
import { KEY_FORMS, meteredPlans } from "../src/store/access.ts";
import { openStore } from "../src/store/open-store.ts";
import { answerParent } from "./http-process.ts";
import { createAuthModes, type AuthMode } from "./http-admission.ts";

interface Running {
  readonly url: string;
  stop(): Promise<unknown>;
  use?(mode: AuthMode): Promise<void>;
}

let bodies: readonly Buffer[] = [];

const [kind] = process.argv.slice(2);
const running = await startKind(kind);

const verbs = {
  url: () => running.url,
  /** CPU milliseconds of this process: all threads, and the serving one. */
  cpu() {
    const [all, serving] = [process.cpuUsage(), process.threadCpuUsage()];
    return { all: (all.user + all.system) / 1000, serving: (serving.user + serving.system) / 1000 };
  },
  /** The current mode of `doors`. */
  use: (mode: AuthMode) => running.use?.(mode),
  /** Responses of `static` under `/0`, `/1`, ... */
  serve(contents: readonly Uint8Array[]) {
    bodies = contents.map((bytes) => Buffer.from(bytes));
  },
};
export type ServerVerbs = typeof verbs;

answerParent(verbs, async () => {
  await running.stop();
});

function startKind(name: string | undefined): Promise<Running> {
  if (name === "product") return start(process.env);
  if (name === "doors") return startAuthModes();
  if (name === "static") return startStatic();
  throw new Error(`unknown server kind: ${name}`);
}

async function startStatic(): Promise<Running> {
  const app = fastify();
  app.get<{ Params: { number: string } }>("/:number", async (request, reply) => {
    void reply.header("content-type", "application/json; charset=utf-8");
    return reply.send(bodies[Number(request.params.number)]);
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { url, stop: () => app.close() };
}

/** Composed as in `service.ts`, with switchable modes. Never start both this and the product on the same folder. */
async function startAuthModes(): Promise<Running> {
  const config = readConfig(DirectoryConfig, process.env);
  const logger = createLogger({ service: "directory", level: config.LOG_LEVEL });
  const clock = () => Date.now();
  const onFault = (error: unknown) => logger.error({ err: error }, "metering: store unavailable; retrying");
  const plans = meteredPlans(config.DIRECTORY_PRICE_TIERS);
  const opened = new AsyncDisposableStack();
  const { database, directory } = opened.use(await openStore(config, { report: () => {}, now: clock }));
  const source = opened.adopt(await directory.openSource(), (resource) => resource.close());
  const ring = opened.use(
    await openKeyCache({ store: openKeyStore(database), forms: KEY_FORMS, clock, onError: onFault }),
  );
  const meter = opened.use(
    await openEmbeddedMeter({
      database,
      plans,
      window: createSlidingWindow(),
      clock,
      random: randomBytes,
      onError: onFault,
    }),
  );
  const modes = createAuthModes({ ring, meter });
  const writeError = createWriteProbe(database);
  const app = await openApp({ config, logger, clock, access: modes.access, database, source, writeError });
  opened.defer(() => app.stop());
  const url = await app.listen({ host: config.HOST, port: 0 });
  return { url, stop: () => opened.disposeAsync(), use: (mode) => modes.use(mode) };
}
