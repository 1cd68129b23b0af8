/** Stored and acknowledged events per second of one run, until every reader in a separate process has received them all. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { progress, type Figures, type Row } from "../../../packages/decisions/bench/report.ts";
import type { BusItem } from "../src/domain/records.ts";
import { createFixture } from "../test/support/create-fixture.ts";
import { createLeasedRun } from "../test/support/leased-run.ts";

const READERS: readonly (readonly [readers: number, leastASecond: number])[] = [
  [0, 50_000],
  [20, 40_000],
  [200, 8_000],
];
/** Events per frame, and unacknowledged frames: 512 events. */
const FRAME = 64;
const FRAMES_IN_FLIGHT = 8;
/** The worker waits for the slowest reader beyond this: otherwise readers are disconnected and the reconnects are measured. */
const LAG_MAX = 4_096;
const LAST_MS = 2_000;
const TEXT = "The failing test expects the sum of the two last entries, but the cache is filled before they are read. ";

export async function measureBus({ folder, milliseconds }: { folder: string; milliseconds: number }): Promise<Figures> {
  const goals: Row[] = [];
  for (const [readers, least] of READERS) {
    progress(`${readers} readers`);
    const url = `sqlite:${join(folder, `bus-${readers}.db`)}`;
    const { rate, lost } = await measure({ url, readers, milliseconds });
    goals.push({
      goal: `4: stored and acknowledged events, ${readers} readers`,
      bar: `>= ${least.toLocaleString("en-US")}/s, none lost`,
      measured: `${Math.round(rate).toLocaleString("en-US")}/s, ${lost} lost`,
      met: rate >= least && lost === 0,
    });
  }
  return { goals, tables: [] };
}

interface Setting {
  readonly url: string;
  readonly readers: number;
  readonly milliseconds: number;
}

async function measure({ url, readers, milliseconds }: Setting) {
  await using fixture = await createFixture({ url });
  const { id, owner, path, token } = await createLeasedRun(fixture);
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const address = fixture.server.fastify.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const listeners = readers === 0 ? null : await startReaders({ port, readers, path, token });

  const startedAt = performance.now();
  let [next, acked, lastSeq] = [1, 0, 0];
  const window = Array.from({ length: FRAMES_IN_FLIGHT }, async () => {
    while (performance.now() - startedAt < milliseconds) {
      while (next - (listeners?.received() ?? next) > LAG_MAX) await listeners?.progress();
      const first = next;
      next += FRAME;
      const stored = await fixture.bus.ingest(owner, id, 1, items(first));
      if (stored.kind === "fenced") throw new Error("a frame was rejected by its epoch");
      acked += FRAME;
      lastSeq = Math.max(lastSeq, stored.lastSeq);
    }
  });
  await Promise.all(window);
  const lost = listeners === null ? 0 : await listeners.end(lastSeq);
  return { rate: (1000 * acked) / (performance.now() - startedAt), lost };
}

function items(first: number): readonly BusItem[] {
  const from = { role: "coder", agent: "coder", cli: "codex", model: "gpt-5" } as const;
  return Array.from({ length: FRAME }, (_, index) => ({
    at: Date.now(),
    from,
    kind: index % 3 === 0 ? "message" : "log",
    text: index % 50 === 0 ? TEXT.repeat(20) : TEXT,
    data: index % 8 === 0 ? { path: "src/sum.ts", line: index, id: randomBytes(4).toString("hex") } : {},
    round: 1,
    wseq: first + index,
  }));
}

interface Listeners {
  /** The last number that the slowest reader has received. */
  received(): number;
  progress(): Promise<unknown>;
  /** Number of messages missed by all readers, once all have received this one. */
  end(last: number): Promise<number>;
}

interface Progress {
  readonly received: number;
  /** Number of readers whose byte count differs from the first one's. */
  readonly uneven: number;
  readonly missed: number;
}

async function startReaders(job: Readonly<Record<string, unknown>>): Promise<Listeners> {
  const child = fork(new URL("./bus-readers.ts", import.meta.url));
  let now: Progress = { received: 0, uneven: 0, missed: 0 };
  child.on("message", (progress: Progress) => (now = progress));
  child.send(job);
  await once(child, "message");
  return {
    received: () => now.received,
    progress: () => once(child, "message"),
    async end(last) {
      while (now.received < last) await once(child, "message");
      // The number of the last message arrives before its body.
      for (const late = performance.now() + LAST_MS; now.uneven > 0 && performance.now() < late;)
        await once(child, "message");
      child.kill();
      return now.missed + now.uneven;
    },
  };
}
