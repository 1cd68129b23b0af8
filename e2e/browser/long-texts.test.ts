/** Names, addresses, reasons and instructions of maximum length, at the widths of phones, tablets and desktops. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import type { Page } from "playwright-core";
import { addRepo, LONG_TIMEOUT, startRun, startWorker, type PanelFixture } from "./panel-fixture.ts";
import { withPanel } from "./with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

const WIDTHS = [360, 768, 1024, 1440];
const LONG = "w".repeat(300);

/** Elements wider than the page, for the assertion message. */
function widest(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isClipped = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).overflowX !== "visible" || isClipped(element.parentElement));
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !isClipped(element.parentElement))
      .map((element) => `${element.tagName}.${element.className} ${Math.round(element.getBoundingClientRect().right)}`)
      .slice(0, 5);
  });
}

async function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
}

test("scrolls no page sideways with 300 characters without a space", { skip }, async () => {
  const { api, panel } = fixture;
  await using _ = await startWorker(fixture, `worker-${LONG.slice(0, 90)}`);
  const command = `echo '${LONG}' >> sum.mjs`;
  const name = `acme/${LONG.slice(0, 195)}`;
  const repo = await addRepo(fixture, "long", { command, name, focus: LONG, verify: { setup_cmd: `: ${LONG}` } });
  const run = await startRun(fixture, repo, { focus: LONG });
  const missing = join(fixture.installation.folder, LONG.slice(0, 200), LONG.slice(0, 100), "gone.git");
  const lost = (await api("/api/repos", { method: "POST", body: { url: missing, name: `lost/${LONG.slice(0, 190)}` } }))
    .body;
  const { body: demos } = await api("/api/repos?q=slugger");
  const demo = String(demos.items[0].id);
  const memory = { text: LONG, scope: LONG.slice(0, 190) };
  await api(`/api/repos/${repo}/memories`, { method: "POST", body: memory });
  await using visit = await fixture.enter({ viewport: { width: 1440, height: 900 } });
  const { page } = visit;
  await page.goto(`${panel.url}/repos/${lost.id}`);
  await page.getByText("unreachable").first().waitFor(LONG_TIMEOUT);
  const pages = {
    overview: ["/", "Recent runs"],
    repos: ["/repos", "lost/"],
    "repo new": ["/repos/new", "Add repo"],
    repo: [`/repos/${repo}`, "Candidates"],
    "repo unreachable": [`/repos/${lost.id}`, "unreachable"],
    "repo settings": [`/repos/${repo}?tab=settings`, "Protected paths"],
    memories: [`/repos/${repo}?tab=memories`, "Add"],
    candidates: [`/repos/${demo}?tab=candidates`, "Candidates"],
    runs: ["/runs", "Runs"],
    run: [`/runs/${run}`, "Activity"],
    workers: ["/workers", "Connect another worker"],
    account: ["/account", "first token"],
  } as const;
  const overflowing: string[] = [];
  for (const [name, [path, sign]] of Object.entries(pages)) {
    await page.goto(panel.url + path);
    await page.getByText(sign).locator("visible=true").first().waitFor(LONG_TIMEOUT);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      if (!(await fits(page))) overflowing.push(`${name} at ${width}: ${(await widest(page)).join(", ")}`);
    }
  }
  assert.deepEqual(overflowing, []);
  assert.deepEqual(visit.complaints, []);
});
