/** A run that says 20,000 things, several hundred a second, followed on screen: what it costs the browser. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { doneBy, openHouse, PATIENT, plant, SUM, type House } from "./house.ts";

let house: House;
before(async () => {
  if (skip === false) house = await openHouse();
});
after(async () => {
  if (skip === false) await house[Symbol.asyncDispose]();
});

const MESSAGES = 20_000;
/** Of one processor, while it follows. Other than the length of a task it does not depend on what else the machine does. */
const PROCESSOR_SHARE = 0.6;
const HEAP_BYTES = 150 * 1024 * 1024;
/** A line every 2 ms, each on its own. */
const TALK = `node -e 'let n = 0; const t = setInterval(() => { console.log("line " + ++n); if (n === ${MESSAGES}) { clearInterval(t); require("fs").writeFileSync("sum.mjs", "export const sum = (a, b) => a + b;\\n"); } }, 2)'`;

test(
  "a busy bus is followed with little of the processor and within its memory, and scrolls from end to end",
  { skip },
  async (context) => {
    const bare = join(house.stage.folder, "busy.git");
    await plant(bare, SUM);
    const made = await house.api("/api/repos", { method: "POST", body: { url: bare, ...doneBy(TALK) } });
    const run = await house.api(`/api/repos/${made.body.id}/run`, { method: "POST", body: {} });
    await using visit = await house.enter();
    const { page } = visit;
    await page.goto(`${house.panel.url}/runs/${run.body.id}`);
    await page.getByText("line 1", { exact: true }).waitFor(PATIENT);
    await page.evaluate(() => {
      const tasks: number[] = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: "longtask",
      });
      Object.assign(globalThis, { tasks });
    });
    const processor = await processorSeconds();
    const begun = performance.now();
    await page.getByText("Merge it where the repository lives.").waitFor({ timeout: 240_000 });
    const seconds = (performance.now() - begun) / 1_000;
    const share = ((await processorSeconds()) - processor) / seconds;
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize: heap } = await session.send("Runtime.getHeapUsage");
    const followed = await page.evaluate(() => (globalThis as unknown as { tasks: number[] }).tasks);
    const count = Number(await page.getByRole("tab", { name: /Bus/ }).locator("i").textContent());

    // From the end to the beginning and back, in steps of a screen.
    const frames = await page.evaluate(async () => {
      const bus = document.querySelector(".bus");
      if (bus === null) return [];
      const took: number[] = [];
      for (let step = 0; step < 240; step++) {
        const before = performance.now();
        bus.scrollTop = bus.scrollHeight * Math.abs(1 - step / 120);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        took.push(performance.now() - before);
      }
      return took.toSorted((one, other) => one - other);
    });
    const longest = Math.max(0, ...followed);
    context.diagnostic(
      `${count} messages, ${(count / seconds).toFixed(0)} a second, ${(share * 100).toFixed(0)} % of a processor; ${followed.length} tasks over 50 ms, the longest ${longest.toFixed(0)} ms; heap ${(heap / 2 ** 20).toFixed(0)} MiB; frames while scrolling: median ${frames[120]?.toFixed(1)} ms, p95 ${frames[228]?.toFixed(1)} ms`,
    );
    assert.ok(count >= MESSAGES / 2, `only ${count} messages came`);
    assert.ok(heap <= HEAP_BYTES, `${heap} bytes of heap`);
    assert.ok(share <= PROCESSOR_SHARE, `it took ${share} of a processor`);
    assert.deepEqual(visit.complaints, []);
  },
);

/** Of the processes that show pages. */
async function processorSeconds(): Promise<number> {
  const session = await house.browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
