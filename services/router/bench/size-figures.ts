/** Size of the release on disk and in memory, and the time from `npm start -- router` to its first response. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, statSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median } from "@triptych/util";
import { progress, type Figures } from "../../../packages/decisions/bench/report.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const ARTIFACTS = join(ROOT, "packages/decisions/artifacts");
const DISK_BAR = 10e6;
const START_BAR_MS = 1_000;
const START_LIMIT_MS = 120_000;

export interface SizePlan {
  readonly folder: string;
  readonly starts: number;
}

export async function measureSize({ folder, starts }: SizePlan): Promise<Figures> {
  const names = globSync(["*.{tptk,tpos,tpax,json}", "experts/*.tphd", "cards/*.md"], { cwd: ARTIFACTS }).toSorted();
  const files = names.map((name) => ({ name, bytes: statSync(join(ARTIFACTS, name)).size }));
  const disk = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const memory = await engineMemory();
  const times: number[] = [];
  for (let start = 1; start <= starts; start++) {
    times.push(await firstAnswer(await mkdtemp(join(folder, "start-"))));
    progress(`npm start -- router, ${start} of ${starts}: ${((times.at(-1) ?? 0) / 1000).toFixed(2)} s`);
  }
  const started = median(times);
  return {
    goals: [
      { goal: "trained files on disk", bar: "10 MB", measured: megabytes(disk), met: disk < DISK_BAR },
      {
        goal: "npm start to first response",
        bar: "1 s",
        measured: `${(started / 1000).toFixed(2)} s (slowest of ${starts}: ${(Math.max(...times) / 1000).toFixed(2)} s)`,
        met: started < START_BAR_MS,
      },
      {
        goal: "resident memory of the engine",
        bar: "",
        measured: `${megabytes(memory.opened)} opened, ${megabytes(memory.used)} after 10,000 texts`,
        met: null,
      },
    ],
    tables: [
      {
        title: "Trained files",
        heads: ["file", "bytes"],
        rows: files.map(({ name, bytes }) => [name, bytes.toLocaleString("en-US")]),
      },
    ],
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
}

interface Memory {
  readonly opened: number;
  readonly used: number;
}

/** Memory of the engine, without Node itself. */
async function engineMemory(): Promise<Memory> {
  const program = fileURLToPath(new URL("memory-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--expose-gc", program], { stdio: ["ignore", "pipe", "inherit"] });
  // The program prints nothing else.
  return JSON.parse(await text(child.stdout)) as Memory;
}

/** Milliseconds from the command to a decision's response. */
async function firstAnswer(data: string): Promise<number> {
  const env = { ...process.env, TRIPTYCH_DATA: data, ROUTER_PORT: "0", NODE_ENV: "development" };
  const startedAt = performance.now();
  // A process group, because npm runs between this process and the router, and both must be killed.
  const child = spawn("npm", ["start", "--silent", "--", "router"], {
    cwd: ROOT,
    env,
    stdio: "ignore",
    detached: true,
  });
  const ended = once(child, "exit");
  try {
    while (performance.now() - startedAt < START_LIMIT_MS) {
      const url = await addressIn(join(data, "credentials.json"));
      if (url !== null) {
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ state: "what is the weather in Paris tomorrow" });
        const answer = await fetch(`${url}/v1/route`, { method: "POST", headers, body });
        if (answer.status !== 200) throw new Error(`the first decision returned ${answer.status}`);
        await answer.text();
        return performance.now() - startedAt;
      }
      await wait(5);
    }
    throw new Error("the router did not start");
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}

/** The router writes it once it listens. */
async function addressIn(path: string): Promise<string | null> {
  const written: unknown = JSON.parse((await readFile(path, "utf8").catch(() => "")) || "{}");
  if (typeof written !== "object" || written === null || !("router" in written)) return null;
  // The service has written its section in this form.
  return (written.router as { readonly url: string }).url;
}
