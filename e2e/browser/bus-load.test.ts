/** The browser's cost of a run with 20,000 messages at several hundred a second. BUS_MESSAGES changes the number. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import type { Page } from "playwright-core";
import { addRepo, LONG_TIMEOUT, startRun, type PanelFixture } from "./panel-fixture.ts";
import { quantile, tasksDuring } from "./tasks.ts";
import { withPanel } from "./with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

const MESSAGES = Number(process.env["BUS_MESSAGES"] ?? 20_000);
/** CPU share per 200 messages a second: the rate itself depends on the machine. */
const PROCESSOR_SHARE = 0.4;
const HEAP_BYTES = 150 * 1024 * 1024;
/** CPU time of one task: above it, keyboard input feels slow. */
const TASK_MS = 100;
const FRAME_MS = 1_000 / 60;
/** The number of frames to scroll. */
const FRAMES = 400;
const LAST_SECONDS = 20;
/** Prints a separate line every 2 ms and makes a wrong change, which the next round repairs without output. */
const TALK = `node -e '
const fs = require("fs");
const change = (sum) => fs.writeFileSync("sum.mjs", "export const sum = (a, b) => a " + sum + " b;\\n");
if (fs.readFileSync("sum.mjs", "utf8").includes("*")) change("+");
else {
  let n = 0;
  const timer = setInterval(() => {
    console.log("line " + ++n);
    if (n < ${MESSAGES}) return;
    clearInterval(timer);
    change("*");
  }, 2);
}'`;

test("follows a busy bus within its CPU and memory budgets, and scrolls from end to end", { skip }, async (context) => {
  const run = await startRun(fixture, await addRepo(fixture, "busy", { command: TALK }));
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.addInitScript(noteFirstLine);
  await page.goto(`${fixture.panel.url}/runs/${run}`);
  await page
    .getByText(/^line \d+/)
    .first()
    .waitFor(LONG_TIMEOUT);
  await page.reload();
  await page.getByText("live", { exact: true }).waitFor(LONG_TIMEOUT);
  const firstLine = await page.evaluate(() => performance.getEntriesByName("first-line")[0]?.startTime ?? Infinity);
  const processor = await processorSeconds();
  const begun = performance.now();
  await page.waitForFunction(isBeyond, MESSAGES * 0.7, { timeout: MESSAGES * 12, polling: 500 });
  const lags: number[] = [];
  let last = 0;
  const following = await tasksDuring(page, async () => {
    for (let second = 0; second < LAST_SECONDS; second++) {
      await page.waitForTimeout(1_000);
      const [key, lag] = await page.evaluate(lagOfLastLine);
      // On an idle bus only the last line's age changes.
      if (key !== last) lags.push(lag);
      last = key;
    }
  });
  await page.getByText("Merge the branch on your Git host.").waitFor({ timeout: 240_000 });
  const seconds = (performance.now() - begun) / 1_000;
  const share = ((await processorSeconds()) - processor) / seconds;
  const heap = await heapOf(page);
  const count = Number(
    await page
      .getByRole("tab", { name: /Activity/ })
      .locator("i")
      .textContent(),
  );
  context.diagnostic(
    `${count} messages, ${(count / seconds).toFixed(0)} a second, ${(share * 100).toFixed(0)} % of a processor, heap ${(heap / 2 ** 20).toFixed(0)} MiB`,
  );
  context.diagnostic(
    `tasks while following, beyond ${MESSAGES * 0.7} messages: longest ${figures(following.lasted)} by the clock, ${figures(following.cost)} of the processor`,
  );

  context.diagnostic(
    `first line ${firstLine.toFixed(0)} ms after navigation; a line is shown ${quantile(lags.toSorted(down), 0.5).toFixed(0)} ms after the worker received it (median), ${quantile(lags.toSorted(down), 0.95).toFixed(0)} ms (p95)`,
  );

  // Scrolls up and down at full speed, a screen per frame.
  const scrolling = await tasksDuring(page, () => page.evaluate(scrollThrough, FRAMES));
  // Jumps from a distant row to the error by a key.
  await page.locator(".bus").evaluate((bus) => (bus.scrollTop = 0));
  await page.keyboard.press("n");
  await page.locator(".message.chosen.error").waitFor(LONG_TIMEOUT);
  assert.ok(await page.locator(".message.chosen").evaluate(isVisible));
  const opened = await tasksDuring(page, async () => {
    await page.reload();
    await page.getByText("complete", { exact: true }).waitFor(LONG_TIMEOUT);
  });
  // Each frame is one relevant task among many trivial ones.
  const ofFrames = scrolling.cost.slice(0, FRAMES);
  context.diagnostic(
    `frames while scrolling, a screen each: longest ${ofFrames[0]?.toFixed(0)} ms of the processor, p95 ${quantile(ofFrames, 0.95).toFixed(1)} ms, median ${quantile(ofFrames, 0.5).toFixed(1)} ms`,
  );
  context.diagnostic(`tasks during a reload: ${figures(opened.cost)} of the processor`);
  assert.equal(
    Number(
      await page
        .getByRole("tab", { name: /Activity/ })
        .locator("i")
        .textContent(),
    ),
    count,
  );

  assert.ok(count >= MESSAGES / 2, `only ${count} messages came`);
  assert.ok(heap <= HEAP_BYTES, `${heap} bytes of heap`);
  assert.ok((share * 200 * seconds) / count <= PROCESSOR_SHARE, `it took ${share} of a processor`);
  for (const { cost } of [following, scrolling, opened])
    assert.ok((cost[0] ?? 0) <= TASK_MS, `a task took ${cost[0]} ms of the processor`);
  assert.ok(quantile(ofFrames, 0.95) <= FRAME_MS, `p95 of scrolling ${quantile(ofFrames, 0.95)} ms`);
  assert.deepEqual(visit.complaints, []);
});

const down = (one: number, other: number) => other - one;

/** Runs before the page loads. */
function noteFirstLine(): void {
  const poll = () => {
    if (document.querySelector("[data-row]") === null) requestAnimationFrame(poll);
    else performance.mark("first-line");
  };
  requestAnimationFrame(poll);
}

/** The number of the last line, and the time since its worker received it. */
function lagOfLastLine(): [number, number] {
  const rows = document.querySelectorAll("[data-row]");
  const row = rows[rows.length - 1];
  const at = row?.querySelector("time")?.getAttribute("datetime") ?? "";
  return [Number(row?.getAttribute("data-row")), Date.now() - Date.parse(at)];
}

function figures(longestFirst: readonly number[]): string {
  return `${(longestFirst[0] ?? 0).toFixed(0)} ms (p99 ${quantile(longestFirst, 0.99).toFixed(1)}, p95 ${quantile(longestFirst, 0.95).toFixed(1)} ms)`;
}

function isBeyond(count: number): boolean {
  const tab = document.querySelector("[role=tab] i");
  return Number(tab?.textContent ?? 0) >= count || document.querySelector(".outcome")?.textContent !== "";
}

async function scrollThrough(frames: number): Promise<void> {
  const bus = document.querySelector(".bus");
  if (bus === null) return;
  for (let frame = 0; frame < frames; frame++) {
    bus.scrollTop += frame < frames / 2 ? -bus.clientHeight : bus.clientHeight;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

function isVisible(row: Element): boolean {
  const [bus, own] = [row.closest(".bus")?.getBoundingClientRect(), row.getBoundingClientRect()];
  return bus !== undefined && own.top >= bus.top && own.bottom <= bus.bottom;
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

/** CPU seconds of the renderer processes. */
async function processorSeconds(): Promise<number> {
  const session = await fixture.browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
