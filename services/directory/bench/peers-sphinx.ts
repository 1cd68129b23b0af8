/**
 * Sphinx (Debian: `sphinxsearch`), indexed from a tab-separated pipe and queried over its MySQL protocol. Filters and
 * tags are words of a field, so that they are indexed. Sphinx stores coordinates as 32-bit floats, half a meter off, so
 * unit vectors are 64-bit integers of a billionth, tested with our chord. It has no spatial index. Sphinx returns ids
 * only, without the items of the page.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, globSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { unitVector } from "../src/domain/geo.ts";
import { connectMysql, type MysqlClient } from "./peers-mysql-client.ts";
import type { PeerItem, PeerLoading, PeerQuery } from "./peers-query.ts";

const INDEXER = "/usr/bin/indexer";
const SEARCHD = "/usr/bin/searchd";
const SCALE = 1e9;
const START_MS = 20_000;

export function sphinxMissing(): string | undefined {
  return existsSync(INDEXER) && existsSync(SEARCHD) ? undefined : "Sphinx is not installed (Debian: sphinxsearch)";
}

export async function loadSphinx(folder: string): Promise<PeerLoading> {
  const name = "Sphinx";
  const config = join(folder, "sphinx.conf");
  await writeFile(config, configOf(folder));
  const pipe = createWriteStream(join(folder, "items.tsv"));
  let server: Server | null = null;
  return {
    name,
    async add(batch) {
      if (!pipe.write(batch.map(lineOf).join(""))) await once(pipe, "drain");
    },
    async finish() {
      pipe.end();
      await once(pipe, "close");
      await promisify(execFile)(INDEXER, ["--config", config, "--quiet", "items"], { maxBuffer: 1 << 24 });
      const { client } = (server = await startServer(folder, config));
      return {
        name,
        bytes: globSync(join(folder, "sphinx-items.*")).reduce((sum, path) => sum + statSync(path).size, 0),
        async search(query) {
          const page = await client.query(selectOf(query));
          const meta = new Map((await client.query("SHOW META")).map(([key, value]) => [key, value]));
          return { total: Number(meta.get("total_found")), returned: page.length };
        },
      };
    },
    async [Symbol.asyncDispose]() {
      pipe.destroy();
      await server?.stop();
    },
  };
}

interface Server {
  readonly client: MysqlClient;
  stop(): Promise<void>;
}

async function startServer(folder: string, config: string): Promise<Server> {
  // `cat` ends when this process does, by whatever cause, and then the server is stopped.
  const script = '"$@" >/dev/null 2>&1 & server=$!; cat >/dev/null; kill $server; wait $server';
  const shell = spawn("/bin/sh", ["-c", script, "sh", SEARCHD, "--nodetach", "--config", config], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const client = await connectWhenReady(join(folder, "sphinx.sock"));
  return {
    client,
    async stop() {
      client.close();
      const ended = once(shell, "exit");
      shell.stdin.end();
      await ended;
    },
  };
}

function configOf(folder: string): string {
  return `
source items {
  type = tsvpipe
  tsvpipe_command = cat ${folder}/items.tsv
  tsvpipe_field = words
  tsvpipe_field = marks
  tsvpipe_attr_uint = title_rank
  tsvpipe_attr_bigint = x
  tsvpipe_attr_bigint = y
  tsvpipe_attr_bigint = z
}
index items {
  source = items
  path = ${folder}/sphinx-items
  docinfo = extern
  morphology = none
  min_word_len = 1
  dict = keywords
}
indexer {
  mem_limit = 512M
}
searchd {
  listen = ${folder}/sphinx.sock:mysql41
  log = ${folder}/sphinx.log
  pid_file = ${folder}/sphinx.pid
  binlog_path =
  workers = threads
  dist_threads = 0
  thread_stack = 8M
  seamless_rotate = 0
}
`;
}

function lineOf({ id, type, departement, region, titleRank, tags, terms, location }: PeerItem): string {
  const marks = [markOf("t", type), markOf("d", departement ?? "none"), markOf("r", region ?? "none")].concat(
    tags.map((tag) => markOf("g", tag)),
  );
  const { x, y, z } = location === null ? { x: 0, y: 0, z: 0 } : unitVector(location.lat, location.lon);
  const text = terms.map(({ term }) => term).join(" ");
  return `${[id, text, marks.join(" "), titleRank, ...[x, y, z].map(scaled)].join("\t")}\n`;
}

function markOf(kind: string, value: string): string {
  return `${kind}_${value.toLowerCase().replaceAll(/[^a-z0-9]/g, "_")}`;
}

function scaled(value: number): number {
  return Math.round(value * SCALE);
}

async function connectWhenReady(socketPath: string): Promise<MysqlClient> {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      return await connectMysql(socketPath);
    } catch (error) {
      if (Date.now() > until) throw new Error(`searchd did not start within ${START_MS / 1000} s`, { cause: error });
    }
    await wait(50);
  }
}

function selectOf(query: PeerQuery): string {
  const marks = [
    anyMark("t", query.types),
    anyMark("d", query.departements),
    anyMark("r", query.regions),
    ...query.tags.map((any) => anyMark("g", any)),
  ].flat();
  const phrases = query.termGroups.map(({ any }) => `(${any.join(" | ")})`);
  const match = [
    ...(phrases.length > 0 ? [`@words ${phrases.join(" ")}`] : []),
    ...(marks.length > 0 ? [`@marks ${marks.join(" ")}`] : []),
  ].join(" ");
  const conditions = match === "" ? [] : [`MATCH('${match}')`];
  let columns = "id";
  if (query.near !== null) {
    const { x, y, z } = query.near.vector;
    const square = (name: string, value: number) => `(${name}-(${scaled(value)}))*(${name}-(${scaled(value)}))`;
    columns += `, ${square("x", x)}+${square("y", y)}+${square("z", z)} AS chord`;
    conditions.push(`chord <= ${Math.floor(query.near.bound * SCALE * SCALE)}`);
  }
  const order = { title: "title_rank ASC", relevance: "WEIGHT() DESC, title_rank ASC", distance: "chord ASC" }[
    query.sort
  ];
  const ranker = query.sort === "relevance" ? "bm25" : "none";
  return (
    `SELECT ${columns} FROM items${conditions.length > 0 ? ` WHERE ${conditions.join(" AND ")}` : ""} ORDER BY ${order} ` +
    `LIMIT ${query.offset}, ${query.limit} OPTION ranker=${ranker}, max_matches=${query.offset + query.limit}`
  );
}

function anyMark(kind: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`(${values.map((value) => markOf(kind, value)).join(" | ")})`];
}
