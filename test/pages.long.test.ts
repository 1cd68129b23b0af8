/** Every page of the product in a real browser: no console errors, no foreign requests, no axe violations. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { openInstallation } from "./support/product.ts";

let browser: Browser;
/** URLs of the services. */
let origins: Readonly<Record<string, string>> = {};

// Hooks of the suite: root hooks would apply to every file in the process.
describe("every page in a browser", { skip: withoutBrowser }, () => {
  const parts = new AsyncDisposableStack();
  before(async () => {
    browser = parts.adopt(await openBrowser(), (launched) => launched.close());
    const installation = parts.use(await openInstallation());
    await installation.start();
    origins = await installation.origins();
  });
  after(() => parts.disposeAsync());

  for (const [service, path, colorScheme, width] of [
    ["directory", "/docs", "light", 1280],
    ["directory", "/carte", "dark", 360],
    ["rail", "/wallet", "light", 360],
    ["router", "/playground", "dark", 1280],
    ["panel", "/", "light", 360],
  ] as const) {
    test(`opens ${path} of the ${service}, ${colorScheme} and ${width} pixels wide`, async () => {
      const origin = origins[service] ?? "";
      await using opened = await openPage(browser, origin + path, { colorScheme, viewport: { width, height: 800 } });
      await opened.page.locator("h1").first().waitFor();
      // axe takes ten seconds on the directory's long page: checked only in the long form, in both color schemes.
      if (path !== "/docs") assert.deepEqual(await violations(opened.page), []);
      assert.ok(
        await opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        "the page scrolls horizontally",
      );
      // Not signed in: the browser itself logs the panel's 401.
      const complaints =
        service === "panel" ? opened.complaints.filter((line) => !line.includes("401")) : opened.complaints;
      assert.deepEqual(complaints, []);
      assert.ok(opened.requests.length > 1);
      assert.deepEqual(
        opened.requests.filter(({ url }) => !url.startsWith(`${origin}/`) && url !== "data:,"),
        [],
      );
    });
  }
});
