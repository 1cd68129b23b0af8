/**
 * Measures the restart of a rail with many charges after `kill -9`: from the start of the process, as from the command
 * line, to the first 201. Also measures how long it takes only to open the store.
 *
 *     node services/rail/chaos/restart.ts [--charges N] [--times N] [--folder DIR]
 */
import { createHash } from "node:crypto";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createHttpTransport } from "@triptych/billing-client";
import { openStore } from "../src/store/open-store.ts";
import { buildLedger, tokenOf } from "./build-ledger.ts";
import { findPort } from "./find-port.ts";

export interface RestartFigures {
  readonly charges: number;
  /** Milliseconds to open the store and read one wallet, after each `kill -9`. */
  readonly openMs: readonly number[];
  /** Milliseconds from process start to the first charge with 201, after each `kill -9`. */
  readonly firstChargeMs: readonly number[];
}

const START = fileURLToPath(new URL("../../../start.mjs", import.meta.url));
const STARTS_WITHIN_MS = 60_000;
/** Number of charges before each kill, so that there is a WAL to recover. */
const CHARGED = 400;

export async function measureRestart(options: {
  readonly charges: number;
  readonly times: number;
  /** A folder on the disk to measure. */
  readonly folder: string;
}): Promise<RestartFigures> {
  await using opened = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(options.folder, "triptych-restart-"));
  opened.defer(() => rm(dataFolder, { recursive: true, force: true }));
  await buildLedger(dataFolder, options.charges);
  const port = await findPort();
  const openMs: number[] = [];
  const firstChargeMs: number[] = [];
  // The first start is not measured, because it compiles the program and follows no kill.
  for (let time = 0; time <= options.times; time++) {
    const startedAt = performance.now();
    const rail = await startRail({ dataFolder, port });
    opened.defer(() => kill(rail.process));
    if (time > 0) firstChargeMs.push(performance.now() - startedAt);
    for (let charged = 0; charged < CHARGED; charged += 64) await rail.charge(64);
    await kill(rail.process);
    if (time > 0) openMs.push(await measureOpening(dataFolder));
  }
  await proveSound(dataFolder);
  return { charges: options.charges, openMs, firstChargeMs };
}

interface Rail {
  readonly process: ChildProcess;
  charge(count: number): Promise<void>;
}

/** Resolves when a charge first gets 201. */
async function startRail({ dataFolder, port }: { readonly dataFolder: string; readonly port: number }): Promise<Rail> {
  const child = spawn(process.execPath, [START, "start", "rail"], {
    env: { TRIPTYCH_DATA: dataFolder, RAIL_PORT: String(port), LOG_LEVEL: "error" },
    stdio: "ignore",
  });
  const serviceToken = async () => (await readFile(join(dataFolder, "service-token"), "utf8")).trim();
  const boot = `b-${child.pid}`;
  const end = performance.now() + STARTS_WITHIN_MS;
  for (;;) {
    try {
      const token = await serviceToken();
      const transport = createHttpTransport({ url: `http://127.0.0.1:${port}`, serviceToken: () => token });
      await transport.hello({ instance: "restart", boot });
      let seq = 0;
      const charge = async (count: number) => {
        const charges = Array.from({ length: count }, () => askFor(++seq));
        const ack = { through: seq - count, also: [] };
        const results = await transport.charge({ instance: "restart", boot, ack, voids: [], charges });
        if (results === "fenced" || results.some(({ status }) => status !== 201))
          throw new Error("a charge was rejected");
      };
      await charge(1);
      return { process: child, charge };
    } catch (error) {
      if (child.exitCode !== null || performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function askFor(seq: number) {
  const digest = "r".repeat(43);
  const wallet_hash = createHash("sha256")
    .update(tokenOf(seq % 1000))
    .digest("hex");
  return { seq, wallet_hash, op: "route", qty: 1 as const, price_id: "decision-v1", req: digest, res: digest };
}

async function measureOpening(dataFolder: string): Promise<number> {
  const startedAt = performance.now();
  await using store = await openStore({ dataFolder, databaseUrl: undefined });
  const hash = createHash("sha256").update(tokenOf(1)).digest("hex");
  const wallet = await store.ledger.walletOf(hash, Date.now());
  if (wallet === null) throw new Error("a wallet is missing");
  return performance.now() - startedAt;
}

async function proveSound(dataFolder: string): Promise<void> {
  await using store = await openStore({ dataFolder, databaseUrl: undefined });
  const { ok, violations } = await store.ledger.audit();
  if (!ok) throw new Error(`audit violations: ${JSON.stringify(violations.slice(0, 3))}`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      charges: { type: "string", default: "1000000" },
      times: { type: "string", default: "5" },
      folder: { type: "string", default: tmpdir() },
    },
  });
  const before = loadavg().map((load) => load.toFixed(1));
  const figures = await measureRestart({
    charges: Number(values.charges),
    times: Number(values.times),
    folder: values.folder,
  });
  const show = (all: readonly number[]) => {
    const sorted = all.toSorted((first, other) => first - other);
    return `median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} ms, all ${sorted.map((ms) => ms.toFixed(0)).join(" ")}`;
  };
  process.stdout.write(
    `${figures.charges} charges; load of the machine ${before.join(" ")} before, ${loadavg()[0]?.toFixed(1)} now\n` +
      `opening the store     ${show(figures.openMs)}\n` +
      `start to first 201    ${show(figures.firstChargeMs)}\n`,
  );
}
