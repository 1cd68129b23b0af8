/**
 * Five readers of one busy run, each behind a connection that is cut a hundred times at random, and a panel that is killed and restarted:
 * each reader has every message once, in order.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { withoutBrowser as skip } from "@triptych/server/testing";
import type { Page } from "playwright-core";
import { openCuttingProxy, type CuttingProxy } from "./cutting-proxy.ts";
import { addRepo, openVisit, LONG_TIMEOUT, startRun, startWorker, type PanelFixture } from "./panel-fixture.ts";
import { withPanel } from "./with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened), { PANEL_EMBEDDED_WORKER: "0" });

const READERS = 5;
const CUTS_OF_EACH = 100;
const MESSAGES = 20_000;
/** Prints until it is stopped, so that every cut can lose messages. */
const TALK = `node -e 'let n = 0; setInterval(() => console.log("line " + ++n), 8)'`;
/** Each cut costs a second, the browser's reconnect delay. */
const patient = { skip, timeout: 600_000 };

test("shows every message once after 500 cut connections and a killed panel", patient, async (context) => {
  await using _worker = await startWorker(fixture, "steady");
  const run = await startRun(fixture, await addRepo(fixture, "talkative", { command: TALK }));
  const path = `/runs/${run}`;
  await using first = await fixture.enter();
  const storageState = await first.page.context().storageState();
  await using opened = new AsyncDisposableStack();
  const readers: { readonly page: Page; readonly proxy: CuttingProxy }[] = [];
  for (let reader = 0; reader < READERS; reader++) {
    const proxy = opened.use(await openCuttingProxy(fixture.panel.url));
    const { page } = opened.use(await openVisit(fixture.browser, { storageState }));
    await page.goto(proxy.url + path);
    await page.getByRole("tab", { name: /Activity/ }).waitFor(LONG_TIMEOUT);
    readers.push({ page, proxy });
  }

  const cutting = (times: number) => Promise.all(readers.map(({ proxy }) => cutAtRandom(proxy, times)));
  await cutting(CUTS_OF_EACH / 2);
  await fixture.panel.end("SIGKILL");
  await fixture.installation.startPanel({
    PANEL_PORT: new URL(fixture.panel.url).port,
    PANEL_EMBEDDED_WORKER: "0",
    PANEL_ALLOW_LOCAL_REPOS: "1",
  });
  await cutting(CUTS_OF_EACH / 2);
  const lastSeq = async () => Number((await fixture.api(`/api/runs/${run}`)).body.bus.last_seq);
  while ((await lastSeq()) < MESSAGES) await wait(1_000);
  await fixture.api(`/api/runs/${run}/cancel`, { method: "POST" });
  for (const { page } of readers) await page.getByText("complete", { exact: true }).waitFor({ timeout: 240_000 });
  const last = await lastSeq();
  const faults = await Promise.all(readers.map(({ page }) => page.evaluate(walk, last)));
  context.diagnostic(
    `${last} messages, ${READERS * CUTS_OF_EACH} cuts, ${READERS} readers: ${faults.flat().length} gaps and doubles`,
  );
  assert.deepEqual(faults.flat(), []);
  for (const { page } of readers)
    assert.equal(
      Number(
        await page
          .getByRole("tab", { name: /Activity/ })
          .locator("i")
          .textContent(),
      ),
      last,
    );
});

/** Cuts the bus stream this many times, each time a moment after it has reconnected. */
async function cutAtRandom(proxy: CuttingProxy, times: number): Promise<void> {
  for (let cut = 0; cut < times;) {
    await wait(Math.random() * 300);
    cut += proxy.cut();
  }
}

/** Scrolls from the first row to the last, screen by screen; returns the rows that are out of order. */
async function walk(last: number): Promise<string[]> {
  const bus = document.querySelector(".bus");
  if (bus === null) return ["the page has no bus"];
  document.querySelector<HTMLInputElement>(".bus-bar input:checked")?.click();
  const faults: string[] = [];
  let seen = 0;
  for (let top = 0, idle = 0; seen < last && idle < 20; top += bus.clientHeight) {
    bus.scrollTop = top;
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const rows = Array.from(document.querySelectorAll("[data-row]"), (row) => Number(row.getAttribute("data-row")));
    for (const [index, row] of rows.entries()) {
      const expected = index === 0 ? Math.min(row, seen + 1) : (rows[index - 1] ?? 0) + 1;
      if (row !== expected) faults.push(`${row} instead of ${expected}`);
    }
    const furthest = rows.at(-1) ?? 0;
    idle = furthest > seen ? 0 : idle + 1;
    seen = Math.max(seen, furthest);
  }
  return seen === last ? faults : [...faults, `it ends with ${seen} instead of ${last}`];
}
