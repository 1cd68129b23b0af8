/**
 * A server of the bench in a process of its own. `product`: the service as it starts, from its environment. `unmetered`: the same app
 * on the same store, with a door that lets everybody in and books nothing. `known`: the same door, once it has found the caller's key;
 * nothing is counted there either. `static`: a Fastify that answers bytes it was given.
 */
import { openKeyRing, openKeyStore } from "@triptych/metering";
import { fastify } from "fastify";
import { createLogger, readConfig } from "@triptych/server";
import type { Database } from "@triptych/storage";
import { DirectoryConfig } from "../src/config.ts";
import type { Access, Entry, KeyHolder } from "../src/domain/access.ts";
import { openApp } from "../src/open-app.ts";
import { start } from "../src/service.ts";
import { verifyIn } from "../src/store/access.ts";
import { KEY_FORMS } from "../src/store/metered-plans.ts";
import type { StoreTables } from "../src/store/migrations.ts";
import { openStore } from "../src/store/open-store.ts";
import { answerParent } from "./http-child.ts";

interface Running {
  readonly url: string;
  stop(): Promise<unknown>;
}

let bodies: readonly Buffer[] = [];

const [kind] = process.argv.slice(2);
const running = await startKind(kind);

const verbs = {
  url: () => running.url,
  /** Milliseconds of processor time that this process has used: all its threads, and the one that serves. */
  cpu() {
    const [all, serving] = [process.cpuUsage(), process.threadCpuUsage()];
    return { all: (all.user + all.system) / 1000, serving: (serving.user + serving.system) / 1000 };
  },
  /** What `static` answers under `/0`, `/1`, ... */
  serve(given: readonly Uint8Array[]) {
    bodies = given.map((bytes) => Buffer.from(bytes));
  },
};
export type ServerVerbs = typeof verbs;

answerParent(verbs, async () => {
  await running.stop();
});

function startKind(name: string | undefined): Promise<Running> {
  if (name === "product") return start(process.env);
  if (name === "unmetered" || name === "known") return startUnmetered({ findsKeys: name === "known" });
  if (name === "static") return startStatic();
  throw new Error(`no server of this kind: ${name}`);
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

/** As `service.ts` puts it together, without meter; the caller must not start both on one folder. */
async function startUnmetered({ findsKeys }: { readonly findsKeys: boolean }): Promise<Running> {
  const config = readConfig(DirectoryConfig, process.env);
  const logger = createLogger({ service: "directory", level: config.LOG_LEVEL });
  const clock = () => Date.now();
  const opened = new AsyncDisposableStack();
  const { database, directory } = opened.use(await openStore(config, { report: () => {}, now: clock }));
  const source = opened.adopt(await directory.openSource(), (one) => one.close());
  const access = findsKeys ? { ...openDoor(), verify: await openKeys(database) } : openDoor();
  const app = await openApp({ config, logger, clock, access, database, source });
  opened.defer(() => app.stop());
  const url = await app.listen({ host: config.HOST, port: 0 });
  return { url, stop: () => opened.disposeAsync() };
}

async function openKeys(database: Database<StoreTables>) {
  // Its look for changes does not keep the process, which ends with its store.
  const store = openKeyStore(database);
  return verifyIn(await openKeyRing({ store, forms: KEY_FORMS, clock: () => Date.now(), onFault: () => {} }));
}

const NOWHERE: Entry["standing"] = {
  minute: { limit: 0, remaining: 0, resetSeconds: 0 },
  day: { date: "", limit: null, used: 0, remaining: null, resetSeconds: 0 },
};

function openDoor(): Access {
  const holder: KeyHolder = { id: "key_everybody", name: "everybody", plan: "pro", test: true, dailyItems: "none" };
  return {
    verify: () => ({ state: "valid", holder }),
    enter: (_, wanted) => {
      const entry: Entry = {
        granted: wanted,
        exhaustedFor: null,
        standing: NOWHERE,
        fields: () => ({}),
        narrow: () => Promise.resolve(),
        settle: () => Promise.resolve(),
      };
      return { verdict: "entered", entry };
    },
    usage: () => Promise.reject(new Error("nothing is booked here")),
    close: () => Promise.resolve(),
  };
}
