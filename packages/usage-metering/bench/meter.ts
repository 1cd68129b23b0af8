/**
 * Measures the cost of the embedded meter per request: key lookup, admission, settling, headers, group commits. Prints
 * CPU microseconds per request for the serving thread (bar: 25) and for all other threads, compared with the 500 µs
 * available at 2 000 requests per second on one core. `node packages/usage-metering/bench/meter.ts`
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@triptych/storage";
import { createKeys, liveAndTest, openKeyCache, openKeyStore, type ApiKeyTables } from "@triptych/api-keys";
import { createSlidingWindow, rateLimitHeaders } from "@triptych/rate-limit";
import { definePlans, meteringMigrations, openEmbeddedMeter, type MeteringTables } from "../src/index.ts";

/**
 * Requests that arrive during a commit at 3 500 per second. There are as many keys, so that few rows of a batch share
 * one.
 */
const BURST = 110;
const BURSTS = 300;
const WAIT_MS = 33;
const KEYS = 3000;
const BUDGET_MICROS = 500;
const BAR_MICROS = 25;

const folder = await mkdtemp(join(tmpdir(), "triptych-meter-bench-"));
try {
  const url = `sqlite:${join(folder, "store.db")}`;
  await using database = await openDatabase<MeteringTables & ApiKeyTables>({
    url,
    schema: "bench",
    migrations: [meteringMigrations],
  });
  const plans = definePlans([
    { id: "pro", itemsPerDay: null, requestsPerMinute: 120, raisable: true, tiers: [{ upTo: null, priceMicro: 100 }] },
  ]);
  const forms = liveAndTest("dir");
  const store = openKeyStore(database);
  const shared = { clock: Date.now, random: randomBytes };
  const keys = createKeys({ store, plans, forms, ...shared });
  const secrets: string[] = [];
  for (let index = 0; index < KEYS; index++)
    secrets.push((await keys.create({ name: `key ${index}`, plan: "pro", test: false })).secret);
  const onFault = (fault: unknown): void => void process.stderr.write(`${String(fault)}\n`);
  await using ring = await openKeyCache({ store, forms, clock: Date.now, onError: onFault });
  await using meter = await openEmbeddedMeter({
    database,
    plans,
    window: createSlidingWindow(),
    onError: onFault,
    ...shared,
  });
  const names = { minute: "minute", day: "items-day", unit: "items" };

  let accepted = 0;
  const cpu = process.threadCpuUsage();
  const all = process.cpuUsage();
  for (let index = 0; index < BURST * BURSTS; index++) {
    const found = ring.verify(secrets[index % secrets.length] ?? "");
    if (found.state !== "valid") throw new Error(found.state);
    const admission = await meter.admit(found.key, 20);
    if (admission.verdict !== "accepted") throw new Error(admission.verdict);
    accepted += Object.keys(rateLimitHeaders(admission.rateLimit, names, 20)).length > 0 ? 1 : 0;
    await meter.settle(admission.reservation, {
      requestId: `r${index}`,
      route: "/api/items",
      status: 200,
      items: 20,
      bytes: 15_000,
      geo: false,
    });
    if (index % BURST === BURST - 1) await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  await meter.flush();
  const micros = (used: NodeJS.CpuUsage) => (used.user + used.system) / accepted;
  const [serving, whole] = [micros(process.threadCpuUsage(cpu)), micros(process.cpuUsage(all))];
  process.stdout.write(
    `${accepted} requests: ${serving.toFixed(1)} µs of the serving thread each (bar ${BAR_MICROS}), ${(whole - serving).toFixed(1)} µs of the others, ` +
      `${((100 * whole) / BUDGET_MICROS).toFixed(1)} % of ${BUDGET_MICROS} µs\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
