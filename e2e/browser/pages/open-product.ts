/** The whole product and a real browser, for page stories. No mocks; payments use the test provider. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser } from "@triptych/server/testing";
import { openInstallation } from "../../../test/support/product.ts";

export interface ApiKeys {
  readonly discovery_key: string;
  readonly pro_key: string;
}

export async function openProduct() {
  await using opened = new AsyncDisposableStack();
  const installation = opened.use(await openInstallation());
  await installation.start();
  const browser = opened.adopt(await openBrowser(), (launched) => launched.close());
  const origins: Readonly<Record<string, string>> = await installation.origins();
  const keys: ApiKeys = await installation.credentials();
  const parts = opened.move();
  return {
    browser,
    keys,
    origin(service: string): string {
      const origin = origins[service];
      if (origin === undefined) throw new Error(`no service ${service} is running`);
      return origin;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export type Product = Awaited<ReturnType<typeof openProduct>>;

/** Screenshots go to the folder E2E_PICTURES; without it none are taken. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env["E2E_PICTURES"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Creates a wallet on the page and copies its token. */
export async function makeWallet(page: Page, rail: string): Promise<string> {
  await page.goto(`${rail}/wallet`);
  await page.locator("#email").fill("reader@example.test");
  await page.keyboard.press("Enter");
  await page.locator("#new-token", { hasText: /^rail_test_/ }).waitFor();
  await page.locator("#entry-rows tr").first().waitFor();
  return page.locator("#new-token").innerText();
}
