/** A run from start to end: followed through cut connections, cancelled, retried, its pull request recovered. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { withoutBrowser as skip } from "@triptych/server/testing";
import type { Page } from "playwright-core";
import { openCuttingProxy } from "../cutting-proxy.ts";
import {
  addRepo,
  commandSettings,
  FORGE_TOKEN,
  LONG_TIMEOUT,
  plant,
  startRun,
  SUM,
  type PanelFixture,
} from "../panel-fixture.ts";
import { withPanel } from "../with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

const seqsOn = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll("[data-row]"), (row) => Number(row.getAttribute("data-row"))),
  );

test("adds a repo, starts a run and shows its complete bus across 50 cut connections", { skip }, async () => {
  await using proxy = await openCuttingProxy(fixture.panel.url);
  const bare = join(fixture.installation.folder, "talkative.git");
  await plant(bare, SUM);
  await using visit = await fixture.enter({}, proxy.url);
  const { page } = visit;
  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await page.getByRole("link", { name: "Add a repo" }).click();
  await page.getByLabel("Address", { exact: true }).fill(bare);
  await page.getByLabel("Test command").fill("node test.mjs");
  await page.getByRole("button", { name: "Add repo" }).click();
  await page.getByText("Connected to").waitFor(LONG_TIMEOUT);
  const { body } = await fixture.api("/api/repos?q=talkative");
  const talk =
    "i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo line $i; sleep 0.08; done; sed -i 's/a - b/a + b/' sum.mjs";
  await fixture.api(`/api/repos/${body.items[0].id}`, { method: "PATCH", body: commandSettings(talk) });
  await page.getByLabel("Focus of this run").fill("Repair the sum.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "Repair the sum." }).waitFor(LONG_TIMEOUT);
  await page.getByText("line 1", { exact: true }).waitFor(LONG_TIMEOUT);

  let cuts = 0;
  while (cuts < 50) {
    if (proxy.cut() > 0) cuts++;
    await wait(Math.random() * 900);
  }
  const runId = page.url().split("/").at(-1) ?? "";
  await page.getByText("Merge the branch on your Git host.").waitFor({ timeout: 180_000 });
  await page.getByText("complete", { exact: true }).waitFor(LONG_TIMEOUT);
  const bus = await fixture.api(`/api/runs/${runId}/bus?limit=1000&after=0`);
  const count = Number(
    await page
      .getByRole("tab", { name: /Activity/ })
      .locator("i")
      .textContent(),
  );
  assert.equal(count, bus.body.last_seq);
  // In order, without gaps or duplicates, in pages where they are many.
  const seen = new Set<number>();
  await page.getByLabel("Follow").uncheck();
  for (let top = 0; seen.size < count && top < count * 60; top += 300) {
    await page.locator(".bus").evaluate((element, to) => (element.scrollTop = to), top);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const now = (await seqsOn(page)).toSorted((one, other) => one - other);
    assert.equal(new Set(now).size, now.length);
    for (const seq of now) seen.add(seq);
  }
  assert.deepEqual(
    [...seen].toSorted((one, other) => one - other),
    Array.from({ length: count }, (_, index) => index + 1),
  );
  assert.deepEqual(visit.complaints, []);
});

test("cancels a run after one confirmation, and retries it", { skip }, async () => {
  const run = await startRun(fixture, await addRepo(fixture, "slow", { command: "sleep 60" }));
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/runs/${run}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel run" }).click();
  await page.getByText("Cancelled. Nothing was pushed.").waitFor(LONG_TIMEOUT);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/runs/run_") && !url.pathname.endsWith(run));
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel run" }).click();
  await page.getByText("Cancelled. Nothing was pushed.").waitFor(LONG_TIMEOUT);
  assert.deepEqual(visit.complaints, []);
});

test("marks the tab of a watched run that ended in the background until it is visible", { skip }, async () => {
  const run = await startRun(fixture, await addRepo(fixture, "watched", { command: "sleep 60" }));
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/runs/${run}`);
  await page.getByRole("button", { name: "Cancel" }).waitFor(LONG_TIMEOUT);
  const icon = () => page.locator("link[rel=icon]").getAttribute("href");
  const before = await icon();
  // Headless Chromium reports every page as focused.
  await page.evaluate(() => (document.hasFocus = () => false));
  await fixture.api(`/api/runs/${run}/cancel`, { method: "POST" });
  await page.getByText("Cancelled. Nothing was pushed.").waitFor(LONG_TIMEOUT);
  assert.deepEqual([await page.title(), (await icon()) === before], ["● Cancelled: watched · Triptych", false]);
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  assert.deepEqual([await page.title(), await icon()], ["Cancelled: watched · Triptych", before]);
  assert.deepEqual(visit.complaints, []);
});

test("creates with one click a pull request that the forge refused at first", { skip }, async () => {
  await plant(join(fixture.installation.folder, "forge", "acme", "sum.git"), SUM);
  const body = {
    url: `${fixture.forge.url}/acme/sum.git`,
    provider: "github",
    credential: { kind: "token", token: FORGE_TOKEN },
    ...commandSettings("sed -i 's/a - b/a + b/' sum.mjs"),
  };
  const made = await fixture.api("/api/repos", { method: "POST", body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const failed = fixture.forge.failNext("rate_limited");
  const run = await startRun(fixture, String(made.body.id), { focus: "Repair it." });
  await using visit = await fixture.enter();
  const { page } = visit;
  await failed;
  await page.getByRole("heading", { name: "Needs attention" }).waitFor();
  await page.getByText("PR missing").first().waitFor(LONG_TIMEOUT);
  await page.goto(`${fixture.panel.url}/runs/${run}`);
  await page.getByRole("button", { name: "Create PR" }).click();
  await page.getByText("Review and merge it on your Git host.").waitFor(LONG_TIMEOUT);
  assert.equal(fixture.forge.pulls.all.length, 1);
  assert.deepEqual(visit.complaints, []);
});
