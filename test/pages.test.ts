/** Every page of the product in a real browser, once: it opens without a complaint, asks nobody else, and axe finds nothing wrong. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { openStage } from "./support/product.ts";

let browser: Browser;
/** Addresses of the services. */
let origins: Readonly<Record<string, string>> = {};

// Hooks of the suite: those of the root belong to every file that shares the process.
describe("every page in a browser", { skip: withoutBrowser }, () => {
  const parts = new AsyncDisposableStack();
  before(async () => {
    browser = parts.adopt(await openBrowser(), (one) => one.close());
    const stage = parts.use(await openStage());
    await stage.start();
    origins = await stage.origins();
  });
  after(() => parts.disposeAsync());

  for (const [service, path, colorScheme, width] of [
    ["directory", "/docs", "light", 1280],
    ["directory", "/carte", "dark", 360],
    ["rail", "/wallet", "light", 360],
    ["router", "/playground", "dark", 1280],
    ["panel", "/", "light", 360],
  ] as const) {
    test(`${path} of the ${service} opens, ${colorScheme} and ${width} pixels wide`, async () => {
      const origin = origins[service] ?? "";
      await using opened = await openPage(browser, origin + path, { colorScheme, viewport: { width, height: 800 } });
      await opened.page.locator("h1").first().waitFor();
      // The long page of the directory takes axe ten seconds: it is judged in the long form, in both colours.
      if (path !== "/docs") assert.deepEqual(await violations(opened.page), []);
      assert.ok(
        await opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        "it scrolls sideways",
      );
      // Nobody is signed in yet: the browser itself tells of that answer of the panel.
      const told = service === "panel" ? opened.complaints.filter((line) => !line.includes("401")) : opened.complaints;
      assert.deepEqual(told, []);
      assert.ok(opened.requests.length > 1);
      assert.deepEqual(
        opened.requests.filter(({ url }) => !url.startsWith(`${origin}/`) && url !== "data:,"),
        [],
      );
    });
  }
});
