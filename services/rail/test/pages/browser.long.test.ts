import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { ANSWER, openService } from "./open-service.ts";

let service: Awaited<ReturnType<typeof openService>>;
let browser: Browser;

// These are hooks of the suite, because root hooks would apply to every file in the process.
describe("the pages of the rail in a browser", { skip: withoutBrowser }, () => {
  const parts = new AsyncDisposableStack();
  before(async () => {
    browser = parts.adopt(await openBrowser(), (resource) => resource.close());
    service = parts.use(await openService());
  });
  after(() => parts.disposeAsync());

  const LOOKS = [
    { colorScheme: "light", width: 1280 },
    { colorScheme: "dark", width: 320 },
    { colorScheme: "dark", width: 1280 },
    { colorScheme: "light", width: 320 },
  ] as const;
  const wallet = () => `${service.url}/wallet`;
  const verify = () => `${service.url}/verify`;

  async function unlock(page: Page, token: string): Promise<void> {
    await page.locator("#token").fill(token);
    await page.keyboard.press("Enter");
    await page.locator("#entry-rows tr").first().waitFor();
  }

  /** Creates an agent token with a limit of 10 decisions, and returns it. */
  async function createAgentToken(page: Page, name: string): Promise<string> {
    await page.locator("#agent-name").fill(name);
    await page.locator("#agent-total_micro").fill("0.005");
    await page.locator("#agent-create").click();
    await page.locator("#new-token-what", { hasText: name }).waitFor();
    await page.locator(".agent", { hasText: name }).waitFor();
    const token = await page.locator("#new-token").innerText();
    await page.locator("#new-token-kept").click();
    return token;
  }

  async function prove(page: Page, receipt: string, answer = ""): Promise<string> {
    await page.locator("#receipt").fill(receipt);
    await page.locator("#answer").fill(answer);
    await page.locator("#verdict").evaluate((verdict) => verdict.replaceChildren());
    await page.locator("#receipt-form button").click();
    return page.locator("#verdict .mark").innerText();
  }

  test("no page has an accessibility violation, signed in or out, with valid and invalid receipts, light or dark, wide or narrow", async () => {
    const { wallet_token } = await service.createWallet();
    const [{ receipt }] = await service.decide(wallet_token, 3);
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    const everywhere = async () => {
      for (const { colorScheme, width } of LOOKS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await violations(page), [], `${colorScheme} ${width}`);
        assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width, `${width} overflows`);
      }
    };
    await everywhere();
    await unlock(page, wallet_token);
    for (const box of ["#history-box", "#usage-box"]) await page.locator(`${box} summary`).click();
    await createAgentToken(page, "crawler");
    await everywhere();
    await page.locator("#rotate-button").click();
    await everywhere();
    await page.goto(verify());
    await everywhere();
    await prove(page, receipt);
    await everywhere();
    await prove(page, "nonsense");
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(opened.complaints, []);
  });

  test("the token opens the wallet, stays in the tab, and is in no URL, storage or text of the page", async () => {
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
    assert.equal(await page.locator("#token").count(), 0);
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await page.evaluate("localStorage.length"), 0);
    await page.reload();
    await page.locator("#entry-rows tr").first().waitFor();
    await page.locator("#forget").click();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    assert.equal(await page.locator("#contents").isVisible(), false);
    assert.equal(await page.locator("#entry-rows tr").count(), 0);
  });

  test("reports a wrong token and does not store it", async () => {
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    await page.locator("#token").fill(`rail_test_${"0".repeat(26)}_0000000`);
    await page.keyboard.press("Enter");
    await page.locator("#token-refused", { hasText: "No open wallet of this mode has this token" }).waitFor();
    assert.equal(await page.evaluate("sessionStorage.length"), 0);
    assert.equal(await page.locator("#contents").isVisible(), false);
  });

  test("lists entries like the API, newest first, older ones on demand", async () => {
    const { wallet_token } = await service.createWallet();
    await service.decide(wallet_token, 60);
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    await unlock(page, wallet_token);
    assert.equal(await page.locator("#entry-rows tr").count(), 50);
    const [first] = await page.locator("#entry-rows tr").allInnerTexts();
    assert.match(first, /^62\s+Refund \(not delivered\) route\s+\+€0\.0005\s+€0\.0705\s/);
    await page.locator("#more").click();
    await page.locator("#entry-rows tr:nth-child(62)").waitFor();
    assert.equal(await page.locator("#more").isVisible(), false);
    assert.match(await page.locator("#entry-rows tr").last().innerText(), /^1\s+Starter credit\s+\+€0\.1000/);
  });

  test("adds a test top-up immediately", async () => {
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

  test("verifies a charge's receipt in the browser from the published keys alone", async () => {
    const { wallet_token } = await service.createWallet();
    const [{ charge_id }] = await service.decide(wallet_token, 2);
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    await unlock(page, wallet_token);
    await page.locator(`[data-charge="${charge_id}"]`).click();
    assert.match(await page.locator("#verdict .mark").innerText(), /^Valid\. Signed by this rail/);
    assert.equal(page.url(), verify(), "the receipt is taken out of the address");
    assert.match(await page.locator("#verdict .pairs").innerText(), new RegExp(charge_id));
  });

  test("verifies a pasted receipt, with its response, without a token and without sending it", async () => {
    const { wallet_token } = await service.createWallet();
    const [{ receipt }] = await service.decide(wallet_token, 2);
    await using opened = await openPage(browser, verify());
    const { page, requests } = opened;
    await page.waitForLoadState("networkidle");
    const before = requests.length;
    assert.match(await prove(page, `  ${receipt}\n`, ANSWER), /^Valid\..* It matches this response\.$/);
    assert.match(await prove(page, receipt, `${ANSWER} `), /^Invalid\..* belongs to a different response/);
    assert.deepEqual(
      new Set(requests.slice(before).map(({ url }) => url.replace(service.url, ""))),
      new Set(["/.well-known/jwks.json", "/.well-known/revoked-keys.json"]),
    );
    assert.ok(requests.every(({ body }) => body === ""));
  });

  test("rejects a receipt with any changed character, and reports an unknown key", async () => {
    const { wallet_token } = await service.createWallet();
    const [{ receipt }] = await service.decide(wallet_token, 2);
    await using opened = await openPage(browser, verify());
    const changed = (index: number) =>
      receipt.slice(0, index) + (receipt[index] === "A" ? "B" : "A") + receipt.slice(index + 1);
    for (const index of [0, receipt.indexOf(".") + 20, receipt.lastIndexOf(".") + 5, receipt.length - 1])
      assert.match(await prove(opened.page, changed(index)), /^Invalid\./, `place ${index}`);
    const other = Buffer.from('{"alg":"EdDSA","kid":"of another rail","typ":"rail-receipt+jwt"}').toString("base64url");
    assert.match(await prove(opened.page, other + receipt.slice(receipt.indexOf("."))), /^Key unknown\./);
  });

  test("shows the command in a browser without Ed25519", async () => {
    const context = await browser.newContext();
    await context.addInitScript("Object.defineProperty(globalThis.crypto, 'subtle', { value: undefined })");
    const page = await context.newPage();
    await page.goto(verify());
    await page.locator("#unable", { hasText: "Verification is not available in this browser" }).waitFor();
    assert.equal(await page.locator("#receipt-form button").isDisabled(), true);
    assert.match(await page.locator("pre").first().innerText(), /triptych rail receipt verify/);
    await context.close();
  });

  test("verifies a wallet's entry chain, and finds a changed or missing entry", async () => {
    const { wallet_token } = await service.createWallet();
    await service.decide(wallet_token, 5);
    const headers = { "X-Rail-Wallet": wallet_token };
    const pages = await (await fetch(`${service.url}/v1/wallets/me/entries?limit=200`, { headers })).text();
    await using opened = await openPage(browser, verify());
    const { page, requests } = opened;
    await page.waitForLoadState("networkidle");
    const before = requests.length;
    const check = async (text: string) => {
      await page.locator("#chain").fill(text);
      await page.locator("#chain-verdict").evaluate((verdict) => verdict.replaceChildren());
      await page.locator("#chain-form button").click();
      await page.locator("#chain-verdict .mark").waitFor();
      return page.locator("#chain-verdict").innerText();
    };
    assert.match(await check(pages), /^Valid\. 7 entries without gaps.* Balance: €0\.0980\.$/);
    const { items } = JSON.parse(pages);
    assert.match(await check(JSON.stringify(items.toSpliced(2, 1))), /^Invalid\.[\s\S]*entry 5 is missing/);
    const forged = items.with(3, { ...items[3], op: "noul" });
    assert.match(await check(JSON.stringify(forged)), /^Invalid\.[\s\S]*does not contain the hash/);
    assert.match(await check("{}"), /^Not checked\./);
    assert.equal(requests.length, before, "nothing was asked of the rail");
  });

  test("draws usage by day, and saves a statement with its signature", async () => {
    const { wallet_token } = await service.createWallet();
    await service.decide(wallet_token, 6);
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    await unlock(page, wallet_token);
    await page.locator("#usage-said", { hasText: "5 decisions for €0.0025, up to 5 per day." }).waitFor();
    assert.equal(await page.locator("#usage-bars rect").count(), 30);
    await page.locator("#usage-box summary").click();
    assert.match(await page.locator("#usage-rows tr").innerText(), /\s5\s+€0\.0025$/);
    for (const [format, expected] of [
      ["json", /"signature":"ey/],
      ["csv", /^id,seq,kind/m],
    ] as const) {
      await page.selectOption("#statement-format", format);
      const [file] = await Promise.all([page.waitForEvent("download"), page.locator("#statement-button").click()]);
      assert.match(file.suggestedFilename(), new RegExp(`^statement-\\d{4}-\\d\\d\\.${format}$`));
      assert.match(readFileSync(await file.path(), "utf8"), expected);
    }
    await page.locator("#statement-said code", { hasText: /^ey/ }).waitFor();
  });

  test("creates a wallet and rotates its token: each is shown once and opens the wallet", async () => {
    await using opened = await openPage(browser, wallet());
    const { page, requests } = opened;
    await page.locator("#email").fill("somebody@example.test");
    await page.keyboard.press("Enter");
    await page.locator("#entry-rows tr").first().waitFor();
    const first = await page.locator("#new-token").innerText();
    assert.match(first, /^rail_test_/);
    await page.locator("#new-token-kept").click();
    assert.ok(!(await page.content()).includes(first));
    await page.locator("#rotate-button").click();
    await page.keyboard.press("Escape");
    assert.ok(!requests.some(({ url }) => url.endsWith("/rotate")), "leaving the question changes nothing");
    await page.selectOption("#rotate-grace", "0");
    await page.locator("#rotate-button").click();
    await page.locator("#confirm-yes").click();
    await page.locator("#new-token-what", { hasText: "This is your new token" }).waitFor();
    const second = await page.locator("#new-token").innerText();
    const status = async (token: string) =>
      (await fetch(`${service.url}/v1/wallets/me`, { headers: { "X-Rail-Wallet": token } })).status;
    assert.deepEqual([await status(first), await status(second)], [401, 200]);
    await page.locator("#refresh").click();
    await page.reload();
    await page.locator("#entry-rows tr").first().waitFor();
    assert.equal(await page.locator("#new-token-box").isVisible(), false);
  });

  test("sets and removes spending limits, and shows their spend and reset times in UTC", async () => {
    const { wallet_token } = await service.createWallet();
    await service.decide(wallet_token, 3);
    await using opened = await openPage(browser, wallet());
    const { page, requests } = opened;
    await unlock(page, wallet_token);
    await page.locator("#caps-per_day_micro").fill("0.01");
    await page.locator("#caps-alerts").fill("50, 100");
    await page.locator("#caps-save").click();
    await page.locator("#caps-state", { hasText: /€0\.0010 of €0\.01 spent/ }).waitFor();
    assert.match(await page.locator("#caps-state").innerText(), /resets \d+ \w+ \d{4}, 00:00 UTC/);
    const body = requests.findLast(({ body }) => body.includes("caps"))?.body ?? "";
    assert.deepEqual(JSON.parse(body), {
      caps: { per_charge_micro: null, per_day_micro: 10_000, per_month_micro: null },
      alerts: [50, 100],
    });
    await page.locator("#caps-lift").click();
    await page.locator("#caps-state", { hasText: /Today\s*€0\.0010 spent, no limit/ }).waitFor();
    assert.equal(await page.locator("#caps-per_day_micro").inputValue(), "");
  });

  test("creates an agent token, shown once, and revokes it after a confirmation", async () => {
    const { wallet_token } = await service.createWallet();
    await using opened = await openPage(browser, wallet());
    const { page, requests } = opened;
    await unlock(page, wallet_token);
    await page.locator("#op-route").check();
    const token = await createAgentToken(page, "crawler");
    assert.ok(!(await page.content()).includes(token));
    await service.decide(token, 4);
    await page.locator("#refresh").click();
    const agent = page.locator(".agent", { hasText: "crawler" });
    await agent.getByText("€0.0015 of €0.0050 spent").first().waitFor();
    assert.match(await agent.innerText(), /Operations\s+route/);
    await agent.getByRole("button").click();
    await page.keyboard.press("Escape");
    assert.ok(!requests.some(({ url }) => url.includes("/tokens/")), "leaving the question changes nothing");
    await agent.getByRole("button").click();
    await page.locator("#confirm-yes").click();
    await agent.getByText("revoked").waitFor();
    assert.equal(await agent.getByRole("button").count(), 0);
    assert.ok(requests.every(({ url, body }) => !url.includes(token) && !body.includes(token)));
  });

  test("shows an agent token its own spending, and no form that it may not use", async () => {
    const { wallet_token } = await service.createWallet();
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    await unlock(page, wallet_token);
    const token = await createAgentToken(page, "crawler");
    await service.decide(wallet_token, 3);
    await service.decide(token, 3);
    await page.locator("#forget").click();
    await unlock(page, token);
    assert.equal(await page.locator("#balance-figure").innerText(), "€0.0040");
    assert.match(await page.locator("#balance-parts").innerText(), /Agent token\s+crawler/);
    assert.equal(await page.locator("#entry-rows tr").count(), 4);
    for (const form of ["#topup-amount", "#auto-amount", "#caps-save", "#agent-form", "#rotate-button"])
      assert.equal(await page.locator(form).count(), 0, form);
    assert.deepEqual(opened.complaints, []);
    assert.deepEqual(await violations(page), []);
  });

  test("filters entries by kind and day, and verifies the chain in the page", async () => {
    const { wallet_token } = await service.createWallet();
    await service.decide(wallet_token, 3);
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    await unlock(page, wallet_token);
    await page.selectOption("#filter-kind", "starter");
    await page.locator("#entry-rows tr:only-child", { hasText: "Starter credit" }).waitFor();
    await page.locator("#filter-until").fill("2020-01-01");
    await page.locator("#entries-said", { hasText: "No transaction matches the filters." }).waitFor();
    await page.locator("#verify-entries").click();
    await page.locator("#entries-verdict .good", { hasText: "5 entries without gaps" }).waitFor();
  });

  test("names the agent that paid for an entry, and filters entries by it", async () => {
    const { wallet_token } = await service.createWallet();
    await using opened = await openPage(browser, wallet());
    const { page } = opened;
    await unlock(page, wallet_token);
    assert.equal(await page.locator("#filter-token").count(), 0, "there is nothing to choose from");
    const scout = await createAgentToken(page, "scout");
    const writer = await createAgentToken(page, "writer");
    await service.decide(wallet_token, 2);
    await service.decide(scout, 3);
    await service.decide(writer, 2);
    await page.locator("#refresh").click();
    await page.locator("#entry-rows tr:nth-child(11)").waitFor();
    assert.equal(await page.locator("#entry-rows tr", { hasText: /route\s+scout/ }).count(), 4);
    const label = `scout (… ${scout.slice(-4)})`;
    await page.selectOption("#filter-token", { label });
    await page.locator("#entry-rows tr:nth-child(4):last-child", { hasText: "scout" }).waitFor();
    assert.equal(await page.locator("#entry-rows tr", { hasText: "writer" }).count(), 0);
    await page.selectOption("#filter-kind", "void");
    await page.locator("#entry-rows tr:only-child", { hasText: "scout" }).waitFor();
    await page.selectOption("#filter-token", "");
    await page.locator("#entry-rows tr:nth-child(3):last-child").waitFor();
    assert.deepEqual(await violations(page), []);
  });

  test("speaks the language of the browser, and the one that the visitor chooses", async () => {
    const { wallet_token } = await service.createWallet();
    const context = await browser.newContext({ locale: "fr-FR" });
    const page = await context.newPage();
    await page.goto(wallet());
    await page.locator("h1", { hasText: "Portefeuille" }).waitFor();
    assert.equal(await page.getAttribute("html", "lang"), "fr");
    await unlock(page, wallet_token);
    assert.equal((await page.locator("#balance-figure").innerText()).replaceAll(/\s/g, " "), "0,10 €");
    await page.getByRole("link", { name: "English" }).click();
    await page.locator("#entry-rows tr").first().waitFor();
    assert.equal(await page.locator("#balance-figure").innerText(), "€0.10");
    assert.equal(await page.getByRole("link", { name: "Verify" }).getAttribute("href"), "/verify?lang=en");
    await context.close();
  });

  test("explains a bank transfer, and offers no automatic top-up that the provider cannot charge", async () => {
    await using manual = await openService({ RAIL_PROVIDER: "manual" });
    const { wallet_token } = await manual.createWallet();
    await using opened = await openPage(browser, `${manual.url}/wallet`);
    const { page } = opened;
    await unlock(page, wallet_token);
    await page.locator("section", { hasText: "By bank transfer" }).first().waitFor();
    assert.equal(await page.locator("#auto-amount").count(), 0);
    assert.equal(await page.locator(".badge", { hasText: "Test mode" }).count(), 0);
    await page.locator("#topup-button").click();
    await page.locator("#topup-said", { hasText: /Top-up top_\w+ created/ }).waitFor();
  });

  test("reports an unreachable rail and keeps the displayed data", async () => {
    const { wallet_token } = await service.createWallet();
    await using opened = await openPage(browser, wallet());
    const { page, context } = opened;
    await unlock(page, wallet_token);
    await context.setOffline(true);
    await page.locator("#refresh").click();
    await page.locator("#away", { hasText: "The rail is not responding" }).waitFor();
    assert.equal(await page.locator("#balance-figure").innerText(), "€0.10");
    await context.setOffline(false);
    await page.locator("#refresh").click();
    await page.locator("#away:empty").waitFor({ state: "attached" });
  });

  test("sends no request to another origin", async () => {
    const { wallet_token } = await service.createWallet();
    const [{ receipt }] = await service.decide(wallet_token, 2);
    await using opened = await openPage(browser, wallet());
    const { page, requests } = opened;
    await unlock(page, wallet_token);
    await page.goto(verify());
    await prove(page, receipt);
    assert.ok(requests.length > 10);
    assert.deepEqual(
      requests.filter(({ url }) => !url.startsWith(`${service.url}/`) && url !== "data:,"),
      [],
    );
  });

  test("the page of a mail link removes the code from the URL, redeems it on confirmation, and reports errors", async () => {
    for (const { colorScheme, width } of LOOKS) {
      const viewport = { width, height: 640 };
      await using opened = await openPage(browser, `${wallet()}/link#recover=nonsense`, { colorScheme, viewport });
      const { page, requests } = opened;
      const about = `${colorScheme} ${width}`;
      assert.equal(page.url(), `${wallet()}/link`);
      assert.equal(await page.locator("h1").innerText(), "Create a new wallet token");
      assert.deepEqual(await violations(page), [], about);
      assert.ok(requests.every(({ url, body }) => !(url + body).includes("nonsense")));
      await page.locator("#go").click();
      await page.locator(".refused", { hasText: "The code is invalid." }).waitFor();
      assert.deepEqual(await violations(page), [], about);
      assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width, about);
    }
  });

  test("without JavaScript the page says what it requires", async () => {
    await using opened = await openPage(browser, wallet(), { javaScriptEnabled: false });
    assert.match(await opened.page.locator("body").innerText(), /This page requires JavaScript/);
  });
});
