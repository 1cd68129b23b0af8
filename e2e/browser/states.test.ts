/**
 * Every screen with a slow panel, an expired session, a stopped panel, and after its return. No axe violations in any state. Screenshots
 * go to reports/screenshots.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { violations, withoutBrowser as skip } from "@triptych/server/testing";
import type { Page } from "playwright-core";
import { openCuttingProxy } from "./cutting-proxy.ts";
import { openVisit, LONG_TIMEOUT, type PanelFixture, type Visit } from "./panel-fixture.ts";
import { withPanel } from "./with-panel.ts";

const PICTURES = fileURLToPath(new URL("../../reports/screenshots", import.meta.url));
let fixture: PanelFixture;
let screens: readonly Screen[] = [];
withPanel(
  async (opened) => {
    await mkdir(PICTURES, { recursive: true });
    fixture = opened;
    screens = await screensOf(fixture);
  },
  { PANEL_RATE_LOGIN: "5" },
);

interface Screen {
  readonly name: string;
  readonly path: string;
  /** Visible text when it is complete. */
  readonly sign: string | RegExp;
}

async function screensOf({ api }: PanelFixture): Promise<readonly Screen[]> {
  const { body: repos } = await api("/api/repos?q=slugger");
  const repo = `/repos/${String(repos.items[0].id)}`;
  const { body: runs } = await api(`/api/runs?kind=maintain`);
  return [
    { name: "overview", path: "/", sign: "Recent runs" },
    { name: "repos", path: "/repos", sign: "slugger" },
    { name: "repo-runs", path: repo, sign: "foldMarks()" },
    { name: "repo-candidates", path: `${repo}?tab=candidates`, sign: /Evidence|No candidates to review/ },
    { name: "repo-memories", path: `${repo}?tab=memories`, sign: "No memories yet" },
    { name: "repo-settings", path: `${repo}?tab=settings`, sign: "Protected paths" },
    { name: "runs", path: "/runs", sign: "foldMarks()" },
    { name: "run", path: `/runs/${String(runs.items[0].id)}`, sign: /checks/ },
    { name: "workers", path: "/workers", sign: "embedded" },
    { name: "account", path: "/account", sign: "License key" },
  ];
}

const sign = (page: Page, { sign: text }: Screen) =>
  page.locator("main").getByText(text).locator("visible=true").first().waitFor(LONG_TIMEOUT);

/** Navigates within the page, which keeps the loaded code. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
}

/** A screen that shares no data with this one; over all screens, each occurs once. */
function elsewhere(index: number): Screen {
  return screens[(index + 4) % screens.length];
}

/** Screens preload when idle; then they open without the panel. */
async function withAllScreens(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const names = performance.getEntriesByType("resource").map(({ name }) => name);
      return ["runs", "run-page", "repos", "repo-page", "workers", "account-page"].every((screen) =>
        names.some((name) => name.includes(`/assets/${screen}-`) && name.endsWith(".js")),
      );
    },
    undefined,
    LONG_TIMEOUT,
  );
}

async function captureState(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(PICTURES, `state-${name}-${colorScheme}.png`) });
    assert.deepEqual(await violations(page), [], `${name}, ${colorScheme}`);
  }
}

/** Smaller shifts are not visible. */
const LAYOUT_SHIFT = 0.005;

function noteShifts(): void {
  const noted = Object.assign(globalThis, { shifted: 0 });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if ("value" in entry) noted.shifted += Number(entry.value);
  }).observe({ type: "layout-shift" });
}

