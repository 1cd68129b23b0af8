import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { ANSWER, openService } from "./open-service.ts";

const skip = withoutBrowser;
let service: Awaited<ReturnType<typeof openService>>;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  service = await openService();
  browser = await openBrowser();
});
after(async () => {
  if (skip !== false) return;
  await browser.close();
  await service[Symbol.asyncDispose]();
});

const LOOKS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "light", width: 320 },
] as const;
const wallet = () => `${service.url}/wallet`;

async function unlock(page: Page, token: string): Promise<void> {
  await page.locator("#token").fill(token);
  await page.keyboard.press("Enter");
  await page.locator("#entry-rows tr").first().waitFor();
}

async function prove(page: Page, receipt: string, answer = ""): Promise<string> {
  await page.locator("#receipt").fill(receipt);
  await page.locator("#answer").fill(answer);
  await page.locator("#verdict").evaluate((verdict) => verdict.replaceChildren());
  await page.locator("#proof-form button").click();
  return page.locator("#verdict .mark").innerText();
}

test(
  "the page has no accessibility violation, closed or open, with a good proof and a bad one, light or dark, wide or narrow",
  { skip },
  async () => {
    const { wallet_token } = await service.createWallet();
    const [{ receipt }] = await service.decide(wallet_token, 3);
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    const everywhere = async () => {
      for (const { colorScheme, width } of LOOKS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await violations(page), [], `${colorScheme} ${width}`);
      }
    };
    await everywhere();
    await unlock(page, wallet_token);
    await prove(page, receipt);
    await everywhere();
    await prove(page, "nonsense");
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(opened.complaints, []);
  },
);

test(
  "the token opens the wallet, stays in the tab, and is in no address, storage or text of the page",
  { skip },
  async () => {
    const { wallet_token, wallet_id } = await service.createWallet();
    await service.decide(wallet_token, 3);
    await using opened = await openPage(browser, wallet());
    const { page, context, requests } = opened;
    await unlock(page, wallet_token);
    assert.equal(await page.locator("#balance-figure").innerText(), "€0.0990");
    assert.match(await page.locator("#balance-decisions").innerText(), /^198 decisions at €0\.0005$/);
    const parts = await page.locator("#balance-parts").innerText();
    assert.match(parts, new RegExp(wallet_id));
    assert.doesNotMatch(parts, /owner@example\.test/);
    assert.equal(page.url(), wallet());
    assert.ok(requests.every(({ url, body }) => !url.includes(wallet_token) && !body.includes(wallet_token)));
    assert.doesNotMatch(await page.content(), new RegExp(wallet_token));
    assert.equal(await page.locator("#token").inputValue(), "");
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await page.evaluate("localStorage.length"), 0);
    await page.reload();
    await page.locator("#entry-rows tr").first().waitFor();
    await page.locator("#forget").click();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    assert.equal(await page.locator("#contents").isVisible(), false);
    assert.equal(await page.locator("#entry-rows tr").count(), 0);
  },
);

test("a wrong token is refused in words, and not kept", { skip }, async () => {
  await using opened = await openPage(browser, wallet());
  const { page } = opened;
  await page.locator("#token").fill(`rail_test_${"0".repeat(26)}_0000000`);
  await page.keyboard.press("Enter");
  await page.locator("#token-refused", { hasText: "No open wallet has this token" }).waitFor();
  assert.equal(await page.evaluate("sessionStorage.length"), 0);
  assert.equal(await page.locator("#contents").isVisible(), false);
});

test("entries are shown as the API has them, newest first, the older ones on demand", { skip }, async () => {
  const { wallet_token } = await service.createWallet();
  await service.decide(wallet_token, 60);
  await using opened = await openPage(browser, wallet());
  const { page } = opened;
  await unlock(page, wallet_token);
  assert.equal(await page.locator("#entry-rows tr").count(), 50);
  const [first] = await page.locator("#entry-rows tr").allInnerTexts();
  assert.match(first, /^62\s+not delivered, given back route\s+\+€0\.0005\s+€0\.0705\s/);
  await page.locator("#more").click();
  await page.locator("#entry-rows tr:nth-child(62)").waitFor();
  assert.equal(await page.locator("#more").isVisible(), false);
  assert.match(await page.locator("#entry-rows tr").last().innerText(), /^1\s+starter credit\s+\+€0\.1000/);
});

