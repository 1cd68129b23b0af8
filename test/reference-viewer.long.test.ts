/** "Try it" of every service in a real browser: from the reference to the viewer, a refused request and an allowed one. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { openInstallation, type Installation } from "./support/product.ts";

interface Case {
  readonly service: string;
  readonly operation: string;
  /** Name of the security scheme in the dialog, and where the demo credential is in credentials.json. */
  readonly credential: { readonly scheme: string; readonly path: readonly string[] } | null;
  /** Parameter and its value. */
  readonly parameter?: readonly [string, string];
  /** Replaces the example in the first request, which is refused. */
  readonly badBody?: string;
  readonly refused: string;
  readonly refusal: string;
  readonly expected: RegExp;
}

const CASES: readonly Case[] = [
  {
    service: "directory",
    operation: "GET /api/items",
    credential: { scheme: "key_bearer", path: ["directory", "pro_key"] },
    parameter: ["limit", "1"],
    refused: "401",
    refusal: "key_required",
    expected: /"total": 220/,
  },
  {
    service: "router",
    operation: "POST /v1/route",
    credential: null,
    badBody: '{"state": 1}',
    refused: "400",
    refusal: "validation_failed",
    expected: /"route": "get_weather"/,
  },
  {
    service: "gateway",
    operation: "POST /v1/route",
    // The scheme of each kind of caller has the same header: the first one of the document remains.
    credential: { scheme: "header_header", path: ["rail", "demo_wallet_token"] },
    refused: "402",
    refusal: "wallet_required",
    expected: /"route": "get_weather"/,
  },
  {
    service: "rail",
    operation: "GET /v1/wallets/me",
    credential: { scheme: "wallet_bearer", path: ["rail", "demo_wallet_token"] },
    refused: "401",
    refusal: "wallet_token_required",
    expected: /"balance_micro": \d+/,
  },
  {
    service: "panel",
    operation: "GET /api/account",
    credential: { scheme: "account_bearer", path: ["panel", "pro", "access_token"] },
    refused: "401",
    refusal: "unauthenticated",
    expected: /"email": "owner@example.test"/,
  },
];

// Hooks of the suite: root hooks would apply to every file in the process.
describe("the viewer of requests in a browser", { skip: withoutBrowser }, () => {
  const parts = new AsyncDisposableStack();
  let browser: Browser;
  let installation: Installation;
  let origins: Readonly<Record<string, string>> = {};
  let credentials: unknown;
  before(async () => {
    browser = parts.adopt(await openBrowser(), (launched) => launched.close());
    installation = parts.use(await openInstallation());
    await installation.start();
    origins = await installation.origins();
    credentials = JSON.parse(await readFile(join(installation.folder, "data", "credentials.json"), "utf8"));
  });
  after(() => parts.disposeAsync());

  for (const { service, operation, credential, parameter, badBody, refused, refusal, expected } of CASES)
    test(`${service}: ${operation} is refused with ${refused}, then allowed`, async () => {
      const origin = origins[service] ?? "";
      await using opened = await openPage(browser, `${origin}/docs`);
      const { page, requests, complaints } = opened;
      await page.getByRole("link", { name: `Try it: ${operation}`, exact: true }).click();
      const block = page.locator(".opblock.is-open");
      await block.locator(".execute").waitFor();
      assert.equal(await block.count(), 1);

      const body = block.locator("textarea");
      const example = badBody === undefined ? "" : await body.inputValue();
      if (badBody !== undefined) await body.fill(badBody);
      if (parameter !== undefined) await block.locator(`[data-param-name="${parameter[0]}"] input`).fill(parameter[1]);
      assert.match(await send(page, refused), new RegExp(`"code": "${refusal}"`));

      if (badBody !== undefined) await body.fill(example);
      let secret = "";
      if (credential !== null) {
        secret = credential.path.reduce((value, key) => Object(value)[key], credentials) as string;
        await authorize(page, credential.scheme, secret);
      }
      assert.match(await send(page, "200"), expected);
      await checkScreens(page);

      if (secret !== "") {
        assert.ok(requests.every(({ url }) => !url.includes(secret)) && !page.url().includes(secret));
        assert.ok(!(await page.content()).includes(secret), "the page shows the credential");
      }
      // The chosen theme may be stored; nothing else is.
      assert.equal(await page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length"), 0);
      assert.deepEqual(
        requests.filter(({ url }) => !url.startsWith(`${origin}/`) && url !== "data:,"),
        [],
      );
      // The browser itself logs the refused request. A violation of the policy would be a line too.
      const others = complaints.filter((line) => !line.includes(`status of ${refused}`));
      assert.deepEqual(others, []);
      await page.reload();
      await page.locator(".opblock.is-open .execute").waitFor();
      if (credential !== null) await send(page, refused);
    });

  test("without JavaScript, the viewer points to the reference, which has every request as code", async () => {
    await using opened = await openPage(browser, `${origins["rail"]}/docs/try`, { javaScriptEnabled: false });
    await opened.page.getByRole("link", { name: "reference", exact: true }).click();
    await opened.page.getByText("Python", { exact: true }).first().waitFor();
  });
});

/** Sends the request of the open operation; returns the text of its response. */
async function send(page: Page, status: string): Promise<string> {
  await page.locator(".opblock.is-open .execute").click();
  const response = page.locator(".live-responses-table tbody");
  await response.locator(".response-col_status", { hasText: status }).waitFor();
  return response.innerText();
}

async function authorize(page: Page, scheme: string, secret: string): Promise<void> {
  await page.getByRole("button", { name: "Authorize", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Credentials" });
  const form = dialog.locator(".auth-container", { hasText: scheme });
  const field = form.locator("input").first();
  assert.equal(await field.getAttribute("type"), "password");
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Authorize", exact: true }).click();
  await field.fill(secret);
  await form.getByRole("button", { name: "Authorize" }).click();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await dialog.waitFor({ state: "detached" });
}

/** A theme changes colors only: the second one is checked for contrast. */
async function checkScreens(page: Page): Promise<void> {
  for (const width of [320, 1280])
    for (const [colorScheme, rules] of [
      ["light", []],
      ["dark", ["color-contrast"]],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(page, rules), [], `${width} pixels, ${colorScheme}`);
      assert.ok(
        await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        `scrolls horizontally at ${width} pixels`,
      );
    }
}
