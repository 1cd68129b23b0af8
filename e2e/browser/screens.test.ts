/**
 * Every screen, light and dark, narrow and wide: no axe violations, no horizontal scrolling, no third-party requests, within the budgets.
 * `npm run screenshots` writes reports/screenshots for review.
 */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { violations, withoutBrowser as skip } from "@triptych/server/testing";
import type { Page } from "playwright-core";
import {
  addRepo,
  openVisit,
  LONG_TIMEOUT,
  plant,
  startRun,
  SUM,
  type PanelFixture,
  type Visit,
} from "./panel-fixture.ts";
import { FRENCH } from "../../apps/web/dashboard/src/french/index.ts";
import { withPanel } from "./with-panel.ts";

const PICTURES = fileURLToPath(new URL("../../reports/screenshots", import.meta.url));
let fixture: PanelFixture;
let ids: { readonly repo: string; readonly run: string; readonly failed: string };

withPanel(async (opened) => {
  await mkdir(PICTURES, { recursive: true });
  fixture = opened;
  ids = await furnish(fixture);
});

interface Screen {
  readonly name: string;
  readonly path: () => string;
  /** Visible when the screen is complete. */
  readonly sign: (page: Page) => Promise<unknown>;
}

/** A text of the dashboard in the language of the page; other texts stay. */
async function say(page: Page, text: string): Promise<string> {
  const french = (await page.locator("html").getAttribute("lang")) === "fr" ? FRENCH[text] : undefined;
  return typeof french === "string" ? french : text.slice(text.indexOf("|") + 1);
}
const seen = (text: string) => async (page: Page) => {
  const main = page.locator("main");
  // Before the script runs, the page has no language.
  await main
    .locator("h1, h2")
    .first()
    .waitFor({ ...LONG_TIMEOUT, state: "attached" });
  await main
    .getByText(await say(page, text))
    .locator("visible=true")
    .first()
    .waitFor(LONG_TIMEOUT);
};
const tab = (name: string, then: string) => async (page: Page) => {
  await seen(name)(page);
  await page.getByRole("tab", { name: await say(page, name) }).click(LONG_TIMEOUT);
  await seen(then)(page);
};
const opened = (button: string, heading: string) => async (page: Page) => {
  await page
    .locator("main h1")
    .first()
    .waitFor({ ...LONG_TIMEOUT, state: "attached" });
  await page
    .getByRole("button", { name: await say(page, button), exact: true })
    .first()
    .click(LONG_TIMEOUT);
  const [start = ""] = (await say(page, heading)).split("{", 1);
  await page.getByRole("dialog").getByRole("heading", { name: start }).waitFor(LONG_TIMEOUT);
};

const SCREENS: readonly Screen[] = [
  { name: "overview", path: () => "/", sign: seen("Recent runs") },
  { name: "runs", path: () => "/runs", sign: seen("foldMarks()") },
  { name: "runs-none", path: () => "/runs?state=lost", sign: seen("No run matches the filter.") },
  { name: "run-bus", path: () => `/runs/${ids.run}`, sign: seen("complete") },
  { name: "run-verify", path: () => `/runs/${ids.run}`, sign: tab("Verify", "After the change") },
  { name: "run-diff", path: () => `/runs/${ids.run}`, sign: tab("Diff", "foldMarks(transliterate") },
  { name: "run-details", path: () => `/runs/${ids.run}`, sign: tab("Details", "Attempt") },
  { name: "run-failed", path: () => `/runs/${ids.failed}`, sign: seen("complete") },
  { name: "repos", path: () => "/repos", sign: seen("slugger") },
  { name: "repos-none", path: () => "/repos?q=nothing", sign: seen("Show all") },
  { name: "repo-new", path: () => "/repos/new", sign: seen("Add repo") },
  { name: "repo-runs", path: () => `/repos/${ids.repo}`, sign: seen("foldMarks()") },
  {
    name: "repo-candidates",
    path: () => `/repos/${ids.repo}?tab=candidates`,
    sign: seen("Evidence"),
  },
  {
    name: "repo-reject",
    path: () => `/repos/${ids.repo}?tab=candidates`,
    sign: opened("Reject", "Reject this candidate?"),
  },
  { name: "repo-run", path: () => `/repos/${ids.repo}`, sign: opened("verb|Run", "Run {name}") },
  { name: "repo-delete", path: () => `/repos/${ids.repo}`, sign: opened("Delete", "Delete {name}?") },
  { name: "repo-memories", path: () => `/repos/${ids.repo}?tab=memories`, sign: seen("To review") },
  { name: "repo-settings", path: () => `/repos/${ids.repo}?tab=settings`, sign: seen("Protected paths") },
  {
    name: "repo-conflict",
    path: () => `/repos/${ids.repo}?tab=settings`,
    async sign(page) {
      await seen("Protected paths")(page);
      await page.getByLabel(await say(page, "Focus"), { exact: true }).fill("What is typed here.");
      const focus = `What was saved elsewhere at ${new Date().toISOString()}.`;
      await fixture.api(`/api/repos/${ids.repo}`, { method: "PATCH", body: { focus } });
      await page.getByRole("button", { name: await say(page, "Save"), exact: true }).click();
      await page.getByRole("dialog").getByText(focus).waitFor(LONG_TIMEOUT);
    },
  },
  { name: "workers", path: () => "/workers", sign: seen("embedded") },
  { name: "account", path: () => "/account", sign: seen("first token") },
  { name: "account-rotate", path: () => "/account", sign: opened("Rotate…", "Rotate the license key?") },
  { name: "keys", path: () => "/account", sign: opened("Keyboard shortcuts", "Keyboard shortcuts") },
  { name: "not-found", path: () => "/nowhere", sign: seen("Page not found") },
  { name: "run-not-found", path: () => "/runs/run_nowhere", sign: seen("Page not found") },
];

