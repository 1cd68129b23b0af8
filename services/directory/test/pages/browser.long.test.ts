import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { openBrowser, openPage as openPageIn, violations, withoutBrowser } from "@triptych/server/testing";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { runCommand } from "../support/run-command.ts";
import { openService, untilTotal } from "./open-service.ts";

let service: Awaited<ReturnType<typeof openService>>;
let browser: Browser;

// Hooks of the suite: root hooks would apply to every file in the process.
describe("the pages of the directory in a browser", { skip: withoutBrowser }, () => {
  const parts = new AsyncDisposableStack();
  before(async () => {
    browser = parts.adopt(await openBrowser(), (resource) => resource.close());
    service = parts.use(await openService());
  });
  after(() => parts.disposeAsync());

  const map = (rest = "") => `${service.url}/carte${rest}`;
  const Answer = Type.Object({
    total: Type.Integer(),
    items: Type.Array(Type.Object({ title: Type.String() })),
    facets: Type.Object({ type: Type.Array(Type.Object({ count: Type.Integer() })) }),
  });

  /** The browser of a reader in France. */
  function openPage(browser: Browser, address: string, options: BrowserContextOptions = {}) {
    return openPageIn(browser, address, { locale: "fr-FR", viewport: { width: 1280, height: 800 }, ...options });
  }

  test("the docs page has no accessibility violation, light or dark, wide or narrow", async () => {
    await using opened = await openPage(browser, `${service.url}/docs`);
    assert.deepEqual(await violations(opened.page), []);
    await opened.page.emulateMedia({ colorScheme: "dark" });
    await opened.page.setViewportSize({ width: 360, height: 740 });
    assert.deepEqual(await violations(opened.page), []);
    assert.deepEqual(opened.complaints, []);
  });

  test("the map page has no accessibility violation without a key, on Discovery and on Pro, light or dark", async () => {
    for (const key of ["", service.discovery, service.pro]) {
      await using opened = await openPage(browser, map(key === "" ? "" : `?type=actor#key=${key}`));
      const { page } = opened;
      if (key !== "") {
        await untilTotal(page, "101 résultats");
        await page.locator("#list button").first().click();
        for (const summary of await page.locator("#tools summary").all()) await summary.click();
      }
      assert.deepEqual(await violations(page), []);
      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await violations(page, ["color-contrast"]), []);
      assert.deepEqual(opened.complaints, []);
    }
  });

  test("no request of either page leaves the origin", async () => {
    for (const address of [`${service.url}/docs`, map(`#key=${service.pro}`)]) {
      await using opened = await openPage(browser, address);
      await opened.page.waitForLoadState("networkidle");
      assert.ok(opened.requests.length > 3);
      assert.deepEqual(
        opened.requests.filter(({ url }) => !url.startsWith(`${service.url}/`) && url !== "data:,"),
        [],
      );
    }
  });

  test("removes a key in the fragment from the URL, stores it in the tab, and sends it in a header only", async () => {
    await using opened = await openPage(browser, map(`?type=place#key=${service.pro}`));
    const { page, context, requests } = opened;
    await untilTotal(page, "101 résultats");
    await page.locator("#q").fill("rennes");
    await untilTotal(page, "1 résultat");
    assert.equal(page.url(), map("?q=rennes&type=place"));
    assert.ok(requests.every(({ url }) => !url.split("#")[0]?.includes(service.pro)));
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await page.evaluate("localStorage.length"), 0);
    assert.equal(await page.evaluate("JSON.stringify(history.state)"), "null");
    assert.doesNotMatch(await page.content(), new RegExp(service.pro));
    await page.reload();
    await untilTotal(page, "1 résultat");
    await page.locator("#forget").click();
    await page.locator("#key").waitFor();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
  });

  test("accepts a typed key, and reports a rejected one", async () => {
    await using opened = await openPage(browser, map());
    const { page } = opened;
    await page.locator("#key").fill("dir_test_wrong");
    await page.keyboard.press("Enter");
    await page.locator("#key-refused", { hasText: "Clé refusée" }).waitFor();
    await page.locator("#key").fill(service.discovery);
    await page.keyboard.press("Enter");
    await untilTotal(page, "220 résultats");
    assert.equal(page.url(), map());
  });

  test("with a Discovery key the page shows counts and the list, and says why points are missing", async () => {
    await using opened = await openPage(browser, map(`#key=${service.discovery}`));
    const { page, requests } = opened;
    await untilTotal(page, "220 résultats");
    assert.match(await page.locator("#map-note").innerText(), /Discovery n'inclut pas les coordonnées/);
    assert.equal(await page.locator("#list li").count(), 50);
    assert.equal(await page.locator("#around-point").isDisabled(), true);
    assert.equal(await page.locator("#export-csv").isDisabled(), true);
    assert.ok(requests.every(({ url }) => !url.includes("near=")));
    await page.locator("#more").click();
    await page.locator("#list li:nth-child(100)").waitFor();
  });

  test("the list works by keyboard: arrows move, Enter opens, Escape closes and then leaves", async () => {
    await using opened = await openPage(browser, map(`?region=bretagne&type=place#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "4 résultats");
    const focused = () => page.evaluate("document.activeElement.dataset.row ?? document.activeElement.id");
    await page.locator("#list button").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    assert.equal(await focused(), "place/saint-brieuc");
    await page.keyboard.press("Enter");
    assert.match(await page.locator("#list li.open").innerText(), /baie qui porte son nom/);
    assert.equal(await focused(), "place/saint-brieuc");
    await page.keyboard.press("End");
    assert.equal(await focused(), "place/vannes");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#list li.open").count(), 0);
    await page.keyboard.press("Escape");
    assert.equal(await focused(), "q");
  });

  test("the map can be moved, zoomed and clicked by keyboard", async () => {
    await using opened = await openPage(browser, map(`#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "220 résultats");
    await page.locator("#around-point").focus();
    await page.keyboard.press("Enter");
    for (const key of ["+", "ArrowLeft", "ArrowUp", "Enter"]) await page.keyboard.press(key);
    await page.waitForURL(/near=-?\d+\.\d+,-?\d+\.\d+&radius=\d+/);
    await page.waitForURL(/map=metropole,/);
    await page.locator("#circle").waitFor();
    await page.locator("#around-clear").click();
    await untilTotal(page, "220 résultats");
    assert.doesNotMatch(page.url(), /near=/);
  });

  test("the page shows the API's total, facet counts, distances and request", async () => {
    await using opened = await openPage(browser, map(`?near=48.117,-1.678&radius=120#key=${service.pro}`));
    const { page } = opened;
    await page.locator("#list li").first().waitFor();
    await page.locator("#call-box summary").click();
    const call = (await page.locator("#call").innerText()).replace("GET ", "");
    const answer = Value.Parse(Answer, await (await service.ask(`${call}&facets=type`)).json());
    await untilTotal(page, answer.total === 1 ? "1 résultat" : `${answer.total} résultats`);
    const titles = await page.locator(".row-title").allInnerTexts();
    assert.deepEqual(
      titles,
      answer.items.map((item) => item.title),
    );
    const counts = await page.locator("#facets fieldset:first-child .count").allInnerTexts();
    assert.deepEqual(
      counts,
      answer.facets.type.map((value) => String(value.count)),
    );
    assert.match(await page.locator(".row-where").first().innerText(), /\d,\d km$/);
  });

  test("a filter adds a history entry that Back undoes", async () => {
    await using opened = await openPage(browser, map(`#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "220 résultats");
    await page.locator('[data-facet="type:article"]').check();
    await untilTotal(page, "18 résultats");
    await page.locator('[data-facet="type:place"]').check();
    await untilTotal(page, "119 résultats");
    assert.equal(page.url(), map("?type=article,place"));
    await page.goBack();
    await untilTotal(page, "18 résultats");
    await page.locator("#chips button").first().click();
    await untilTotal(page, "220 résultats");
  });

  test("an export contains every match of the filter", async () => {
    await using opened = await openPage(browser, map(`?region=bretagne#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "9 résultats");
    await page.locator("#export summary").click();
    for (const [format, rows] of [
      ["csv", 10],
      ["ndjson", 9],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#export-${format}`).click()]);
      assert.equal(
        readFileSync(await download.path(), "utf8")
          .trimEnd()
          .split("\n").length,
        rows,
      );
      await page.locator("#export-said", { hasText: "9 éléments" }).waitFor();
    }
  });

  test("neither page scrolls sideways at 320 pixels, and a reader of English gets English", async () => {
    for (const address of [`${service.url}/docs`, map(`#key=${service.pro}`)]) {
      await using opened = await openPage(browser, address, { viewport: { width: 320, height: 640 }, locale: "en-GB" });
      await opened.page.waitForLoadState("networkidle");
      assert.ok(Number(await opened.page.evaluate("document.documentElement.scrollWidth")) <= 320, address);
      assert.equal(await opened.page.evaluate("document.documentElement.lang"), "en");
    }
  });

  test("around me requests the position and reports a denial", async () => {
    const rennes = { latitude: 48.1113, longitude: -1.68 };
    await using allowed = await openPage(browser, map(`#key=${service.pro}`), {
      geolocation: rennes,
      permissions: ["geolocation"],
    });
    await untilTotal(allowed.page, "220 résultats");
    await allowed.page.locator("#around-me").click();
    await untilTotal(allowed.page, "1 résultat");
    assert.match(allowed.page.url(), /near=48\.1113,-1\.68&radius=10/);

    await using refused = await openPage(browser, map(`?region=corse#key=${service.pro}`));
    await untilTotal(refused.page, "5 résultats");
    await refused.page.locator("#around-me").click();
    await refused.page.locator("#notices", { hasText: "Autorisez la géolocalisation" }).waitFor();
  });

  test("the list follows the map: the API's box on Pro, the loaded items in view on Discovery", async () => {
    await using opened = await openPage(browser, map(`?lang=en&map=metropole,48.1,-2.8,3.6#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "220 results");
    await page.getByLabel("Search as the map moves").check();
    await page.waitForURL(/bbox=-?[\d.]+,/);
    await page.locator("#total", { hasText: /^\d{1,2} results$/ }).waitFor();
    const box = new URL(page.url()).searchParams.get("bbox");
    const answer = Value.Parse(Answer, await (await service.ask(`/api/items?bbox=${box}&facets=type`)).json());
    await untilTotal(page, `${answer.total} results`);
    assert.deepEqual(
      await page.locator(".row-title").allInnerTexts(),
      answer.items.map(({ title }) => title),
    );
    await page.locator(".maplibregl-canvas").focus();
    await page.keyboard.press("-");
    await page.locator("#total", { hasText: new RegExp(`^(?!${answer.total} )\\d+ results$`) }).waitFor();
    await page.getByRole("button", { name: "Remove filter: Visible area" }).click();
    await untilTotal(page, "220 results");
    assert.doesNotMatch(page.url(), /bbox=/);

    await using discovery = await openPage(browser, map(`?lang=en&map=974,-21.1,55.5,6#key=${service.discovery}`));
    await untilTotal(discovery.page, "220 results");
    assert.equal(await discovery.page.locator("#list li").count(), 50);
    await discovery.page.getByLabel("Search as the map moves").check();
    await discovery.page.waitForFunction("document.querySelectorAll('#list li').length < 50");
    assert.ok(discovery.requests.every(({ url }) => !url.includes("/api/items?bbox")));
  });

  test("suggests completions while typing; the arrow keys and Enter choose one", async () => {
    await using opened = await openPage(browser, map(`#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "220 résultats");
    await page.locator("#q").pressSequentially("renn");
    const options = page.locator("#suggestions").getByRole("option");
    await options.filter({ hasText: /Rennes.*Commune/s }).waitFor();
    const texts = await options.allInnerTexts();
    const commune = texts.findIndex((text) => text.includes("Commune"));
    for (let step = 0; step <= commune; step += 1) await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator("#q").getAttribute("aria-activedescendant"), `suggestion-${commune}`);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Enter");
    await page.waitForURL(/commune=Rennes/);
    assert.equal(await page.locator("#q").inputValue(), "");
    assert.equal(await page.locator("#suggestions").isVisible(), false);
    await page.locator("#q").pressSequentially("bret");
    await options.first().waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#suggestions").isVisible(), false);
  });

  test("the language switch keeps the filters and the key", async () => {
    await using opened = await openPage(browser, map(`?type=place#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "101 résultats");
    await page.getByRole("link", { name: "English" }).click();
    await untilTotal(page, "101 results");
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.equal(new URL(page.url()).searchParams.get("type"), "place");
    await page.getByRole("link", { name: "Français" }).click();
    await untilTotal(page, "101 résultats");
  });

  test("the radius slider changes the circle and the list", async () => {
    await using opened = await openPage(browser, map(`?near=48.117,-1.678&radius=120#key=${service.pro}`));
    const { page } = opened;
    await page.locator("#radius-said", { hasText: "120 km" }).waitFor();
    await untilTotal(page, "\\d+ résultats");
    const before = await page.locator("#total").innerText();
    await page.locator("#radius").fill("50");
    await page.waitForURL(/radius=14(?:&|$)/);
    await page.locator("#total", { hasText: new RegExp(`^(?!${before}$)`) }).waitFor();
    await untilTotal(page, "1 résultat");
  });

  test("a mark opens a popup with a link to the item's page, and the list shows the same item", async () => {
    await using opened = await openPage(browser, map(`?q=rennes&type=place#key=${service.pro}`));
    const { page } = opened;
    await untilTotal(page, "1 résultat");
    await page.locator("#list button").first().click();
    await page.locator(".popup-title", { hasText: "Rennes" }).waitFor();
    assert.equal(await page.locator(".popup a").first().getAttribute("href"), "/fiche/place/rennes");
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Fermer" }).click();
    assert.equal(await page.locator("#list li.open").count(), 0);
  });

  test("without WebGL the page says so when the map is used, and list and filters work", async () => {
    await using opened = await openPage(browser, `${service.url}/docs`);
    const { page } = opened;
    await page.addInitScript("HTMLCanvasElement.prototype.getContext = () => null");
    await page.goto(map(`?type=place#key=${service.pro}`));
    await page.locator("#map").hover();
    await page.getByText("WebGL n'est pas disponible").waitFor();
    await untilTotal(page, "101 résultats");
    assert.deepEqual(await violations(page), []);
  });

  test("tiles open the policy for their origin only, and are requested there", async () => {
    const tiles = "http://127.0.0.1:9/tiles/{z}/{x}/{y}.png";
    await using own = await openService({ DIRECTORY_TILES_URL: tiles, DIRECTORY_TILES_ATTRIBUTION: "Tuiles d'essai" });
    const policy = (await own.ask("/carte")).headers.get("content-security-policy") ?? "";
    assert.match(policy, /img-src 'self' data: http:\/\/127\.0\.0\.1:9;.*connect-src 'self' http:\/\/127\.0\.0\.1:9;/);
    await using opened = await openPage(browser, `${service.url}/docs`);
    const { page, context } = opened;
    await context.route("http://127.0.0.1:9/**", (route) => route.fulfill({ status: 404, body: "" }));
    const requested = page.waitForRequest(/^http:\/\/127\.0\.0\.1:9\/tiles\/\d+\/\d+\/\d+\.png$/);
    await page.goto(`${own.url}/carte`);
    await requested;
    assert.match(await page.locator("#attribution").innerText(), /Tuiles d'essai/);
  });

  test("without JavaScript the docs page is readable and the map page says what it requires", async () => {
    for (const [path, expected] of [
      ["/docs", "Première requête"],
      ["/carte", "nécessite JavaScript"],
    ] as const) {
      await using opened = await openPage(browser, service.url + path, { javaScriptEnabled: false });
      assert.match(await opened.page.locator("body").innerText(), new RegExp(expected));
    }
  });

  test("the filter of the docs page shows only matches", async () => {
    await using opened = await openPage(browser, `${service.url}/docs`);
    const { page } = opened;
    await page.locator("#filter").fill("quota_exceeded");
    await page.locator("#filtered", { hasText: /^\d+ entrées correspondent$/ }).waitFor();
    assert.equal(await page.locator("#errors tbody tr:visible").count(), 1);
    assert.equal(await page.locator("#fields tbody tr:visible").count(), 0);
    await page.locator("#filter").fill("");
    await page.locator("#fields tbody tr").first().waitFor();
  });

  test("restarts the list after an import instead of mixing versions", async () => {
    await using own = await openService();
    await using opened = await openPage(browser, `${own.url}/carte#key=${own.discovery}`);
    const { page } = opened;
    await untilTotal(page, "220 résultats");
    const file = join(own.data, "lieux.csv");
    await writeFile(file, `id,titre\n${Array.from({ length: 130 }, (_, n) => `${n},Lieu ${n}`).join("\n")}\n`);
    const { code, stderr } = await runCommand(["import", file, "--type", "place"], { data: own.data });
    assert.equal(code, 0, stderr);
    while ((await (await own.ask("/api/meta")).text()).includes('"all":220'))
      await new Promise((resolve) => setTimeout(resolve, 100));

    await page.locator("#more").click();
    await page.locator("#notices", { hasText: "Les données ont été mises à jour" }).waitFor();
    await untilTotal(page, "130 résultats");
    await page.locator("#more").click();
    await page.locator("#list > li").nth(99).waitFor();
    const titles = await page.locator("#list > li").allInnerTexts();
    assert.ok(titles.length === 100 && titles.every((title) => title.startsWith("Lieu ")));
  });

  test("removes a key in the query from the URL and uses it", async () => {
    await using opened = await openPage(browser, map(`?type=actor&key=${service.pro}`));
    await untilTotal(opened.page, "101 résultats");
    assert.ok(!opened.page.url().includes("key"));
    assert.match(opened.page.url(), /type=actor/);
  });

  test("shows a rate limit and retries automatically", async () => {
    // Last, because it uses up the minute window of the Discovery key.
    await using opened = await openPage(browser, map());
    for (let count = 0; count < 120; count += 1) await (await service.ask("/api/usage", service.discovery)).text();
    await opened.page.locator("#key").fill(service.discovery);
    await opened.page.keyboard.press("Enter");
    await opened.page.locator("#notices", { hasText: /par minute atteinte\. Nouvel essai dans \d+ s/ }).waitFor();
  });
});
