/**
 * Time from start to the first response, and from a kill to the next one: killed while idle, after a burst of requests,
 * and after an import was killed halfway. Each restart must be complete and must not bill unserved items.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { progress, type Figures } from "./report.ts";
import { ROOT } from "./run.ts";
import { startService, type ServiceProcess } from "./service-process.ts";
import { median } from "@triptych/util";

export interface StartsOptions {
  readonly folder: string;
  /** A data folder with an imported version, its file and mapping. */
  readonly dataFolder: string;
  readonly importFolder: string;
  readonly items: number;
  readonly runs: number;
}

const EMPTY_BAR_MS = 3000;
const NEXT_BAR_MS = 2000;

export async function measureStarts(options: StartsOptions): Promise<Figures> {
  const empty: number[] = [];
  const emptyCpu: number[] = [];
  for (let run = 0; run < options.runs; run++) {
    progress(`start: npm start in an empty folder, ${run + 1} of ${options.runs}`);
    await using service = await startService({
      dataFolder: await mkdtemp(join(options.folder, "empty-")),
      by: "npm start",
    });
    empty.push(service.firstAnswerMs);
    emptyCpu.push(service.cpuMs);
  }
  const kills = await measureKills(options);
  const slowest = Math.max(...kills.next);
  return {
    goals: [
      {
        goal: "npm start to first response, empty folder",
        bar: "< 3 s",
        measured: `${(median(empty) / 1000).toFixed(2)} s (slowest of ${empty.length}: ${(Math.max(...empty) / 1000).toFixed(2)} s; CPU ${(median(emptyCpu) / 1000).toFixed(2)} s)`,
        met: median(empty) < EMPTY_BAR_MS,
      },
      {
        goal: `kill -9, ${options.items.toLocaleString("en-US")} items: next start to first response`,
        bar: "< 2 s, complete version, billing invariant holds",
        measured: `slowest of ${kills.next.length} ${(slowest / 1000).toFixed(2)} s (median ${(median(kills.next) / 1000).toFixed(2)} s, CPU ${(median(kills.cpu) / 1000).toFixed(2)} s); ${kills.wrong.length === 0 ? "version and usage correct each time" : kills.wrong.join("; ")}`,
        met: slowest < NEXT_BAR_MS && kills.wrong.length === 0,
      },
    ],
    tables: [],
  };
}

interface Kills {
  /** Wall and CPU milliseconds to the first response after each kill. */
  readonly next: number[];
  readonly cpu: number[];
  readonly wrong: string[];
}

async function measureKills({ dataFolder, importFolder, runs }: StartsOptions): Promise<Kills> {
  const next: number[] = [];
  const cpu: number[] = [];
  const wrong: string[] = [];
  let service = await startService({ dataFolder, by: "start.mjs" });
  const { first } = service;
  let served = await itemsBilled(service);
  const loads: readonly ((target: ServiceProcess) => Promise<number>)[] = [
    () => Promise.resolve(0),
    (target) => askInABurst(target),
    (target) => importBeside(target, { dataFolder, importFolder }),
  ];
  for (let run = 0; run < runs; run++) {
    for (const [kind, load] of loads.entries()) {
      progress(`start: kill -9, case ${kind + 1} of ${loads.length}, ${run + 1} of ${runs}`);
      // The demo key's window includes the previous minute; three pages are far below its limit.
      served += await load(service);
      await service.kill();
      service = await startService({ dataFolder, by: "start.mjs" });
      next.push(service.firstAnswerMs);
      cpu.push(service.cpuMs);
      served += 1;
      const { total, version } = service.first;
      if (version !== first.version || total !== first.total) wrong.push(`version ${version} with ${total} items`);
      const billed = await itemsBilled(service);
      if (billed > served) wrong.push(`${billed} items billed, ${served} served`);
      served = billed;
    }
  }
  await service[Symbol.asyncDispose]();
  return { next, cpu, wrong };
}

async function itemsBilled({ url, proKey }: ServiceProcess): Promise<number> {
  const answer = await fetch(`${url}/api/usage`, { headers: { authorization: `Bearer ${proKey}` } });
  const usage: { month: { items: number }; days: { items: number }[] } = JSON.parse(await answer.text());
  const sum = usage.days.reduce((items, day) => items + day.items, 0);
  if (sum !== usage.month.items) throw new Error(`/api/usage reports ${usage.month.items} and ${sum}`);
  return sum;
}

/** Items actually received. */
async function askInABurst({ url, proKey }: ServiceProcess): Promise<number> {
  const ask = async (): Promise<number> => {
    const answer = await fetch(`${url}/api/items?limit=5`, { headers: { authorization: `Bearer ${proKey}` } });
    const page: { items: unknown[] } = JSON.parse(await answer.text());
    return page.items.length;
  };
  const pages = await Promise.all(Array.from({ length: 20 }, ask));
  return pages.reduce((sum, items) => sum + items, 0);
}

/** Kills an import halfway, together with the service: neither may leave a trace. */
async function importBeside(
  _service: ServiceProcess,
  { dataFolder, importFolder }: { dataFolder: string; importFolder: string },
): Promise<number> {
  const file = join(importFolder, "first.ndjson");
  const args = ["start.mjs", "directory", "import", file, "--type", "article", "--mode", "replace"];
  const child = spawn(process.execPath, [...args, "--map", join(importFolder, "mapping.json")], {
    cwd: ROOT,
    env: { ...process.env, TRIPTYCH_DATA: dataFolder },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await wait(3000);
  child.kill("SIGKILL");
  await ended;
  return 0;
}
