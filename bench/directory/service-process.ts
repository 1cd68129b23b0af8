/** The service as a user starts it, in a process that can be killed and whose log can be read. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { ROOT } from "./run.ts";

export interface ServiceProcess extends AsyncDisposable {
  /** Milliseconds from process start to the first response, and that response. */
  readonly firstAnswerMs: number;
  /** CPU milliseconds of all its processes up to then. */
  readonly cpuMs: number;
  readonly first: FirstAnswer;
  readonly url: string;
  readonly proKey: string;
  /** Sends SIGKILL to the process group. */
  kill(): Promise<void>;
}

export interface FirstAnswer {
  readonly total: number;
  readonly version: string;
}

export interface StartOptions {
  readonly dataFolder: string;
  /** `npm start`, or the command behind it. */
  readonly by: "npm start" | "start.mjs";
  /** Called for each log line. */
  readonly onLog?: (line: Readonly<Record<string, unknown>>) => void;
}

const START_MS = 120_000;
/** A typical first query. */
const FIRST_QUERY = "/api/items?type=place&limit=1";

/** Resolves after a query returned 200. */
export async function startService({ dataFolder, by, onLog }: StartOptions): Promise<ServiceProcess> {
  const [program, args] =
    by === "npm start"
      ? ["npm", ["start", "--silent", "--", "directory"]]
      : [process.execPath, ["start.mjs", "start", "directory"]];
  const env = { ...process.env, TRIPTYCH_DATA: dataFolder, DIRECTORY_PORT: "0", NODE_ENV: "development" };
  const began = performance.now();
  const startedAt = Date.now();
  // Its own process group: npm runs between this process and the service, and a kill must reach both.
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "ignore"], detached: true });
  const ended = once(child, "exit");
  // An interrupted benchmark must not leave a service running.
  const killAtExit = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
  };
  process.on("exit", killAtExit);
  createInterface(child.stdout).on("line", (line) => onLog?.(readLine(line)));
  const signal = async (name: NodeJS.Signals) => {
    const { pid } = child;
    if (pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-pid, name);
    await ended;
    process.off("exit", killAtExit);
  };
  try {
    const { url, pro_key: proKey } = await readCredentials(dataFolder, startedAt);
    const answer = await fetch(`${url}${FIRST_QUERY}`, { headers: { authorization: `Bearer ${proKey}` } });
    if (answer.status !== 200) throw new Error(`the first query failed with ${answer.status}`);
    const { total, version }: FirstAnswer = JSON.parse(await answer.text());
    const firstAnswerMs = performance.now() - began;
    return {
      firstAnswerMs,
      cpuMs: await cpuOfGroup(child.pid),
      first: { total, version },
      url,
      proKey,
      kill: () => signal("SIGKILL"),
      [Symbol.asyncDispose]: () => signal("SIGTERM"),
    };
  } catch (error) {
    await signal("SIGKILL");
    throw error;
  }
}

interface Credentials {
  readonly url: string;
  readonly pro_key: string;
}

/** Every start rewrites the file once the service listens; content of an earlier start is ignored. */
async function readCredentials(dataFolder: string, startedAt: number): Promise<Credentials> {
  const path = join(dataFolder, "credentials.json");
  for (const until = Date.now() + START_MS; Date.now() < until; await wait(5)) {
    const written: unknown = JSON.parse(await readFile(path, "utf8").catch(() => "{}"));
    if (typeof written !== "object" || written === null || !("directory" in written)) continue;
    // The service writes its section in this form.
    const section = written.directory as Credentials;
    const isUp = await fetch(`${section.url}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return section;
  }
  throw new Error(`the service did not start within ${(Date.now() - startedAt) / 1000} s`);
}

/** Linux counts in ticks of 10 ms: fields 14 to 17 of `stat` are user and system time, own and of ended children. */
async function cpuOfGroup(group: number | undefined): Promise<number> {
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  let ticks = 0;
  for (const name of processes) {
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // The second field is a name in parentheses and may contain spaces.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    if (fields[2] === group) ticks += fields[11] + fields[12] + fields[13] + fields[14];
  }
  return ticks * 10;
}

function readLine(line: string): Readonly<Record<string, unknown>> {
  if (!line.startsWith("{")) return {};
  const read: unknown = JSON.parse(line);
  return typeof read === "object" && read !== null ? Object.fromEntries(Object.entries(read)) : {};
}
