/** Every page of the product in a real browser: no console errors, no foreign requests, no axe violations. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { openInstallation, type Installation } from "./support/product.ts";

let browser: Browser;
let installation: Installation;
/** URLs of the services. */
let origins: Readonly<Record<string, string>> = {};

// Hooks of the suite: root hooks would apply to every file in the process.
describe("every page in a browser", { skip: withoutBrowser }, () => {
  const parts = new AsyncDisposableStack();
  before(async () => {
    browser = parts.adopt(await openBrowser(), (launched) => launched.close());
    installation = parts.use(await openInstallation());
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

  test("signs in to the dashboard with the printed link, then with the password, and saves a form", async () => {
    const data = join(installation.folder, "data");
    const { email, password } = JSON.parse(await readFile(join(data, "credentials.json"), "utf8")).panel.pro;
    const link = /\/login#\S+/.exec(await readFile(join(data, "sign-in-link.txt"), "utf8"))?.[0];
    await using opened = await openPage(browser, `${origins["panel"]}${link}`);
    const { page } = opened;
    await page.getByRole("heading", { name: "Needs attention" }).waitFor();
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();

    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill("Made in the browser");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByText("Made in the browser").first().waitFor();
  });
});