test("a test top-up is there at once", { skip }, async () => {
  const { wallet_token } = await service.createWallet();
  await using opened = await openPage(browser, wallet());
  const { page, requests } = opened;
  await unlock(page, wallet_token);
  await page.locator("#topup-amount").fill("12.34");
  await page.keyboard.press("Enter");
  await page.locator("#topup-said", { hasText: "€12.34 was added." }).waitFor();
  await page.locator("#balance-figure", { hasText: "€12.44" }).waitFor();
  assert.equal(requests.find(({ url }) => url.endsWith("/v1/topup"))?.body, '{"amount_micro":12340000}');
  await page.locator("#topup-amount").fill("0.001");
  await page.locator("#topup-button").click();
  assert.equal(requests.filter(({ url }) => url.endsWith("/v1/topup")).length, 1);
});

test("a charge's receipt is proven in the browser from the published keys alone", { skip }, async () => {
  const { wallet_token } = await service.createWallet();
  const [{ charge_id }] = await service.decide(wallet_token, 2);
  await using opened = await openPage(browser, wallet());
  const { page } = opened;
  await unlock(page, wallet_token);
  await page.locator(`[data-charge="${charge_id}"]`).click();
  assert.match(await page.locator("#verdict .mark").innerText(), /^Good\. Signed by this rail/);
  assert.match(await page.locator("#verdict .pairs").innerText(), new RegExp(charge_id));
});

test("a pasted receipt needs no token and is sent nowhere; with its answer that is proven too", { skip }, async () => {
  const { wallet_token } = await service.createWallet();
  const [{ receipt }] = await service.decide(wallet_token, 2);
  await using opened = await openPage(browser, wallet());
  const { page, requests } = opened;
  const before = requests.length;
  assert.match(await prove(page, `  ${receipt}\n`, ANSWER), /^Good\..* It was given for exactly this answer\.$/);
  assert.match(await prove(page, receipt, `${ANSWER} `), /^Not good\..* given for another answer/);
  assert.deepEqual(
    new Set(requests.slice(before).map(({ url }) => url.replace(service.url, ""))),
    new Set(["/.well-known/jwks.json", "/.well-known/revoked-keys.json"]),
  );
  assert.ok(requests.every(({ body }) => body === ""));
});

test("a receipt with one changed symbol anywhere is not good", { skip }, async () => {
  const { wallet_token } = await service.createWallet();
  const [{ receipt }] = await service.decide(wallet_token, 2);
  await using opened = await openPage(browser, wallet());
  const places = [0, 40, receipt.indexOf(".") + 20, receipt.lastIndexOf(".") + 5, receipt.length - 1];
  for (const place of places) {
    const other = receipt[place] === "A" ? "B" : "A";
    const changed = receipt.slice(0, place) + other + receipt.slice(place + 1);
    assert.match(await prove(opened.page, changed), /^Not good\./, `place ${place}`);
  }
});

test("nothing leaves the origin, and nothing scrolls sideways at 320 pixels", { skip }, async () => {
  const { wallet_token } = await service.createWallet();
  const [{ receipt }] = await service.decide(wallet_token, 2);
  await using opened = await openPage(browser, wallet(), { viewport: { width: 320, height: 640 } });
  const { page, requests } = opened;
  await unlock(page, wallet_token);
  await prove(page, receipt);
  assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 320);
  assert.ok(requests.length > 10);
  assert.deepEqual(
    requests.filter(({ url }) => !url.startsWith(`${service.url}/`) && url !== "data:,"),
    [],
  );
});

test(
  "the page behind a mail's link takes the code out of the address, asks before it uses it, and says what went wrong",
  { skip },
  async () => {
    for (const { colorScheme, width } of LOOKS) {
      const viewport = { width, height: 640 };
      await using opened = await openPage(browser, `${wallet()}/link#recover=nonsense`, { colorScheme, viewport });
      const { page, requests } = opened;
      const about = `${colorScheme} ${width}`;
      assert.equal(page.url(), `${wallet()}/link`);
      assert.equal(await page.locator("h2").innerText(), "A new token for your wallet");
      assert.deepEqual(await violations(page), [], about);
      assert.ok(requests.every(({ url, body }) => !(url + body).includes("nonsense")));
      await page.locator("#go").click();
      await page.locator(".refused", { hasText: "The code is not one of this rail's." }).waitFor();
      assert.deepEqual(await violations(page), [], about);
      assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width, about);
    }
  },
);

test("without script the page says what it needs", { skip }, async () => {
  await using opened = await openPage(browser, wallet(), { javaScriptEnabled: false });
  assert.match(await opened.page.locator("body").innerText(), /This page needs JavaScript/);
});
