/**
 * A real PostgreSQL server for this process, with its own data folder, reachable only through a socket in that folder.
 * Started on first use. When the pipe from this process breaks, a small shell stops the server and removes the folder,
 * so the server always ends with the process.
 */
import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";

export interface PostgresServer {
  /** Creates an empty database, optionally with PostGIS in its schema `public`; returns its URL. */
  createDatabase(options?: { readonly postgis?: boolean }): Promise<string>;
}

export interface ServerOptions {
  /** If true (default), commits wait for the disk, as in production. Suites that only test results use false. */
  readonly durable?: boolean;
  /** The server's `shared_buffers`. Default 64MB: many test servers share a machine. */
  readonly sharedBuffers?: string;
}

const INSTALLED = "/usr/lib/postgresql";
/** Folder that contains `initdb` and `postgres`, if it is not Debian's. */
const BINARIES = process.env["POSTGRES_BIN"];
const START_MS = 30_000;
const DEFAULTS = { durable: true, sharedBuffers: "64MB" } as const satisfies Required<ServerOptions>;
const servers = new Map<string, Promise<PostgresServer>>();

let reason: { readonly missing: string | undefined } | undefined;

export function postgresMissing(): string | undefined {
  reason ??= { missing: reasonWithoutPostgres() };
  return reason.missing;
}

/** For the `skip` of a test or suite. False in CI, where tests without the server fail instead. */
export function withoutPostgres(): string | false {
  return process.env["CI"] === undefined ? (postgresMissing() ?? false) : false;
}

function reasonWithoutPostgres(): string | undefined {
  const binaries = findBinaries();
  if (binaries === undefined) return "PostgreSQL is not installed (Debian: postgresql, postgresql-15-postgis-3)";
  for (const program of ["initdb", "postgres"]) {
    const { error, status } = spawnSync(join(binaries, program), ["--version"], { stdio: "ignore" });
    if (status !== 0) return `PostgreSQL does not start: ${program} ${error?.message ?? `ended with ${status}`}`;
  }
  if (process.getuid?.() === 0 && findUser() === undefined)
    return "PostgreSQL refuses to run as root and there is no user `postgres`";
  return undefined;
}

export function postgresAvailable(): boolean {
  return postgresMissing() === undefined;
}

export function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const settled = { ...DEFAULTS, ...options };
  const key = JSON.stringify([settled.durable, settled.sharedBuffers]);
  const running = servers.get(key) ?? start(settled);
  servers.set(key, running);
  return running;
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

async function start({ durable, sharedBuffers }: Required<ServerOptions>): Promise<PostgresServer> {
  const binaries = findBinaries();
  const missing = postgresMissing();
  if (binaries === undefined || missing !== undefined) throw new Error(`${missing ?? "PostgreSQL is missing"}.`);

  const folder = await mkdtemp(join(tmpdir(), "triptych-pg-"));
  const user = process.getuid?.() === 0 ? findUser() : undefined;
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const asUser = { cwd: folder, ...user };
  const data = join(folder, "data");
  await promisify(execFile)(
    join(binaries, "initdb"),
    [
      "-D",
      data,
      "-U",
      "postgres",
      "--auth=trust",
      "--encoding=UTF8",
      "--locale=C.UTF-8",
      "--no-sync",
      "--no-instructions",
    ],
    asUser,
  );

  const sync = durable ? "on" : "off";
  const settings = {
    listen_addresses: "",
    unix_socket_directories: folder,
    fsync: sync,
    synchronous_commit: sync,
    full_page_writes: sync,
    max_connections: "200",
    shared_buffers: sharedBuffers,
    // Compiling a plan would cost more than any test query.
    jit: "off",
  };
  const server = [
    join(binaries, "postgres"),
    "-D",
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  // `cat` ends with this process. QUIT stops the server without cleanup, because the folder is removed anyway.
  const script = '"$@" >log 2>&1 & server=$!; cat >/dev/null; kill -QUIT $server; wait $server; cd /; rm -rf "$FOLDER"';
  const shell = spawn("/bin/sh", ["-c", script, "sh", ...server], {
    ...asUser,
    env: { FOLDER: folder, PATH: "/usr/bin:/bin" },
    // In its own session, so that Ctrl-C ends this process first, and then the server through the pipe.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.unref();
  if (shell.stdin !== null && "unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref();

  await untilItAnswers(folder);
  return createServer(folder);
}

function createServer(folder: string): PostgresServer {
  let databases = 0;
  let withPostgis: Promise<void> | undefined;

  return {
    async createDatabase({ postgis = false } = {}) {
      if (postgis) await (withPostgis ??= createPostgisTemplate(folder));
      databases += 1;
      const name = `test_${databases}`;
      await once(folder, "postgres", `create database ${name} template ${postgis ? "with_postgis" : "template0"}`);
      return urlOf(folder, name);
    },
  };
}

/** Creating the extension takes a second; copying a database that has it is fast. */
async function createPostgisTemplate(folder: string): Promise<void> {
  await once(folder, "postgres", "create database with_postgis template template0");
  await once(folder, "with_postgis", "create extension postgis");
}

async function untilItAnswers(folder: string): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      return await once(folder, "postgres", "select 1");
    } catch (error) {
      if (Date.now() > until) {
        const log = await readFile(join(folder, "log"), "utf8").catch(() => "");
        throw new Error(`The test server did not start within ${START_MS / 1_000} s.\n${log.slice(-2_000)}`, {
          cause: error,
        });
      }
    }
    await wait(20);
  }
}

async function once(folder: string, database: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(folder, database) });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function urlOf(folder: string, database: string): string {
  return `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`;
}

function findBinaries(): string | undefined {
  if (BINARIES !== undefined) return existsSync(join(BINARIES, "initdb")) ? BINARIES : undefined;
  if (!existsSync(INSTALLED)) return undefined;

  const versions = readdirSync(INSTALLED).sort((one, other) => Number(other) - Number(one));
  return versions
    .map((version) => join(INSTALLED, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));
}

function findUser(): User | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith("postgres:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
