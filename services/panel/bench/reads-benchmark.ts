/** API reads under load. */
import { once } from "node:events";
import { connect } from "node:net";
import { median, quantile } from "@triptych/util";
import { ms, progress, type Figures, type Row } from "../../../packages/decisions/bench/report.ts";
import { ask, openBenchPanel, type BenchLocation } from "./bench-panel.ts";

const CALLERS = 64;
const RUNS = 200;
const WARM_UP_MS = 1000;

export interface ReadsOptions extends BenchLocation {
  readonly milliseconds: number;
}

export async function measureReads({ milliseconds, ...location }: ReadsOptions): Promise<Figures> {
  await using panel = await openBenchPanel(location);
  const [account] = panel.accounts;
  const { accessToken } = account;
  progress(`${RUNS} runs to read`);
  let id = "";
  for (let number = 0; number < RUNS; number++) {
    const body = { focus: `Read ${number}` };
    ({ id } = await ask({ url: panel.url, accessToken }, "POST", `/api/repos/${account.repoIds[0]}/run`, body));
  }
  const goals: Row[] = [];
  for (const [what, path] of [
    ["a run", `/api/runs/${id}`],
    ["a list of 50", "/api/runs?limit=50"],
  ] as const) {
    progress(`${what} at ${CALLERS} callers`);
    const [spentBefore, start] = [await panel.processorMs(), performance.now()];
    const took = await load({ url: panel.url + path, accessToken, milliseconds });
    const [p50, p99] = [median(took), quantile(took, 0.99)];
    // The warm-up uses CPU in proportion to its time.
    const share = milliseconds / (performance.now() - start);
    const spent = (share * ((await panel.processorMs()) - spentBefore)) / took.length;
    const rate = Math.round(took.length / (milliseconds / 1000)).toLocaleString("en-US");
    goals.push({
      goal: `20: API reads, ${what}, ${CALLERS} callers`,
      bar: "p99 <= 25 ms",
      measured: `p50 ${ms(p50)}, p99 ${ms(p99)}, ${rate}/s, ${ms(spent)} of CPU each`,
      met: p99 <= 25,
    });
  }
  return { goals, tables: [] };
}

interface Load {
  readonly url: string;
  readonly accessToken: string;
  readonly milliseconds: number;
}

async function load({ url, accessToken, milliseconds }: Load): Promise<readonly number[]> {
  const { hostname, port, pathname, search } = new URL(url);
  const lines = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${accessToken}`,
  ];
  const request = `${lines.join("\r\n")}\r\n\r\n`;
  const took: number[] = [];
  const start = performance.now() + WARM_UP_MS;
  const end = start + milliseconds;
  const call = async () => {
    await using caller = await openCaller(Number(port), hostname);
    while (performance.now() < end) {
      const startedAt = performance.now();
      const status = await caller.ask(request);
      if (status !== 200) throw new Error(`${url} responded with status ${status}`);
      if (startedAt >= start) took.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return took;
}

/** Longer than any response head; bodies are discarded. */
const CHUNK_BYTES = 64 * 1024;

/** A connection that counts response bytes in a reused buffer: allocation pauses of the client would be measured as the panel's. */
async function openCaller(port: number, host: string) {
  let answered = Promise.withResolvers<number>();
  let [status, left] = [0, 0];
  const onRead = (count: number, buffer: Uint8Array) => {
    if (left === 0) {
      const head = Buffer.from(buffer.buffer, 0, count).toString("latin1");
      const headEnd = head.indexOf("\r\n\r\n") + 4;
      status = Number(head.slice(9, 12));
      left = headEnd + Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, headEnd))?.[1]);
    }
    left -= count;
    if (left === 0) answered.resolve(status);
    else if (!(left > 0)) answered.reject(new Error("invalid response length"));
    return true;
  };
  const socket = connect({
    port,
    host,
    noDelay: true,
    onread: { buffer: new Uint8Array(CHUNK_BYTES), callback: onRead },
  });
  await once(socket, "connect");
  socket.once("close", () => answered.reject(new Error("the panel closed a connection")));
  return {
    ask(request: string): Promise<number> {
      answered = Promise.withResolvers();
      socket.write(request);
      return answered.promise;
    },
    async [Symbol.asyncDispose]() {
      answered.promise.catch(() => {});
      socket.destroy();
    },
  };
}
