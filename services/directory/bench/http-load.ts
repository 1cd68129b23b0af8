/**
 * The benchmark client, in its own process: requests one after another, at full load, or at a fixed rate. Rotates keys,
 * so that none exceeds 120 requests a minute.
 */
import { setTimeout as wait } from "node:timers/promises";
import { answerParent } from "./http-process.ts";
import { openConnection, type Connection, type HttpResponse } from "./http-connection.ts";

export interface Target {
  readonly url: string;
  readonly paths: readonly string[];
}

export interface Saturation extends Target {
  readonly connections: number;
  readonly seconds: number;
}

export interface PacedTarget extends Target {
  readonly connections: number;
  readonly perSecond: number;
}

/** A request at a fixed rate: its due time, its latency from then, and its result. */
export interface Paced {
  readonly at: number;
  readonly took: number;
  readonly failed: boolean;
  readonly version: string;
  /** Marks of versions in the page. */
  readonly marks: readonly string[];
}

/** A key is reused only after all others. */
let keys: readonly string[] = [];
let used = 0;

/** Interned marks. */
const versions = new Map<string, string>();

const verbs = {
  useKeys(newKeys: readonly string[]) {
    keys = newKeys;
  },

  /**
   * Milliseconds per path and target: one request to each in turn, in alternating order, on one connection each, so
   * that other load affects all equally.
   */
  async alternate(targets: readonly Target[]): Promise<Float64Array[]> {
    const connections = await Promise.all(targets.map(({ url }) => openConnection(url)));
    const took = targets.map(({ paths }) => new Float64Array(paths.length));
    const rounds = Math.max(...targets.map(({ paths }) => paths.length));
    for (let round = 0; round < rounds; round++) {
      for (let index = 0; index < targets.length; index++) {
        const which = (round + index) % targets.length;
        const path = targets[which].paths[round];
        if (path === undefined) continue;
        const began = performance.now();
        const response = await connections[which].get(path, nextKey());
        took[which][round] = performance.now() - began;
        refuseFailure(response, path);
      }
    }
    for (const connection of connections) connection.close();
    return took;
  },

  /** The bodies of each path. */
  async bodies({ url, paths }: Target): Promise<Buffer[]> {
    const connection = await openConnection(url);
    const bodies: Buffer[] = [];
    for (const path of paths) {
      const response = await connection.get(path, nextKey());
      refuseFailure(response, path);
      bodies.push(Buffer.from(response.body));
    }
    connection.close();
    return bodies;
  },

  /** Sends as many requests as the server answers in this time. */
  async saturate({ url, paths, connections, seconds }: Saturation): Promise<{ answered: number; seconds: number }> {
    const began = performance.now();
    const until = began + seconds * 1000;
    let answered = 0;
    let next = 0;
    const work = async () => {
      const connection = await openConnection(url);
      while (performance.now() < until) {
        const path = paths[next++ % paths.length];
        refuseFailure(await connection.get(path, nextKey()), path);
        answered++;
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: connections }, work));
    return { answered, seconds: (performance.now() - began) / 1000 };
  },

  /** Sends at a fixed rate without waiting for responses; latencies count from the due time. */
  startPace(pace: PacedTarget): void {
    const stop = new AbortController();
    pacing = { stop, done: keepPace(pace, stop.signal) };
  },

  async endPace(): Promise<Paced[]> {
    if (pacing === null) throw new Error("no load was started");
    pacing.stop.abort();
    return pacing.done;
  },
};
export type LoadVerbs = typeof verbs;

let pacing: { readonly stop: AbortController; readonly done: Promise<Paced[]> } | null = null;

async function keepPace({ url, paths, connections, perSecond }: PacedTarget, stop: AbortSignal): Promise<Paced[]> {
  const answers: Paced[] = [];
  const free = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  const due: { readonly path: string; readonly at: number }[] = [];
  const ask = async (connection: Connection, { path, at: dueAt }: { path: string; at: number }) => {
    // Requests due within the millisecond are sent early.
    const at = Math.min(dueAt, now());
    try {
      const response = await connection.get(path, nextKey());
      answers.push({ at, took: now() - at, ...reading(response) });
      free.push(connection);
    } catch {
      answers.push({ at, took: now() - at, failed: true, version: "", marks: [] });
      free.push(await openConnection(url));
    }
    serve();
  };
  const serve = () => {
    while (due.length > 0) {
      // The least recently used connection: servers close idle ones after a minute.
      const connection = free.shift();
      const request = connection && due.shift();
      if (connection === undefined || request === undefined) return;
      void ask(connection, request);
    }
  };
  const began = now();
  for (let number = 0; !stop.aborted; number++) {
    const at = began + (number * 1000) / perSecond;
    const early = at - now();
    if (early > 1) await wait(early);
    due.push({ path: paths[number % paths.length], at });
    serve();
  }
  while (due.length > 0 || free.length < connections) await wait(10);
  for (const connection of free) connection.close();
  return answers;
}

/** Milliseconds since 1970 with fractions, comparable between processes. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function reading({ status, body }: HttpResponse): Pick<Paced, "failed" | "version" | "marks"> {
  const text = body.toString("latin1");
  const found = /"version":"([^"]+)"/.exec(text.slice(text.lastIndexOf('"version":"')))?.[1] ?? "";
  // A substring retains its whole text: without a copy all pages of a run stay in memory, with pauses of 15 ms.
  let version = versions.get(found);
  if (version === undefined) versions.set(found, (version = structuredClone(found)));
  const marks = new Set(Array.from(text.matchAll(/"edition":"(\w+)"/g), ([, mark]) => mark));
  return { failed: status !== 200, version, marks: [...marks] };
}

function nextKey(): string {
  return keys[used++ % keys.length];
}

function refuseFailure({ status, body }: HttpResponse, path: string): void {
  if (status !== 200) throw new Error(`${path} returned ${status}: ${body.toString().slice(0, 500)}`);
}

answerParent(verbs);