test("shows a skeleton on a slow response, and fills it in place", { skip }, async () => {
  await using visit = await fixture.enter();
  const { page } = visit;
  for (const screen of screens) {
    await page.goto(`${fixture.panel.url}/nowhere`);
    await withAllScreens(page);
    process.kill(fixture.panel.pid, "SIGSTOP");
    try {
      await goTo(page, screen.path);
      await page.locator("main .late.shown").first().waitFor(LONG_TIMEOUT);
      await page.evaluate(noteShifts);
      await captureState(page, `loading-${screen.name}`);
    } finally {
      process.kill(fixture.panel.pid, "SIGCONT");
    }
    await sign(page, screen);
    await page.locator("main .late.shown").waitFor({ state: "detached", ...LONG_TIMEOUT });
    // Waits for late layout shifts.
    await page.waitForTimeout(300);
    const shifted = await page.evaluate(() => (globalThis as unknown as { shifted: number }).shifted);
    assert.ok(shifted <= LAYOUT_SHIFT, `${screen.name} moves by ${shifted} when it fills`);
  }
  assert.deepEqual(visit.complaints, []);
});

test("opens sign-in on top of every screen after an expired session, and continues there", { skip }, async () => {
  await using proxy = await openCuttingProxy(fixture.panel.url);
  await using visit = await fixture.enter({}, proxy.url);
  const { page } = visit;
  for (const screen of screens) {
    await page.goto(proxy.url + screen.path);
    await sign(page, screen);
    await page.context().clearCookies();
    // The hint stream is refused on reconnect, without any user action.
    proxy.cut();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Your session has expired").waitFor(LONG_TIMEOUT);
    await captureState(page, `expired-${screen.name}`);
    await dialog.getByLabel("Email").fill(fixture.keys.email);
    await dialog.getByLabel("Password").fill(fixture.keys.password);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached", ...LONG_TIMEOUT });
    await sign(page, screen);
  }
  assert.deepEqual(visit.complaints, []);
});

test("tells a rate-limited user when to retry", { skip }, async () => {
  await using visit = await openVisit(fixture.browser);
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/login`);
  const refused = page.getByText("You can try again in");
  for (let tries = 0; tries < 8 && !(await refused.isVisible()); tries++) {
    await page.getByLabel("Email").fill("nobody@example.test");
    await page.getByLabel("Password").fill(`wrong ${tries}`);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith("/api/auth/login")),
      page.getByRole("button", { name: "Sign in" }).click(),
    ]);
    if (answer.status() === 429) await refused.waitFor(LONG_TIMEOUT);
  }
  assert.match((await refused.textContent()) ?? "", /in \d+ (min|s)\.$/);
  await captureState(page, "refused-login");
});

test("keeps every screen readable while the panel is down, reports it, and recovers", { skip }, async () => {
  await using first = await fixture.enter();
  const storageState = await first.page.context().storageState();
  const visits: Visit[] = [];
  await using opened = new AsyncDisposableStack();
  for (const screen of screens) {
    const visit = opened.use(await openVisit(fixture.browser, { storageState }));
    visits.push(visit);
    await visit.page.goto(fixture.panel.url + screen.path);
    await sign(visit.page, screen);
    await withAllScreens(visit.page);
  }

  await fixture.panel.end("SIGTERM");
  for (const [index, { page }] of visits.entries()) {
    await page.locator(".connection.shown").waitFor(LONG_TIMEOUT);
    await sign(page, screens[index]);
    await captureState(page, `gone-${screens[index].name}`);
    // Data never loaded shows an error with a retry button.
    const other = elsewhere(index);
    await goTo(page, other.path);
    await page.locator("main [role=alert]").getByText("Cannot reach the panel").first().waitFor(LONG_TIMEOUT);
    await captureState(page, `missing-${other.name}`);
  }

  await fixture.installation.startPanel({
    PANEL_PORT: new URL(fixture.panel.url).port,
    PANEL_EMBEDDED_WORKER: "1",
    PANEL_ALLOW_LOCAL_REPOS: "1",
  });
  for (const [index, { page, complaints }] of visits.entries()) {
    await sign(page, elsewhere(index));
    await page.locator(".connection.shown").waitFor({ state: "detached", ...LONG_TIMEOUT });
    assert.deepEqual(complaints, []);
  }
});
