/** Goes from no wallet to a verified receipt, like a user: gateway, rail, browser. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { openPage, withoutBrowser } from "@triptych/server/testing";
import { sharedProduct } from "./shared-product.ts";
import { keepPicture, makeWallet, type Product } from "./open-product.ts";

const skip = withoutBrowser;
let product: Product;
before(async () => {
  if (skip === false) product = await sharedProduct();
});

const playground = () => `${product.origin("gateway")}/playground`;
const rail = () => product.origin("rail");

async function decide(page: Page, text: string): Promise<void> {
  await page.locator("#state").fill(text);
  await page.locator("button.primary").click();
  await page.locator("#curl", { hasText: text }).waitFor();
  await page.locator("#refused:empty").waitFor({ state: "attached" });
}

/** Creates a sub-token on the wallet page, with limits in euros, and returns it. */
async function createAgent(page: Page, name: string, caps: Readonly<Record<string, string>>): Promise<string> {
  await page.locator("#agent-name").fill(name);
  for (const [cap, euros] of Object.entries(caps)) await page.locator(`#agent-${cap}`).fill(euros);
  await page.locator("#agent-create").click();
  await page.locator("#new-token-what", { hasText: name }).waitFor();
  const token = await page.locator("#new-token").innerText();
  await page.locator("#new-token-kept").click();
  return token;
}

test(
  "explains a 402 with steps to a wallet, and returns a valid receipt for the first paid decision",
  { skip },
  async () => {
    await using opened = await openPage(product.browser, playground());
    const { page, context, requests } = opened;
    await page.locator("button.primary").click();
    await page.locator("#steps").waitFor();
    assert.match(await page.locator("#refused").innerText(), /Payment required \(402\)/);

    const [shop] = await Promise.all([context.waitForEvent("page"), page.locator("#steps a").click()]);
    assert.equal(shop.url(), `${rail()}/wallet`);
    const token = await makeWallet(shop, rail());

    await page.locator("#token").fill(token);
    await decide(page, "Will it rain in Paris tomorrow?");
    await page.locator("#action").waitFor();
    assert.match(await page.locator("#payment").innerText(), /€0\.0005[\s\S]*199 decisions, €0\.0995/);
    assert.ok(requests.every(({ url, body }) => !url.includes(token) && !body.includes(token)));

    const [proof] = await Promise.all([context.waitForEvent("page"), page.locator("#verify").click()]);
    await proof.locator("#verdict .mark").waitFor();
    assert.match(await proof.locator("#verdict .mark").innerText(), /^Valid\..*It matches this response\.$/);
    assert.equal(proof.url(), `${rail()}/verify`, "the receipt does not stay in the address");
  },
);

test(
  "compares two experts on two decisions, charges each once, and shows no token in any snippet",
  { skip },
  async () => {
    await using opened = await openPage(product.browser, `${rail()}/wallet`);
    const { page } = opened;
    const token = await makeWallet(page, rail());
    await page.goto(playground());
    await page.locator("#token").fill(token);
    await page.locator("#compare").check();
    await page.locator("#cost", { hasText: "Two decisions, €0.0005 each" }).waitFor();
    for (const language of ["JavaScript", "Python", "curl"]) {
      await page.getByRole("button", { name: language, exact: true }).click();
      assert.match(await page.locator("#curl").innerText(), /WALLET_TOKEN/);
      assert.ok(!(await page.locator("body").innerText()).includes(token));
    }
    await page.locator("button.primary").click();
    await page.locator(".side").nth(1).waitFor();
    assert.equal(await page.locator(".side .pairs", { hasText: /Cost\s*€0\.0005/ }).count(), 2);
    await page.locator("#agreement").waitFor();
    const wallet = await fetch(`${rail()}/v1/wallets/me`, { headers: { "X-Rail-Wallet": token } });
    assert.equal((await wallet.json()).balance_micro, 100_000 - 2 * 500);
  },
);

test("shows wallet entries that sum to the balance and form one chain", { skip }, async () => {
  await using opened = await openPage(product.browser, `${rail()}/wallet`);
  const { page } = opened;
  const token = await makeWallet(page, rail());
  await page.locator("#new-token-kept").click();
  await page.locator("#topup-amount").fill("1.23");
  await page.locator("#topup-button").click();
  await page.locator("#topup-said", { hasText: "€1.23 was added." }).waitFor();

  await using spending = await openPage(product.browser, playground());
  await spending.page.locator("#token").fill(token);
  for (const text of ["first", "second", "third"]) await decide(spending.page, text);

  await page.locator("#refresh").click();
  await page.locator("#entry-rows tr:nth-child(5)").waitFor();
  const amounts = await page.locator("#entry-rows .amount:not(.after)").allInnerTexts();
  const micro = (text: string) => Math.round(Number(text.replace("−", "-").replaceAll(/[€+,]/g, "")) * 1_000_000);
  const sum = amounts.map(micro).reduce((one, other) => one + other, 0);
  assert.equal(sum, micro(await page.locator("#balance-figure").innerText()));
  assert.equal(sum, 100_000 + 1_230_000 - 3 * 500);
  await page.locator("#usage-said", { hasText: "3 decisions for €0.0015" }).waitFor();

  const entries = await fetch(`${rail()}/v1/wallets/me/entries`, { headers: { "X-Rail-Wallet": token } });
  const text = await entries.text();
  await page.goto(`${rail()}/verify`);
  await page.locator("#chain").fill(text);
  await page.locator("#chain-form button").click();
  await page.locator("#chain-verdict .good", { hasText: "5 entries without gaps" }).waitFor();
});

