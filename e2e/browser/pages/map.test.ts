/** The directory's map against its API: the page shows the same results as a client receives. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { sharedProduct } from "./shared-product.ts";
import type { Product } from "./open-product.ts";

/** The share of pixels that may differ. Town names and the scale differ in 0.0016; a map that moved by two pixels differs in 0.005. */
const SAME_PICTURE = 0.003;
const skip = withoutBrowser;
let product: Product;
before(async () => {
  if (skip === false) product = await sharedProduct();
});

function openMap(query: string) {
  return openPage(product.browser, `${product.origin("directory")}/carte?lang=en${query}#key=${product.keys.pro_key}`);
}

/** The API's response to the call that the page shows under "API call". */
async function fetchDisplayedCall(page: Page): Promise<{ total: number; items: { title: string }[] }> {
  if (!(await page.locator("#call").isVisible())) await page.locator("#call-box summary").click();
  const call = (await page.locator("#call").innerText()).replace("GET ", "");
  const headers = { "X-API-Key": product.keys.pro_key };
  const answer = await fetch(product.origin("directory") + call, { headers });
  assert.equal(answer.status, 200, call);
  return JSON.parse(await answer.text());
}

async function listEqualsApi(page: Page): Promise<number> {
  const { total, items } = await fetchDisplayedCall(page);
  await page.locator("#total", { hasText: total === 1 ? "1 result" : `${total} results` }).waitFor();
  const titles = await page.locator(".row-title").allInnerTexts();
  assert.deepEqual(
    titles.slice(0, items.length),
    items.map(({ title }) => title),
  );
  return total;
}

/** The part of the pixels of two pictures of one size that differ visibly. */
async function differingShare(page: Page, pictures: readonly Buffer[]): Promise<number> {
  const sources = pictures.map((picture) => `data:image/png;base64,${picture.toString("base64")}`);
  return page.evaluate(async (addresses) => {
    const [before = [], after = []] = await Promise.all(
      addresses.map(async (address) => {
        const image = Object.assign(new Image(), { src: address });
        await image.decode();
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context?.drawImage(image, 0, 0);
        return [...(context?.getImageData(0, 0, image.width, image.height).data ?? [])];
      }),
    );
    return before.filter((level, index) => Math.abs(level - (after[index] ?? 0)) > 64).length / before.length;
  }, sources);
}

test(
  "shows the overview without MapLibre, which takes over at the same view when the map is pointed at",
  { skip },
  async () => {
    await using opened = await openMap("");
    const { page, requests } = opened;
    const picture = () => page.locator("#map").screenshot();
    const hasLibrary = () => requests.some(({ url }) => url.includes("/map-worker-"));
    await page.locator("#total", { hasText: "220 results" }).waitFor();
    await page.locator(".static-map .cluster").first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(hasLibrary(), false);
    assert.deepEqual(await violations(page), []);
    const before = await picture();
    const address = page.url();
    await page.locator("#map").hover({ position: { x: 20, y: 300 } });
    await page.locator("body[data-map='live']").waitFor();
    assert.equal(hasLibrary(), true);
    assert.equal(await page.locator(".static-map").count(), 0);
    assert.equal(page.url(), address);
    const share = await differingShare(page, [before, await picture()]);
    assert.ok(share < SAME_PICTURE, `${share} of the picture differs`);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(opened.complaints, []);
  },
);

test("keys pressed before MapLibre is loaded move the map, which has the focus then", { skip }, async () => {
  await using opened = await openMap("");
  const { page } = opened;
  await page.locator("#total", { hasText: "220 results" }).waitFor();
  await page.locator(".static-map").focus();
  for (const key of ["+", "ArrowLeft", "+"]) await page.keyboard.press(key);
  await page.waitForURL(/map=metropole/);
  assert.equal(await page.locator("#map canvas:focus").count(), 1);
  assert.deepEqual(opened.complaints, []);
});

test("without WebGL the map stays a picture with the counts, and says so", { skip }, async () => {
  const browser = await openBrowser(["--disable-3d-apis"]);
  try {
    const address = `${product.origin("directory")}/carte?lang=en#key=${product.keys.discovery_key}`;
    await using opened = await openPage(browser, address);
    const { page } = opened;
    await page.locator(".static-map .count").first().waitFor();
    await page.locator("#map").hover();
    await page.locator("#notices", { hasText: "WebGL is unavailable" }).waitFor();
    await page.locator('[data-facet="region:occitanie"]').check();
    await page.locator("#total", { hasText: "27 results" }).waitFor();
    assert.equal(await page.locator(".ground .chosen").count(), 13, "the départements of Occitanie");
    await page.getByRole("button", { name: "La Réunion", exact: true }).click();
    assert.equal(await page.locator('.inset[aria-pressed="true"]').innerText(), "La Réunion");
    assert.equal(await page.locator("#zoom-in").isVisible(), false);
    assert.deepEqual(await violations(page), []);
  } finally {
    await browser.close();
  }
});

