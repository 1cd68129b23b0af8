/** The directory's map against its API: the page shows the same results as a client receives. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { openPage, withoutBrowser } from "@triptych/server/testing";
import { sharedProduct } from "./shared-product.ts";
import type { Product } from "./open-product.ts";

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