test(
  "gives two agents of one wallet different caps: one runs dry, the other goes on, and receipts tell who paid",
  { skip },
  async () => {
    await using opened = await openPage(product.browser, `${rail()}/wallet`);
    const { page } = opened;
    await makeWallet(page, rail());
    await page.locator("#new-token-kept").click();
    const scout = await createAgent(page, "scout", { total_micro: "0.001" });
    const writer = await createAgent(page, "writer", { per_day_micro: "0.0025" });

    await using spending = await openPage(product.browser, playground());
    const agent = spending.page;
    await agent.locator("#token").fill(scout);
    for (const text of ["first", "second"]) await decide(agent, text);
    await agent.locator("button.primary").click();
    await agent.locator("#refused", { hasText: "The total cap of this token is 1000 micro-euros" }).waitFor();
    assert.match(await agent.locator("#refused").innerText(), /Nothing was billed/);

    await agent.locator("#token").fill(writer);
    await decide(agent, "third");
    const [proof] = await Promise.all([spending.context.waitForEvent("page"), agent.locator("#verify").click()]);
    await proof.locator("#verdict .mark.good").waitFor();
    await page.locator("#refresh").click();
    await page.locator("#entry-rows tr:nth-child(4)").waitFor();
    const id = await page.locator(".agent", { hasText: "writer" }).getAttribute("data-token");
    assert.match(await proof.locator("#verdict").innerText(), new RegExp(`Agent token\\s+${id}`));
    assert.match(await page.locator(".agent", { hasText: "scout" }).innerText(), /€0\.0010 of €0\.0010 spent/);
    await page.selectOption("#filter-token", String(id));
    await page.locator("#entry-rows tr:only-child", { hasText: /route\s+writer/ }).waitFor();
    await keepPicture(page, "money-agents");
    assert.deepEqual([...opened.complaints, ...spending.complaints.filter((text) => !text.includes("403"))], []);
  },
);

test("rejects a receipt in the browser with any one of a hundred bits flipped", { skip }, async () => {
  await using opened = await openPage(product.browser, `${rail()}/wallet`);
  const { page } = opened;
  const token = await makeWallet(page, rail());
  const paid = await fetch(`${product.origin("gateway")}/v1/noul`, {
    method: "POST",
    headers: { "X-Rail-Wallet": token, "Content-Type": "application/json" },
    body: JSON.stringify({ state: "I want to talk to a person" }),
  });
  const receipt = paid.headers.get("X-Rail-Receipt") ?? "";
  await page.goto(`${rail()}/verify`);
  const verdictOf = async (text: string) => {
    await page.locator("#receipt").fill(text);
    await page.locator("#verdict").evaluate((verdict) => verdict.replaceChildren());
    await page.locator("#receipt-form button").click();
    return page.locator("#verdict .mark").getAttribute("class");
  };
  assert.equal(await verdictOf(receipt), "mark good");
  const bits = receipt.length * 6;
  for (let flip = 0; flip < 100; flip += 1) {
    const changed = flipped(receipt, Math.floor((flip * bits) / 100));
    assert.match(String(await verdictOf(changed)), /^mark (bad|unsure)$/, `bit ${flip} of 100`);
  }
});

const SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Flips one of the six bits of a symbol; a dot between the parts becomes a symbol. */
function flipped(receipt: string, bit: number): string {
  const index = Math.floor(bit / 6);
  const value = SYMBOLS.indexOf(receipt[index] ?? "");
  const other = value < 0 ? "A" : SYMBOLS[value ^ (1 << (bit % 6))];
  return receipt.slice(0, index) + other + receipt.slice(index + 1);
}

test("explains a routing decision in the playground while typing, without third-party requests", { skip }, async () => {
  const origin = product.origin("router");
  await using opened = await openPage(product.browser, `${origin}/playground`);
  const { page, requests, complaints } = opened;
  await page.locator("#state").fill("Quel temps fera-t-il demain à Brest ?");
  await page.locator("#route", { hasText: "get_weather" }).waitFor();
  await page.locator(".words", { hasText: "Brest" }).waitFor();
  const marked = await page.locator(".words mark.for").allInnerTexts();
  assert.ok(marked.includes("temps"), marked.join());
  assert.match(await page.locator("#facts").innerText(), /Decided in\s+\d+\.\d{3} ms/);
  assert.deepEqual(
    requests.filter(({ url }) => !url.startsWith(`${origin}/`) && url !== "data:,"),
    [],
  );
  assert.deepEqual(complaints, []);
});