test("shows the API's list after filtering by mouse, typing and address", { skip }, async () => {
  await using opened = await openMap("");
  const { page } = opened;
  await page.locator("#total", { hasText: "220 results" }).waitFor();
  await page.locator('[data-facet="type:place"]').check();
  await page.locator("#total", { hasText: "101 results" }).waitFor();
  assert.equal(await listEqualsApi(page), 101);
  await page.locator("#q").fill("port");
  await page.waitForURL(/q=port/);
  await page.locator("#results[aria-busy='false'], #results:not([aria-busy])").waitFor();
  const found = await listEqualsApi(page);
  assert.ok(found > 0 && found < 101);
  await page.reload();
  assert.equal(await listEqualsApi(page), found);
  assert.deepEqual(opened.complaints, []);
});

test("shows the API's circle, distances and list around a point, by keyboard alone", { skip }, async () => {
  await using opened = await openMap("&region=bretagne");
  const { page } = opened;
  await page.locator("#total", { hasText: "9 results" }).waitFor();
  await page.locator("#around-point").focus();
  await page.keyboard.press("Enter");
  for (const key of ["ArrowRight", "-", "Enter"]) await page.keyboard.press(key);
  await page.waitForURL(/near=/);
  await page.locator("#circle").waitFor();
  const near = await listEqualsApi(page);
  const where = await page.locator(".row-where").allInnerTexts();
  const kilometres = where.map((text) => Number(/([\d.]+) km$/.exec(text)?.[1]));
  assert.equal(where.length, near);
  assert.deepEqual(
    kilometres,
    kilometres.toSorted((one, other) => one - other),
    "nearest first",
  );
  await page.locator("#list button").first().focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#list li.open").count(), 1);
});

test("exports the listed entries in each format", { skip }, async () => {
  await using opened = await openMap("&region=corse");
  const { page } = opened;
  await page.locator("#total", { hasText: "5 results" }).waitFor();
  await page.locator("#export summary").click();
  const saved: Record<string, string> = {};
  for (const format of ["csv", "geojson", "ndjson"]) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator(`#export-${format}`).click()]);
    saved[format] = readFileSync(await file.path(), "utf8");
  }
  assert.equal(saved["csv"]?.trimEnd().split("\n").length, 6);
  assert.equal(saved["ndjson"]?.trimEnd().split("\n").length, 5);
  assert.equal(JSON.parse(saved["geojson"] ?? "{}").features.length, 5);
});

test("reports an unreachable directory, and retries on demand", { skip }, async () => {
  await using opened = await openMap("&region=corse");
  const { page, context } = opened;
  await page.locator("#total", { hasText: "5 results" }).waitFor();
  await context.setOffline(true);
  await page.locator('[data-facet="type:place"]').check();
  await page.locator("#notices .failure button").waitFor();
  await context.setOffline(false);
  await page.locator("#notices .failure button").click();
  await page.locator("#total", { hasText: "2 results" }).waitFor();
  assert.equal(await page.locator("#notices").innerText(), "");
});

test("marks the enlarged territory as the pressed button, which stays focused", { skip }, async () => {
  await using opened = await openMap("&type=place");
  const { page } = opened;
  await page.locator("#total", { hasText: "101 results" }).waitFor();
  const pressed = () => page.locator('.inset[aria-pressed="true"]').allInnerTexts();
  assert.deepEqual(await pressed(), ["Métropole"]);
  for (const name of ["La Réunion", "Guyane", "Métropole"]) {
    await page.getByRole("button", { name, exact: true }).click();
    assert.deepEqual(await pressed(), [name]);
    assert.equal(await page.locator(".inset:focus").innerText(), name);
  }
  await page.goto(`${product.origin("directory")}/carte?lang=en&departements=974`);
  await page.locator('.inset[aria-pressed="true"]', { hasText: "La Réunion" }).waitFor();
  assert.deepEqual(opened.complaints, []);
});

test("labels the theme switch with the current theme, in the page's language", { skip }, async () => {
  await using opened = await openMap("");
  const { page } = opened;
  assert.equal(await page.getByRole("combobox", { name: "Theme:" }).inputValue(), "auto");
  assert.equal(await page.locator(".theme select option:checked").innerText(), "System");
  await page.goto(`${product.origin("directory")}/carte?lang=fr`);
  await page.getByRole("combobox", { name: "Thème :" }).selectOption("Sombre");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  assert.equal(await page.locator(".theme select option:checked").innerText(), "Sombre");
});
