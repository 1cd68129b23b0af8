import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage, violations, withoutBrowser } from "@triptych/server/testing";
import { builtWebSite } from "@triptych/web/build";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

let browser: Browser;
let fixture: Fixture;
let address: string;

// Hooks of the suite: root hooks would apply to every file in the process.
describe("the playground in a browser", { skip: withoutBrowser }, () => {
  const parts = new AsyncDisposableStack();
  before(async () => {
    browser = parts.adopt(await openBrowser(), (browser) => browser.close());
    fixture = parts.use(await createFixture({ playgroundFolder: builtWebSite("playground") }));
    address = `${await fixture.server.fastify.listen({ host: "127.0.0.1", port: 0 })}/playground`;
  });
  after(() => parts.disposeAsync());

  async function say(page: Page, text: string): Promise<void> {
    await page.locator("#state").fill(text);
    await page.locator(".words", { hasText: text }).first().waitFor();
  }

  test("shows action, route, probabilities, reasons and the command for a typed text", async () => {
    await using opened = await openPage(browser, address);
    const { page } = opened;
    await say(page, "please, will it rain");
    assert.equal(await page.locator("#action").innerText(), "Call the tool");
    assert.equal(await page.locator("#route").innerText(), "weather");
    assert.equal(await page.locator("#probabilities .chosen .label").innerText(), "weather");
    assert.ok((await page.locator(".words mark.for").allInnerTexts()).includes("rain"));
    assert.match(
      await page.locator("#curl").innerText(),
      /curl http:\/\/127\.0\.0\.1:\d+\/v1\/route .*please, will it rain/s,
    );
    await say(page, "so I want to talk to a human");
    assert.equal(await page.locator("#action").innerText(), "Delegate");
    assert.deepEqual(opened.complaints, []);
    assert.ok(
      opened.requests.every(({ url }) => url.startsWith(new URL(address).origin)),
      "no request goes to another host",
    );
  });

  test("each of the five operations shows its own response and command", async () => {
    await using opened = await openPage(browser, address);
    const { page } = opened;
    await say(page, "so I want to talk to a human");
    const verdicts = { decide: /^escalate/, noul: /^Escalate: yes/, score: /^Complexity [1-4]/, assess: /^Delegate/ };
    for (const [operation, expected] of Object.entries(verdicts)) {
      await page.selectOption("#operation", operation);
      await page.locator("#action", { hasText: expected }).waitFor();
      assert.match(await page.locator("#curl").innerText(), new RegExp(`/v1/${operation} `));
      assert.equal(await page.locator("#choosing").isVisible(), operation === "decide" || operation === "assess");
    }
    assert.match(await page.locator("#rules").innerText(), /asks_for_human/);
    assert.equal(await page.locator("#complexity .row").count(), 4);
    assert.deepEqual(opened.complaints, []);
  });

  test("sends a conversation as messages, and decides on the last user message", async () => {
    await using opened = await openPage(browser, address);
    const { page, requests } = opened;
    await page.locator("#as-messages").check();
    await page.locator("#state").fill("system: be kind\nuser: hello\nassistant: hi\nuser: will it\nrain");
    // The answer to the text before may name the same route.
    await page.locator(".words", { hasText: /^will it\s+rain$/ }).waitFor();
    const { messages } = JSON.parse(requests.findLast(({ url }) => url.endsWith("/v1/route"))?.body ?? "{}");
    assert.deepEqual(messages.at(-1), { role: "user", content: "will it\nrain" });
    assert.equal(messages.length, 4);
  });

  test("offers a list of experts, and decides custom options without one", async () => {
    await using opened = await openPage(browser, address);
    const { page } = opened;
    await say(page, "money back please");
    await page.selectOption("#expert", "helpdesk");
    await page.locator("#facts", { hasText: "helpdesk" }).waitFor();
    assert.equal(await page.locator("#probabilities .row").count(), 2);
    await page.selectOption("#expert", "options");
    await page.locator("#options").fill("sun: weather and rain\ncash: money back\nbare");
    await page.locator("#route", { hasText: "cash" }).waitFor();
    assert.equal(await page.locator("#probabilities .row").count(), 3);
    assert.deepEqual(opened.complaints, []);
  });

  test("shows errors as text, and never renders text as markup", async () => {
    await using opened = await openPage(browser, address);
    const { page } = opened;
    await page.selectOption("#expert", "options");
    await page.locator("#options").fill("");
    await page.locator("#refused", { hasText: "must not be empty" }).waitFor();
    assert.equal(await page.locator("#decision").isVisible(), false);
    await page.selectOption("#expert", "");
    await say(page, "<img src=x onerror=alert(1)> rain");
    assert.equal(await page.locator(".words img").count(), 0);
  });

  test("prompts for the router token and uses it", async () => {
    await using guarded = await createFixture({
      routerToken: "a-token-of-the-operator",
      playgroundFolder: builtWebSite("playground"),
    });
    const at = `${await guarded.server.fastify.listen({ host: "127.0.0.1", port: 0 })}/playground`;
    await using opened = await openPage(browser, at);
    const { page } = opened;
    await page.locator("#token").waitFor();
    await page.locator("#token").fill("a-token-of-the-operator");
    await page.locator("#decision").waitFor();
    assert.match(await page.locator("#curl").innerText(), /Authorization: Bearer \$ROUTER_TOKEN/);
    assert.ok(!(await page.locator("body").innerText()).includes("a-token-of-the-operator"));
  });

  test("compares two experts on the same text: choice, confidence, routes, time and cost", async () => {
    await using opened = await openPage(browser, address);
    const { page, requests } = opened;
    await say(page, "money back please");
    await page.selectOption("#expert", "helpdesk");
    await page.locator("#facts", { hasText: "helpdesk" }).waitFor();
    await page.locator("#compare").check();
    await page.selectOption("#other-expert", "options");
    await page.locator("#options").fill("sun: weather and rain\ncash: money back");
    const right = page.locator(".side").nth(1);
    await right.locator(".verdict", { hasText: "cash" }).waitFor();
    const left = page.locator(".side").nth(0);
    assert.deepEqual(await page.locator(".side h2").allInnerTexts(), ["helpdesk", "Custom options"]);
    const chosen = await left.locator(".verdict strong").innerText();
    assert.equal(await page.locator("#agreement").innerText(), `They choose different routes: ${chosen} and cash.`);
    for (const side of [left, right]) {
      assert.match(await side.locator(".pairs").innerText(), /Decided in\s+\d+\.\d{3} ms[^]*Cost\s+free/);
      assert.match(await side.locator(".row.chosen").first().innerText(), /^Confidence/);
      assert.equal(await side.locator(".bars").nth(1).locator(".row").count(), 2);
    }
    const bodies = requests.filter(({ url }) => url.endsWith("/v1/route")).map(({ body }) => JSON.parse(body));
    const [one, two] = bodies.slice(-2);
    assert.equal(one.state, two.state);
    assert.deepEqual([one.expert, two.options], ["helpdesk", { sun: "weather and rain", cash: "money back" }]);
    await page.selectOption("#operation", "noul");
    await page.locator("#action", { hasText: "Escalate" }).waitFor();
    assert.equal(await page.locator("#compare").isVisible(), false, "noul chooses no route");
    assert.deepEqual(opened.complaints, []);
  });

  test("copies the request as curl, JavaScript and Python", async () => {
    await using opened = await openPage(browser, address);
    const { page, context } = opened;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await say(page, 'it\'s "quoted" $HOME');
    for (const [language, expected] of [
      ["JavaScript", /^const response = await fetch\("http:[^]*"state": "it's \\"quoted\\" \$HOME"/],
      ["Python", /^import json[^]*"state": "it's \\"quoted\\" \$HOME"/],
      ["curl", /^curl http:[^]*'\{"state":"it'\\''s \\"quoted\\" \$HOME"\}'$/],
    ] as const) {
      await page.getByRole("button", { name: language, exact: true }).click();
      await page.getByRole("button", { name: `Copy as ${language}` }).click();
      await page.locator("#copy-status", { hasText: `Copied as ${language}.` }).waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      assert.match(copied, expected);
      assert.equal(copied, await page.locator("#curl").innerText());
    }
    assert.deepEqual(opened.complaints, []);
  });

  test("the page has no accessibility violation and fits, light or dark, from 320 pixels to 4K", async () => {
    await using opened = await openPage(browser, address);
    const { page } = opened;
    await say(page, "will it rain, or can I have my money back");
    await assertFits(page);
    await page.locator("#compare").check();
    await page.locator("#comparison").waitFor();
    await assertFits(page);
  });

  async function assertFits(page: Page): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [320, 1280, 3840]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        assert.deepEqual(await violations(page), [], `${colorScheme} ${width}`);
        const fits = "document.documentElement.scrollWidth <= innerWidth";
        assert.ok(await page.evaluate(fits), `${width} overflows`);
      }
  }
});
