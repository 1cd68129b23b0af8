/**
 * `npm run bench:map -- [--items N] [--seconds S] [--data FOLDER]`: the map of a directory with many items in Chromium. Loads all of them
 * as points, then pans and zooms. Prints the CPU time of the main thread per animation frame, that of the other threads of the renderer,
 * which run beside it, and the longest task. Headless Chromium has no graphics card: WebGL is computed in another process, whose time is
 * not counted.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser, openPage } from "@triptych/server/testing";
import { builtWebSite } from "@triptych/web/build";
import type { Page } from "playwright-core";
import { machine } from "../../packages/decisions/bench/report.ts";
import { writeImportFile, writeMapping } from "../../services/directory/bench/http-import-file.ts";
import { start } from "../../services/directory/src/service.ts";
import { runCommand } from "../../services/directory/test/support/run-command.ts";
import { quantile, tasksDuring, type Tasks } from "./tasks.ts";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "100000" },
    seconds: { type: "string", default: "10" },
    data: { type: "string" },
  },
});
const ITEMS = Number(values.items);
const SECONDS = Number(values.seconds);
if (!(ITEMS >= 1_000 && ITEMS <= 1_000_000 && SECONDS > 0)) throw new RangeError("items are 1,000 to 1,000,000");

const FRAME_MS = 20;
const TASK_MS = 100;
const LOADED_MS = 300_000;
/** The number of names in a breakdown. */
const NAMES = 7;
const WAYS = { x: 640, y: 400, far: 260 };

const failed: string[] = [];
/** A folder that was passed in is kept, so its items are imported only once. */
const folder = values.data ?? (await mkdtemp(join(tmpdir(), "triptych-map-")));
try {
  await run(folder);
} finally {
  if (values.data === undefined) await rm(folder, { recursive: true, force: true });
}
if (failed.length > 0) throw new Error(failed.join("\n"));

async function run(data: string): Promise<void> {
  print(`${machine()}; ${ITEMS} items`);
  const key = await fillDirectory(data);
  const environment = { TRIPTYCH_DATA: data, DIRECTORY_PORT: "0", LOG_LEVEL: "silent", NODE_ENV: "test" };
  await using parts = new AsyncDisposableStack();
  const service = parts.adopt(await start(environment, { mapFolder: builtWebSite("map") }), (started) =>
    started.stop(),
  );
  const browser = parts.adopt(await openBrowser(), (launched) => launched.close());
  const address = `${service.url}/carte?lang=en#key=${key}`;
  await using opened = await openPage(browser, address, { viewport: { width: 1280, height: 800 } });
  const { page } = opened;
  await page.locator("#load-all").waitFor();
  await page.locator("#map").hover();
  await page.locator("body[data-map='live']").waitFor();
  print(`heap ${await heapMib(page)} MiB with counts`);
  const counts = await tasksDuring(page, () => roam(page));
  report("counts: pan and zoom", counts, { frames: true });

  const begun = performance.now();
  const loading = await tasksDuring(page, async () => {
    await page.locator("#load-all").click();
    await page.locator("#load-all").waitFor({ state: "hidden", timeout: LOADED_MS });
    await page.locator("#map[aria-busy='false']").waitFor({ timeout: LOADED_MS });
  });
  print(`loaded in ${((performance.now() - begun) / 1000).toFixed(1)} s, heap ${await heapMib(page)} MiB`);
  report("loading all points", loading, { frames: false });
  report("points: pan and zoom", await tasksDuring(page, () => roam(page)), { frames: true });
  report("points: open, close and filter", await tasksDuring(page, () => use(page)), { frames: false });
  if (opened.complaints.length > 0) failed.push(...opened.complaints);
}

/** Imports the items and creates a key without a daily quota. */
async function fillDirectory(data: string): Promise<string> {
  await mkdir(data, { recursive: true });
  const [file, mapping] = [join(data, "items.ndjson"), join(data, "mapping.json")];
  if (!existsSync(mapping)) {
    await writeImportFile(file, ITEMS, "bench");
    await writeMapping(mapping);
    await command(data, ["import", file, "--type", "place", "--map", mapping, "--mode", "replace", "--yes"]);
  }
  const create = ["keys", "create", "--name", "bench", "--plan", "pro", "--daily-items", "none", "--test"];
  const [key] = /dir_test_\w+/.exec(await command(data, create)) ?? [];
  if (key === undefined) throw new Error("no key was printed");
  return key;
}

async function command(data: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, { data });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Drags and turns the wheel over the whole of France, down to one town and back. */
async function roam(page: Page): Promise<void> {
  const until = performance.now() + SECONDS * 1000;
  const { x, y, far } = WAYS;
  const box = (await page.locator("#map").boundingBox()) ?? { x: 0, y: 0 };
  const [left, top] = [box.x + x / 2, box.y + y / 2];
  for (let turn = 0; performance.now() < until; turn++) {
    await page.mouse.move(left, top);
    await page.mouse.down();
    const way = turn % 2 === 0 ? 1 : -1;
    for (let step = 1; step <= 40; step++)
      await page.mouse.move(left + (way * far * step) / 40, top + (way * step) / 2);
    await page.mouse.up();
    for (let notch = 0; notch < 12; notch++) {
      await page.mouse.wheel(0, turn % 4 < 2 ? -120 : 120);
      await page.waitForTimeout(50);
    }
  }
}

/** Acts like a visitor of a full map. */
async function use(page: Page): Promise<void> {
  const row = page.locator("#list button.row").first();
  await row.click();
  await page.locator(".popup-title").waitFor();
  await row.click();
  await page.locator("#more").click();
  await page.locator("#list > li").nth(99).waitFor();
  await page.locator("#zoom-home").click();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(1000);
}

function report(name: string, tasks: Tasks, { frames }: { readonly frames: boolean }): void {
  const { cost, lasted, spent } = tasks;
  const total = spent.reduce((sum, [, ms]) => sum + ms, 0);
  const perFrame = total / Math.max(1, tasks.frames);
  const longest = cost[0] ?? 0;
  const shares = spent.slice(0, NAMES).map(([part, ms]) => `${part} ${((100 * ms) / total).toFixed(0)} %`);
  print(`\n${name}`);
  if (frames)
    print(
      `  ${tasks.frames} frames, ${(tasks.frames / tasks.seconds).toFixed(0)} a second; ${perFrame.toFixed(1)} ms of CPU a frame`,
    );
  print(
    `  tasks: longest ${longest.toFixed(0)} ms of CPU (${(lasted[0] ?? 0).toFixed(0)} ms elapsed), p99 ${quantile(cost, 0.99).toFixed(1)} ms; ${total.toFixed(0)} ms together`,
  );
  print(`  ${shares.join(", ")}`);
  if (frames) {
    const besides = tasks.besides.map(([thread, ms]) => `${thread} ${(ms / Math.max(1, tasks.frames)).toFixed(1)} ms`);
    const all = tasks.besides.reduce((sum, [, ms]) => sum + ms, total) / Math.max(1, tasks.frames);
    print(
      `  all threads of the renderer ${all.toFixed(1)} ms of CPU a frame; beside the main thread: ${besides.join(", ")}`,
    );
  }
  if (longest > TASK_MS) failed.push(`${name}: a task took ${longest.toFixed(0)} ms`);
  if (frames && perFrame > FRAME_MS) failed.push(`${name}: a frame took ${perFrame.toFixed(1)} ms`);
}

async function heapMib(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return (usedSize / 2 ** 20).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
