/** Hostile text, and an unreachable panel. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { openCuttingProxy } from "../cutting-proxy.ts";
import { addRepo, PATIENT, startRun, type House } from "../house.ts";
import { withHouse } from "../with-house.ts";

let house: House;
withHouse((opened) => (house = opened));

test("renders hostile text as text everywhere", { skip }, async () => {
  const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202Eevil\u0007 \u001b[31mred`;
  const say = `printf '%s\\n' '<script>document.title="owned"</script>'; head -c 1048576 /dev/zero | tr '\\0' x; printf '\\n\\033[2J\\033[31mred\\n'; sed -i 's/a - b/a + b/' sum.mjs; printf '// <b>bold</b>\\n' >> sum.mjs`;
  const repo = await addRepo(house, "hostile", { command: say, name: "<b>hostile</b>", focus: HOSTILE });
  await house.api(`/api/repos/${repo}/memories`, { method: "POST", body: { text: HOSTILE } });
  const run = await startRun(house, repo);
  await using visit = await house.enter();
  const { page } = visit;
  await page.evaluate(() =>
    addEventListener(
      "securitypolicyviolation",
      (event) => (document.body.dataset["refused"] = event.violatedDirective),
    ),
  );
  await page.goto(`${house.panel.url}/runs/${run}`);
  await page.getByText("Merge the branch on your Git host.").waitFor(PATIENT);
  await page.getByText('<script>document.title="owned"</script>').first().waitFor(PATIENT);
  assert.match((await page.getByRole("heading", { level: 1 }).textContent()) ?? "", /^<img src=x.*\[U\+202E\]evil/);
  await page.keyboard.press("3");
  await page.getByText("// <b>bold</b>").waitFor(PATIENT);
  for (const path of ["/", "/runs", "/repos", `/repos/${repo}?tab=memories`, `/repos/${repo}?tab=settings`]) {
    await page.goto(house.panel.url + path);
    await page.locator("main").getByText("hostile").locator("visible=true").first().waitFor(PATIENT);
    assert.equal(await page.evaluate(() => document.querySelectorAll("main img, main script, main b b").length), 0);
    assert.doesNotMatch(await page.title(), /owned/);
  }
  assert.equal(await page.evaluate(() => document.body.dataset["refused"] ?? ""), "");
  assert.deepEqual(visit.complaints, []);
});

test(
  "a panel that is away leaves what is on screen, says so, and everything goes on when it is back",
  { skip },
  async () => {
    await using proxy = await openCuttingProxy(house.panel.url);
    await using visit = await house.enter({}, proxy.url);
    const { page } = visit;
    await page.goto(`${proxy.url}/repos`);
    await page.getByRole("link", { name: /slugger/ }).waitFor(PATIENT);
    await visit.page.context().setOffline(true);
    proxy.cut();
    await page.getByText(/Cannot reach the panel|Live updates are interrupted/).waitFor(PATIENT);
    assert.ok(await page.getByRole("link", { name: /slugger/ }).isVisible());
    await page.getByRole("link", { name: "Workers", exact: true }).click();
    await visit.page.context().setOffline(false);
    await page.getByText("embedded").waitFor(PATIENT);
    await page.locator(".connection.shown").waitFor({ state: "detached", ...PATIENT });
  },
);
