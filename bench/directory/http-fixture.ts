/** Setup of the HTTP benchmark: server and client processes, and the request URLs. */
import { benchQueries, QUERY_CLASSES, type QueryClass } from "../../services/directory/bench/engine-queries.ts";
import { benchData } from "../../services/directory/bench/generated-items.ts";
import { startChild, type Child, type ChildOptions } from "../../services/directory/bench/http-process.ts";
import { createManyKeys } from "../../services/directory/bench/http-keys.ts";
import type { LoadVerbs } from "../../services/directory/bench/http-load.ts";
import { addressOf } from "../../services/directory/bench/http-queries.ts";
import type { ServerVerbs } from "../../services/directory/bench/http-server.ts";
import { seeded } from "../../services/directory/test/support/random.ts";
import { progress } from "./report.ts";

export interface HttpOptions {
  readonly dataFolder: string;
  readonly items: number;
  readonly queries: number;
  readonly runs: number;
  /** Seconds of full load, twice per run and server. */
  readonly seconds: number;
  readonly keys: readonly string[];
}

const SCRIPTS = "../../services/directory/bench/";
export const CONNECTIONS = 16;
/** Each at 120 requests a minute: enough for 12,000 requests a second. */
const KEYS = 6000;

export type Client = Child<LoadVerbs>;
export type ServerChild = Child<ServerVerbs>;

export async function prepareKeys(dataFolder: string): Promise<string[]> {
  progress(`http: creating ${KEYS} keys`);
  return createManyKeys(dataFolder, KEYS);
}

export function startClient(options: Pick<ChildOptions, "processor"> = {}): Client {
  return startChild<LoadVerbs>(new URL(`${SCRIPTS}http-load.ts`, import.meta.url), options);
}

/**
 * When one client compares two servers, it has one CPU and all servers share the other. Otherwise the scheduler places
 * the processes differently each time, and a static response varies from 0.04 to 0.12 ms. All servers pay the same
 * wake-up across CPUs, which makes the ratio smaller.
 */
export const CLIENTS_PROCESSOR = 0;
const SERVERS_PROCESSOR = 1;

export function startServer(
  kind: "product" | "doors" | "static",
  environment: Readonly<Record<string, string>> = {},
): ServerChild {
  const settings = { NODE_ENV: "production", DIRECTORY_PORT: "0", ...environment };
  return startChild<ServerVerbs>(new URL(`${SCRIPTS}http-server.ts`, import.meta.url), {
    environment: settings,
    args: [kind],
    processor: SERVERS_PROCESSOR,
  });
}

/** URLs per class, in query order. */
export function addresses(items: number, count: number): Record<QueryClass, string[]> {
  const data = benchData(items);
  const labels = new Map(data.tagLabels.map(({ slug, label }) => [slug, label]));
  const batches = benchQueries(data, { count, random: seeded(7), items });
  const of = (name: QueryClass) => batches[name].map((query) => addressOf(query, (slug) => labels.get(slug) ?? slug));
  // `benchQueries` has given every class its batch.
  return Object.fromEntries(QUERY_CLASSES.map((name) => [name, of(name)])) as Record<QueryClass, string[]>;
}

export interface Fixture {
  /** Suffix of goal and table names. */
  readonly label: string;
  readonly client: Client;
  readonly paths: Record<QueryClass, string[]>;
  readonly product: ServerChild;
  readonly still: ServerChild;
}

/** Interleaves the classes. */
export function mixedOf(paths: Record<QueryClass, string[]>): string[] {
  return paths.tag.flatMap((_, number) => QUERY_CLASSES.map((name) => paths[name][number]));
}
