/**
 * Every page of every service: light and dark, from phone to wall display. No axe violations, no horizontal scrolling, no third-party
 * requests, small scripts, and full keyboard access.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { sharedProduct } from "./shared-product.ts";
import { keepPicture, type Product } from "./open-product.ts";

const skip = withoutBrowser;
let product: Product;
before(async () => {
  if (skip === false) product = await sharedProduct();
});

const LOOKS = [
  ["light", 320],
  ["dark", 320],
  ["light", 1280],
  ["dark", 1280],
  ["dark", 2560],
] as const;
/** Gzip, first load. */
const SCRIPT_KIB = 30;

const PAGES = [
  ["directory", "/"],
  ["directory", "/docs"],
  ["directory", "/api"],
  ["directory", "/carte"],
  ["directory", "/problems/validation_failed"],
  ["rail", "/"],
  ["rail", "/docs"],
  ["rail", "/wallet"],
  ["rail", "/verify"],
  ["rail", "/wallet/link"],
  ["router", "/"],
  ["router", "/playground"],
  ["router", "/docs"],
  ["gateway", "/"],
  ["gateway", "/playground"],
  ["gateway", "/docs"],
  ["gateway", "/problems/wallet_required"],
  ["panel", "/docs"],
  ["panel", "/problems/plan_required"],
] as const;

for (const [service, path] of PAGES)
  test(`${service} ${path}`, { skip }, async () => {
    const origin = product.origin(service);
    await using opened = await openPage(product.browser, origin + path);
    const { page, requests, complaints } = opened;
    // Until then, the map may still show and hide buttons.
    await page.waitForLoadState("networkidle");
    assert.ok((await scriptKib(requests.map(({ url }) => url))) <= SCRIPT_KIB);
    await reachesEverything(page);
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: width > 2000 ? 1440 : 900 });
      await keepPicture(page, `${service}${path.replaceAll("/", "-")}-${colorScheme}-${width}`);
      assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), `sideways at ${width}`);
      // axe results other than contrast do not depend on colors, and take seconds on long pages.
      if (colorScheme === "light" && width === 320) assert.deepEqual(await violations(page), [], `${width}`);
      if (colorScheme === "dark" && width === 1280)
        assert.deepEqual(await violations(page, ["color-contrast", "target-size"]), [], `${colorScheme} ${width}`);
    }
    assert.deepEqual(complaints, []);
    assert.deepEqual(
      requests.filter(({ url }) => !url.startsWith(`${origin}/`) && url !== "data:,"),
      [],
    );
  });

test("applies the chosen theme to every page of the service from its first paint", { skip }, async () => {
  const origin = product.origin("directory");
  await using opened = await openPage(product.browser, `${origin}/docs`, { colorScheme: "light" });
  const { page, complaints } = opened;
  const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const byDay = await paper();
  await page.getByLabel("Theme:").selectOption("dark");
  const byNight = await paper();
  assert.notEqual(byNight, byDay);
  await page.goto(`${origin}/carte?lang=fr`);
  assert.equal(await paper(), byNight);
  assert.equal(await page.getByLabel("Thème :").inputValue(), "dark");
  await page.locator("#total", { hasText: /\d/ }).or(page.locator("#key-panel")).first().waitFor();
  // The map uses these colors too, and redraws when they change.
  const corner = async () => {
    const { x = 0, y = 0, height = 0 } = (await page.locator("#map").boundingBox()) ?? {};
    const clip = { x: x + 2, y: y + height / 2, width: 4, height: 4 };
    return (await page.screenshot({ clip })).toString("base64");
  };
  await page.locator(".inset").first().waitFor();
  await page.waitForLoadState("networkidle");
  const seaByNight = await corner();
  await page.getByLabel("Thème :").selectOption("light");
  assert.equal(await paper(), byDay);
  while ((await corner()) === seaByNight) await page.waitForTimeout(50);
  assert.deepEqual(complaints, []);
});

async function scriptKib(urls: readonly string[]): Promise<number> {
  const scripts = [...new Set(urls)].filter((url) => url.endsWith(".js"));
  const bodies = await Promise.all(scripts.map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())));
  return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0) / 1024;
}

const MARK_PRESSABLE = `(() => {
  const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
  const shown = [...all].filter((one) => one.checkVisibility() && !one.matches(":disabled"));
  shown.forEach((one, index) => one.setAttribute("data-reach", index));
  return shown.length;
})()`;

/** Tabs through the page, and compares the reached elements with the interactive ones. */
async function reachesEverything(page: Page): Promise<void> {
  const expected = Number(await page.evaluate(MARK_PRESSABLE));
  const reached = new Set<string>();
  for (let step = 0; step <= expected + 2 && reached.size < expected; step += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate("document.activeElement?.getAttribute('data-reach') ?? ''");
    if (at !== "") reached.add(String(at));
  }
  assert.equal(reached.size, expected, "not everything can be reached by Tab");
  await page.evaluate("scrollTo(0, 0)");
}
