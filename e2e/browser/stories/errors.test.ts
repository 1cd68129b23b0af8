/** Hostile text, and an unreachable panel. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { openCuttingProxy } from "../cutting-proxy.ts";
import { addRepo, LONG_TIMEOUT, startRun, type PanelFixture } from "../panel-fixture.ts";
import { withPanel } from "../with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

test("renders hostile text as text everywhere", { skip }, async () => {
  const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202Eevil\u0007 \u001b[31mred`;
  const say = `printf '%s\\n' '<script>document.title="owned"</script>'; head -c 1048576 /dev/zero | tr '\\0' x; printf '\\n\\033[2J\\033[31mred\\n'; sed -i 's/a - b/a + b/' sum.mjs; printf '// <b>bold</b>\\n' >> sum.mjs`;
  const repo = await addRepo(fixture, "hostile", { command: say, name: "<b>hostile</b>", focus: HOSTILE });
  await fixture.api(`/api/repos/${repo}/memories`, { method: "POST", body: { text: HOSTILE } });
  const run = await startRun(fixture, repo);
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.evaluate(() =>
    addEventListener(
      "securitypolicyviolation",
      (event) => (document.body.dataset["refused"] = event.violatedDirective),
    ),
  );
  await page.goto(`${fixture.panel.url}/runs/${run}`);
  await page.getByText("Merge the branch on your Git host.").waitFor(LONG_TIMEOUT);
  await page.getByText('<script>document.title="owned"</script>').first().waitFor(LONG_TIMEOUT);
  assert.match((await page.getByRole("heading", { level: 1 }).textContent()) ?? "", /^<img src=x.*\[U\+202E\]evil/);
  await page.keyboard.press("3");
  await page.getByText("// <b>bold</b>").waitFor(LONG_TIMEOUT);
  for (const path of ["/", "/runs", "/repos", `/repos/${repo}?tab=memories`, `/repos/${repo}?tab=settings`]) {
    await page.goto(fixture.panel.url + path);
    await page.locator("main").getByText("hostile").locator("visible=true").first().waitFor(LONG_TIMEOUT);
    assert.equal(await page.evaluate(() => document.querySelectorAll("main img, main script, main b b").length), 0);
    assert.doesNotMatch(await page.title(), /owned/);
  }
  assert.equal(await page.evaluate(() => document.body.dataset["refused"] ?? ""), "");
  assert.deepEqual(visit.complaints, []);
});

test("keeps the screen while the panel is unreachable, reports it, and recovers", { skip }, async () => {
  await using proxy = await openCuttingProxy(fixture.panel.url);
  await using visit = await fixture.enter({}, proxy.url);
  const { page } = visit;
  await page.goto(`${proxy.url}/repos`);
  await page.getByRole("link", { name: /slugger/ }).waitFor(LONG_TIMEOUT);
  await visit.page.context().setOffline(true);
  proxy.cut();
  await page.getByText(/Cannot reach the panel|Live updates are interrupted/).waitFor(LONG_TIMEOUT);
  assert.ok(await page.getByRole("link", { name: /slugger/ }).isVisible());
  await page.getByRole("link", { name: "Workers", exact: true }).click();
  await visit.page.context().setOffline(false);
  await page.getByText("embedded").waitFor(LONG_TIMEOUT);
  await page.locator(".connection.shown").waitFor({ state: "detached", ...LONG_TIMEOUT });
});
