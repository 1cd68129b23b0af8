/**
 * `npm run bench:dashboard -- [--minutes N] [--rate LINES_A_SECOND]`: a busy bus on screen. Each line contains its print time, and its
 * delay is measured in worker, panel, stream, browser and rendering. Prints delays and memory after garbage collection every minute, and
 * compares the first minute with the last.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { addRepo, openPanelFixture, LONG_TIMEOUT, startRun, type PanelFixture } from "./panel-fixture.ts";
import { quantile } from "./tasks.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, rate: { type: "string", default: "200" } },
});
const MINUTES = Number(values.minutes);
const RATE = Number(values.rate);
if (!(MINUTES > 0 && RATE > 0 && RATE <= 1_000)) throw new RangeError("minutes are above 0, the rate is 1 to 1000");

const STATIONS = ["heard", "kept", "streamed", "in the browser", "drawn"] as const;
type Station = (typeof STATIONS)[number];

/** Until the last sample is taken. */
const TALKS_ON_MS = 20_000;
/** Late prints catch up, to keep the requested rate. */
const TALK = `node -e '
const begun = Date.now();
let printed = 0;
const change = (sum) => require("fs").writeFileSync("sum.mjs", "export const sum = (a, b) => a " + sum + " b;\\n");
const timer = setInterval(() => {
  const passed = Date.now() - begun;
  while (printed < passed * ${RATE / 1_000}) console.log("line " + ++printed + " at " + Date.now());
  if (passed < ${MINUTES * 60_000 + TALKS_ON_MS}) return;
  clearInterval(timer);
  change("+");
}, 1);'`;

await using fixture = await openPanelFixture();
const runId = await startTalking(fixture);
await using visit = await fixture.enter();
const { page } = visit;
await page.addInitScript(noteArrivals);
await page.goto(`${fixture.panel.url}/runs/${runId}`);
await page
  .getByText(/^line \d+ at \d+$/)
  .first()
  .waitFor(LONG_TIMEOUT);

const ending = new AbortController();
const streamed = new Map<number, number>();
const reading = readStream(runId, streamed, ending.signal);
using store = new DatabaseSync(join(fixture.installation.folder, "data", "panel.db"), { readOnly: true });
const chunks = store.prepare(
  "select first_seq, last_seq, at, items from bus_chunk where run_id = ? and last_seq > ? order by first_seq",
);

const reports: Report[] = [];
const begun = Date.now();
for (let minute = 0, after = 0, processor = await processorSeconds(); minute <= MINUTES; minute++) {
  const { report, last } = await sample(after);
  const spent = await processorSeconds();
  const entry = { ...report, minute, share: minute === 0 ? 0 : (spent - processor) / 60 };
  reports.push(entry);
  process.stdout.write(`${formatReport(entry)}\n`);
  after = last;
  processor = spent;
  if (minute < MINUTES) await page.waitForTimeout(Math.max(0, begun + (minute + 1) * 60_000 - Date.now()));
}
await page.getByText("Merge the branch on your Git host.").waitFor({ timeout: 300_000 });
ending.abort();
await reading;
const [first, last] = [reports[1], reports.at(-1)];
if (first !== undefined && last !== undefined)
  process.stdout.write(
    `heap ${mib(first.heap)} MiB after the first minute, ${mib(last.heap)} MiB after ${MINUTES} and ${last.count} messages; ${((last.heap - first.heap) / (last.count - first.count)).toFixed(0)} bytes a message; ${last.nodes} elements\n`,
  );
if (visit.complaints.length > 0) throw new Error(visit.complaints.join("\n"));

interface Report {
  readonly minute: number;
  readonly count: number;
  readonly perFrame: number;
  readonly lags: ReadonlyMap<Station, readonly number[]>;
  readonly heap: number;
  readonly nodes: number;
  /** The share of one CPU core. */
  readonly share: number;
}

async function startTalking(fixture: PanelFixture): Promise<string> {
  const limits = { timeout_s: Math.ceil(MINUTES * 60) + 600 };
  return startRun(fixture, await addRepo(fixture, "busy", { command: TALK, limits }));
}

