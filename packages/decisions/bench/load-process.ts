/**
 * Generates load in its own process: each client sends its next request when it has the response. Reports latencies and
 * server timings. Clients share the cores with the servers, so they are plain keep-alive connections that do nothing
 * but read responses. An HTTP library would cost twice as much.
 */
import { connect } from "node:net";
import { generateTexts } from "./texts.ts";

export interface Load {
  readonly url: string;
  /** Clients use them in rotation; empty if nobody pays. */
  readonly tokens: readonly string[];
  readonly clients: number;
  readonly milliseconds: number;
  readonly seed: number;
}

export interface LoadResult {
  readonly latencies: readonly number[];
  /** Number of responses other than 200. A machine that is too busy to decide within two seconds responds with 503. */
  readonly refused: number;
  readonly wallMs: number;
  /** CPU time of all threads of this process. */
  readonly cpuMs: number;
  /** Durations of `Server-Timing` by name, one per response. */
  readonly parts: Readonly<Record<string, readonly number[]>>;
}

const CHARACTERS = 60;
/** Used in rotation. There are too many for a response cache, and they are generated before the measurement. */
const TEXTS = 5000;

process.on("message", (load: Load) => void run(load).then((loaded) => process.send?.(loaded)));
process.on("disconnect", () => process.exit(0));

async function run({ url, tokens, clients, milliseconds, seed }: Load): Promise<LoadResult> {
  const bodies = generateTexts(TEXTS, CHARACTERS, seed).map((state) => JSON.stringify({ state }));
  const latencies: number[] = [];
  const heads: string[] = [];
  let refused = 0;
  let requestCount = 0;
  const used = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, index) => live(tokens[index % Math.max(1, tokens.length)])));
  const wallMs = performance.now() - begun;
  const { user, system } = process.cpuUsage(used);
  return { latencies, refused, wallMs, cpuMs: (user + system) / 1000, parts: partsOf(heads) };

  async function live(token: string | undefined): Promise<void> {
    using client = openClient(new URL(url), token);
    while (performance.now() - begun < milliseconds) {
      const sent = performance.now();
      const head = await client.ask(bodies[requestCount++ % TEXTS]);
      if (!head.startsWith("HTTP/1.1 200 ")) {
        refused++;
        continue;
      }
      latencies.push(performance.now() - sent);
      heads.push(head);
    }
  }
}

/** Opens a connection that sends the next request after the previous response. */
function openClient({ hostname, port, host }: URL, token: string | undefined) {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const start = `POST /v1/route HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
  const begin = start + (token === undefined ? "" : `x-rail-wallet: ${token}\r\n`);
  let got = Buffer.alloc(0);
  let answer: PromiseWithResolvers<string> | null = null;
  socket.on("data", (part) => {
    got = got.length === 0 ? part : Buffer.concat([got, part]);
    const end = got.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = got.toString("latin1", 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (!(length >= 0)) socket.destroy(new Error(`a response without a length: ${head}`));
    if (!(got.length >= end + 4 + length)) return;
    got = got.subarray(end + 4 + length);
    answer?.resolve(head);
  });
  socket.on("error", (error) => answer?.reject(error));
  socket.on("close", () => answer?.reject(new Error("the connection was closed")));
  return {
    ask(body: string): Promise<string> {
      answer = Promise.withResolvers();
      socket.write(`${begin}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      return answer.promise;
    },
    [Symbol.dispose]() {
      answer = null;
      socket.destroy();
    },
  };
}

function partsOf(heads: readonly string[]): LoadResult["parts"] {
  const parts: Record<string, number[]> = {};
  for (const head of heads) {
    const timing = /\r\nserver-timing: ([^\r]*)/i.exec(head)?.[1] ?? "";
    for (const [, name = "", duration] of timing.matchAll(/(\w+);dur=([\d.]+)/g))
      (parts[name] ??= []).push(Number(duration));
  }
  return parts;
}
