/** Signing in and out: the printed link, an expired session, signing out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { openVisit, LONG_TIMEOUT, type PanelFixture } from "../panel-fixture.ts";
import { withPanel } from "../with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

test(
  "signs in once with the printed link, removes it from the address, and shows the demo run to its end",
  { skip },
  async () => {
    await using visit = await openVisit(fixture.browser);
    const { page } = visit;
    await page.goto(`${fixture.panel.url}/login#${fixture.link}`);
    await page.getByRole("heading", { name: "Needs attention" }).waitFor(LONG_TIMEOUT);
    assert.equal(page.url(), `${fixture.panel.url}/`);
    await page.getByRole("link", { name: /Call foldMarks/ }).click();
    await page.getByText("The checks failed before and pass now.").waitFor(LONG_TIMEOUT);
    await page.getByRole("tab", { name: /Diff/ }).click();
    await page.getByText("foldMarks(transliterate(title))").first().waitFor(LONG_TIMEOUT);
    await page.getByRole("tab", { name: /Verify/ }).click();
    await page.getByText("exit code 1").first().waitFor();
    assert.equal(await page.getByText(/^exit code 0/).count(), 1);

    await using second = await openVisit(fixture.browser);
    await second.page.goto(`${fixture.panel.url}/login#${fixture.link}`);
    await second.page.getByText("A link works once").waitFor(LONG_TIMEOUT);
    assert.ok(!second.page.url().includes("#"));
    // A link in a tab already at sign-in does not reload it; the token is still used and removed from the address.
    await second.page.getByText("A link works once").waitFor(LONG_TIMEOUT);
    const [signInRequest] = await Promise.all([
      second.page.waitForRequest((request) => request.url().endsWith("/api/auth/once")),
      second.page.evaluate(() => (location.hash = "another-link")),
    ]);
    assert.deepEqual(signInRequest.postDataJSON(), { token: "another-link" });
    assert.ok(!second.page.url().includes("another-link"));
    assert.deepEqual([...visit.complaints, ...second.complaints], []);
  },
);

test("removes all account data on sign-out: the back button shows sign-in", { skip }, async () => {
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.getByRole("link", { name: "Repos", exact: true }).click();
  await page.getByRole("link", { name: /slugger/ }).waitFor(LONG_TIMEOUT);
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByLabel("Password").waitFor(LONG_TIMEOUT);
  await page.goBack();
  await page.getByLabel("Password").waitFor(LONG_TIMEOUT);
  assert.equal(await page.getByText("slugger").count(), 0);
});

test("keeps the page and typed text after an expired session, and continues after sign-in", { skip }, async () => {
  const { body } = await fixture.api("/api/repos?q=slugger");
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/repos/${body.items[0].id}?tab=settings`);
  await page.getByLabel("Focus", { exact: true }).fill("Half a thought");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Your session has expired").waitFor(LONG_TIMEOUT);
  await dialog.getByLabel("Email").fill(fixture.keys.email);
  await dialog.getByLabel("Password").fill(fixture.keys.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.waitFor({ state: "detached", ...LONG_TIMEOUT });
  assert.equal(await page.getByLabel("Focus", { exact: true }).inputValue(), "Half a thought");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor(LONG_TIMEOUT);
});