/** French has the longer words. */
const SIZES = [
  { colorScheme: "light", width: 1280, locale: "en-GB" },
  { colorScheme: "dark", width: 1280, locale: "fr-FR" },
  { colorScheme: "dark", width: 320, locale: "fr-FR" },
  { colorScheme: "light", width: 3840, locale: "en-GB" },
] as const;

for (const { colorScheme, width, locale } of SIZES)
  test(`every screen, ${colorScheme}, ${width} pixels wide, ${locale}`, { skip }, async () => {
    const viewport = { width, height: width < 500 ? 720 : 900 };
    await using visit = await fixture.enter({ colorScheme, viewport, locale });
    for (const screen of SCREENS) await captureScreen(visit, screen, `${screen.name}-${colorScheme}-${width}`);
    await assertCalm(visit);
  });

test("changes the language with the switch, remembers it, and asks the panel in it", { skip }, async () => {
  await using visit = await fixture.enter({ locale: "en-GB" });
  const { page } = visit;
  await seen("Recent runs")(page);
  await page.getByLabel("Language").selectOption({ label: "Français" });
  await page.getByRole("heading", { name: "Runs récents" }).waitFor(LONG_TIMEOUT);
  assert.equal(await page.locator("html").getAttribute("lang"), "fr");
  const request = page.waitForRequest(/\/api\/workers|\/api\/worker\/status/);
  await page.goto(`${fixture.panel.url}/workers`);
  assert.equal((await request).headers()["accept-language"], "fr");
  await page.getByText("Agent et modèle par défaut").waitFor(LONG_TIMEOUT);
  await page.getByLabel("Langue").selectOption({ label: "English" });
  await page.getByText("Default agent and model").waitFor(LONG_TIMEOUT);
});

