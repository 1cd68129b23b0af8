/** `npm run pictures`: takes the screenshots of the documentation from the running product: light in English, dark in French. */
import { fileURLToPath } from "node:url";
import { openPage } from "@triptych/server/testing";
import type { Browser, Page } from "playwright-core";
import { openPanelFixture, type PanelFixture } from "../panel-fixture.ts";
import { makeWallet, openProduct, type Product } from "./open-product.ts";

const FOLDER = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
const VIEWPORT = { width: 1280, height: 800 };
/** Names of towns fade in. */
const LABELS_MS = 1_000;
const LOOKS = [
  { colorScheme: "light", locale: "en-GB", language: "en" },
  { colorScheme: "dark", locale: "fr-FR", language: "fr" },
] as const;
type Look = (typeof LOOKS)[number];

{
  await using product = await openProduct();
  for (const look of LOOKS) {
    await takeMap(product, look);
    await takeWallet(product, look);
  }
}
{
  await using panel = await openPanelFixture();
  await untilDemoHasEnded(panel);
  for (const look of LOOKS) await takeDashboard(panel, look);
}

async function open(browser: Browser, address: string, { colorScheme, locale }: Look) {
  return openPage(browser, address, { colorScheme, locale, viewport: VIEWPORT });
}

async function take(page: Page, name: string, { colorScheme }: Look): Promise<void> {
  await page.evaluate(async () => {
    scrollTo(0, 0);
    // A state fades in when it changes.
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
  });
  await page.screenshot({ path: `${FOLDER}${name}-${colorScheme}.png` });
}

async function takeMap({ browser, keys, origin }: Product, look: Look): Promise<void> {
  const address = `${origin("directory")}/carte?lang=${look.language}&region=bretagne#key=${keys.pro_key}`;
  await using opened = await open(browser, address, look);
  await opened.page.locator("#list > li:nth-child(9)").waitFor();
  await opened.page.locator("body[data-map='live']").waitFor();
  await opened.page.waitForTimeout(LABELS_MS);
  await take(opened.page, "carte", look);
}

/** The wallet after decisions on the playground. */
async function takeWallet({ browser, origin }: Product, look: Look): Promise<void> {
  const [rail, gateway] = [origin("rail"), origin("gateway")];
  await using opened = await open(browser, `${rail}/wallet`, look);
  const { page } = opened;
  const token = await makeWallet(page, rail);
  await page.goto(`${gateway}/playground`);
  await page.locator("#token").fill(token);
  for (const text of ["Hi, how are you?", "Convertis 30 miles en kilomètres", "Will it rain in Paris tomorrow?"]) {
    await page.locator("#state").fill(text);
    await page.locator("button.primary").click();
    await page.locator(".words", { hasText: text }).waitFor();
  }
  await page.waitForLoadState("networkidle");
  await take(page, "playground", look);
  await page.goto(`${rail}/wallet`);
  await page.locator("#entry-rows tr:nth-child(4)").waitFor();
  await page.waitForLoadState("networkidle");
  await take(page, "wallet", look);
}

async function untilDemoHasEnded({ api }: PanelFixture): Promise<void> {
  for (;;) {
    const { body: active } = await api("/api/runs?phase=active");
    const { body: repos } = await api("/api/repos?q=slugger");
    const [demo] = repos.items;
    if (active.items.length === 0 && demo.stats.candidates_proposed > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function takeDashboard({ api, enter }: PanelFixture, look: Look): Promise<void> {
  const { colorScheme, locale } = look;
  await using visit = await enter({ colorScheme, locale, viewport: VIEWPORT });
  const { page } = visit;
  const { body: repos } = await api("/api/repos?q=slugger");
  const { id } = repos.items[0];
  const { body: runs } = await api(`/api/repos/${id}/runs?kind=maintain`);
  const { origin } = new URL(page.url());
  const screens = [
    ["panel-overview", "/", "main table tbody tr"],
    ["panel-run", `/runs/${runs.items[0].id}`, "[role=tabpanel] li, [role=log] *"],
    ["panel-candidates", `/repos/${id}?tab=candidates`, "[role=tabpanel] h2, [role=tabpanel] h3"],
  ] as const;
  for (const [name, path, sign] of screens) {
    await page.goto(origin + path);
    await page.locator(sign).first().waitFor();
    await page.locator("main .late.shown").waitFor({ state: "detached" });
    await take(page, name, look);
  }
}