/** Delays per station of the last lines on screen. */
async function sample(after: number) {
  const seen = await page.evaluate(arrivals);
  const lags = new Map<Station, number[]>(STATIONS.map((station) => [station, []]));
  let [frames, lines] = [0, 0];
  for (const row of chunks.all(runId, after)) {
    frames++;
    const texts = String(row["items"]).split("\n");
    lines += texts.length;
    for (const [offset, text] of texts.entries()) {
      const { at, text: printedText }: { at: string; text: string } = JSON.parse(text);
      const printed = Number(/ at (\d+)/.exec(printedText)?.[1] ?? Number.NaN);
      if (Number.isNaN(printed)) continue;
      const seq = Number(row["first_seq"]) + offset;
      const times = [Date.parse(at), Number(row["at"]), streamed.get(seq), seen.came[seq], seen.drawn[seq]];
      for (const [index, time] of times.entries())
        if (time !== undefined) lags.get(STATIONS[index] ?? "heard")?.push(time - printed);
    }
    after = Number(row["last_seq"]);
  }
  streamed.clear();
  const { heap, nodes } = await memoryOf(page);
  const count = Number(
    await page
      .getByRole("tab", { name: /Activity/ })
      .locator("i")
      .textContent(),
  );
  return { report: { count, perFrame: lines / Math.max(1, frames), lags, heap, nodes }, last: after };
}

function formatReport({ minute, count, perFrame, lags, heap, nodes, share }: Report): string {
  const late = STATIONS.map((station) => {
    const all = (lags.get(station) ?? []).toSorted((one, other) => other - one);
    return `${station} ${quantile(all, 0.5).toFixed(0)}/${quantile(all, 0.95).toFixed(0)}`;
  });
  return `${String(minute).padStart(3)} min  ${count} messages  ${perFrame.toFixed(1)} a frame  ms late (median/p95): ${late.join(", ")}  heap ${mib(heap)} MiB  ${nodes} elements  ${(share * 100).toFixed(0)} % of a processor`;
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

/** A second reader of the stream, to isolate the browser's share. */
async function readStream(id: string, came: Map<number, number>, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${fixture.panel.url}/api/runs/${id}/bus`, {
    headers: { Authorization: `Bearer ${fixture.keys.access_token}`, Accept: "text/event-stream" },
    signal,
  });
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) {
      const now = Date.now();
      for (const [, seq] of decoder.decode(piece, { stream: true }).matchAll(/^id: ?(\d+)$/gm))
        came.set(Number(seq), now);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Arrivals {
  came: Record<number, number>;
  drawn: Record<number, number>;
}

/** Runs before the page loads: records when a message leaves the stream, and when its row is the last in the page. */
function noteArrivals(): void {
  const noted: Arrivals = { came: {}, drawn: {} };
  Object.assign(globalThis, { noted });
  const Plain = globalThis.EventSource;
  globalThis.EventSource = class extends Plain {
    constructor(address: string | URL, settings?: EventSourceInit) {
      super(address, settings);
      this.addEventListener("message", ({ lastEventId }) => {
        if (lastEventId !== "") noted.came[Number(lastEventId)] = Date.now();
      });
    }
  };
  const poll = () => {
    const rows = document.querySelectorAll("[data-row]");
    const row = Number(rows[rows.length - 1]?.getAttribute("data-row") ?? 0);
    if (row > 0) noted.drawn[row] ??= Date.now();
    requestAnimationFrame(poll);
  };
  requestAnimationFrame(poll);
}

/** Also clears the records, so that they do not count as the page's memory. */
function arrivals(): Arrivals {
  const { noted } = globalThis as unknown as { readonly noted: Arrivals };
  const taken = { ...noted };
  noted.came = {};
  noted.drawn = {};
  return taken;
}

async function memoryOf(page: Page): Promise<{ readonly heap: number; readonly nodes: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return { heap: usedSize, nodes: await page.evaluate(() => document.querySelectorAll("*").length) };
}

/** CPU seconds of the renderer processes. */
async function processorSeconds(): Promise<number> {
  const session = await fixture.browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