test("shows sign-in, and an account without runs and scouts", { skip }, async () => {
  for (const { colorScheme, width } of SIZES.slice(0, 3)) {
    await using visit = await openVisit(fixture.browser, { colorScheme, viewport: { width, height: 900 } });
    const { page } = visit;
    const look = `${colorScheme}-${width}`;
    await captureScreen(
      visit,
      { name: "login", path: () => "/login", sign: seen("credentials.json") },
      `login-${look}`,
    );
    await page.getByLabel("Email").fill("free@example.test");
    await page.getByLabel("Password").fill(fixture.free.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await seen("No run has ended yet.")(page);
    const steps = page.locator("[aria-labelledby=first] .tall > div > :first-child");
    assert.deepEqual(await steps.allTextContents(), ["Add a repo", "Connect a worker", "Start a run"]);
    const empty = [
      { name: "empty-overview", path: () => "/", sign: seen("No worker is connected") },
      { name: "empty-runs", path: () => "/runs", sign: seen("No runs yet") },
      { name: "empty-repos", path: () => "/repos", sign: seen("No repos yet") },
      { name: "empty-workers", path: () => "/workers", sign: seen("No worker has connected yet") },
    ];
    for (const screen of empty) await captureScreen(visit, screen, `${screen.name}-${look}`);
    await assertCalm(visit);
  }
});

test("disables features outside the plan, and names the plan that includes them", { skip }, async () => {
  const bare = join(fixture.installation.folder, "of-free.git");
  await plant(bare, SUM);
  await using visit = await openVisit(fixture.browser);
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/repos`);
  await page.getByLabel("Email").fill("free@example.test");
  await page.getByLabel("Password").fill(fixture.free.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Address", { exact: true }).fill(bare);
  await page.getByRole("button", { name: "Add repo" }).click();
  await seen("Explore requires the Pro plan.")(page);
  assert.ok(await page.getByRole("button", { name: "Explore" }).isDisabled());
  const { pathname } = new URL(page.url());
  const gated = { name: "gated", path: () => pathname, sign: seen("Explore requires the Pro plan.") };
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await captureScreen(visit, gated, `gated-${colorScheme}`);
  }
  await page.goto(fixture.panel.url);
  await page.getByRole("link", { name: "Start a run", exact: true }).click();
  await page.waitForURL(`**${pathname}`);
  await assertCalm(visit);
});

test("limits the requests of the overview, and supports keyboard navigation everywhere", { skip }, async () => {
  await using visit = await fixture.enter();
  const { page } = visit;
  await seen("foldMarks()")(page);
  await page.waitForTimeout(1_000);
  const before = visit.requests.length;
  await page.goto(fixture.panel.url);
  await seen("foldMarks()")(page);
  await page.waitForTimeout(1_000);
  const apiRequests = visit.requests
    .slice(before)
    .filter((url) => url.includes("/api/") && !url.includes("/api/changes"));
  assert.ok(apiRequests.length <= 6, apiRequests.join("\n"));
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await page.getByRole("heading", { name: "Runs" }).waitFor(LONG_TIMEOUT);
  await seen("foldMarks()")(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: /Activity/ }).waitFor(LONG_TIMEOUT);
  await page.keyboard.press("4");
  await page.getByText("Attempt").waitFor(LONG_TIMEOUT);
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Runs" }).waitFor(LONG_TIMEOUT);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "SELECT");
});

async function captureScreen({ page }: Visit, { path, sign }: Screen, name: string): Promise<void> {
  await page.goto(fixture.panel.url + path());
  await sign(page);
  await page.waitForTimeout(250);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  assert.deepEqual(await violations(page), [], name);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
}

async function assertCalm({ complaints, requests }: Visit): Promise<void> {
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(`${fixture.panel.url}/`)),
    [],
  );
}

/** A panel with data: the demo, a failed run, memories of both kinds. */
async function furnish(fixture: PanelFixture) {
  const { api } = fixture;
  const command = "echo looking at sum.mjs; echo '// no idea' >> sum.mjs";
  const unsolved = await addRepo(fixture, "acme-sum", { command, name: "acme/sum" });
  const failed = await startRun(fixture, unsolved, { focus: "Make sum(2, 3) answer 5." });
  const { body: demos } = await api("/api/repos?q=slugger");
  const repo = String(demos.items[0].id);
  const memories = `/api/repos/${repo}/memories`;
  await api(memories, {
    method: "POST",
    body: { text: "Tests run with node --test; nothing is to be installed.", pinned: true },
  });
  const { body: memory } = await api(memories, {
    method: "POST",
    body: { text: "stripMarks() goes away with 2.0.", scope: "src/**" },
  });
  await api(`${memories}/${memory.id}`, { method: "PATCH", body: { status: "pending" } });
  const { body: runs } = await api(`/api/repos/${repo}/runs?kind=maintain`);
  const run = String(runs.items[0].id);
  for (const id of [run, failed])
    for (let phase = "active"; phase === "active";) {
      const { body: page } = await api(
        `/api/runs/${id}/bus?wait=25&after=${(await api(`/api/runs/${id}`)).body.bus.last_seq}`,
      );
      phase = page.complete ? "over" : (await api(`/api/runs/${id}`)).body.phase;
    }
  while ((await api(`/api/repos/${repo}/candidates`)).body.items.length < 4) await wait(500);
  return { repo, run, failed };
}
