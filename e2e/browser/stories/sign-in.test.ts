/** Signing in and out: the printed link, an expired session, signing out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { openVisit, PATIENT, type House } from "../house.ts";
import { withHouse } from "../with-house.ts";

let house: House;
withHouse((opened) => (house = opened));

test(
  "the printed link signs in once, leaves no trace in the address, and the demo run is seen to its end",
  { skip },
  async () => {
    await using visit = await openVisit(house.browser);
    const { page } = visit;
    await page.goto(`${house.panel.url}/login#${house.link}`);
    await page.getByRole("heading", { name: "Needs attention" }).waitFor(PATIENT);
    assert.equal(page.url(), `${house.panel.url}/`);
    await page.getByRole("link", { name: /Call foldMarks/ }).click();
    await page.getByText("The checks failed before and pass now.").waitFor(PATIENT);
    await page.getByRole("tab", { name: /Diff/ }).click();
    await page.getByText("foldMarks(transliterate(title))").first().waitFor(PATIENT);
    await page.getByRole("tab", { name: /Verify/ }).click();
    await page.getByText("exit code 1").first().waitFor();
    assert.equal(await page.getByText(/^exit code 0/).count(), 1);

    await using second = await openVisit(house.browser);
    await second.page.goto(`${house.panel.url}/login#${house.link}`);
    await second.page.getByText("A link works once").waitFor(PATIENT);
    assert.ok(!second.page.url().includes("#"));
    // A link in a tab already at sign-in does not reload it; the token is still used and removed from the address.
    await second.page.getByText("A link works once").waitFor(PATIENT);
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
  await using visit = await house.enter();
  const { page } = visit;
  await page.getByRole("link", { name: "Repos", exact: true }).click();
  await page.getByRole("link", { name: /slugger/ }).waitFor(PATIENT);
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByLabel("Password").waitFor(PATIENT);
  await page.goBack();
  await page.getByLabel("Password").waitFor(PATIENT);
  assert.equal(await page.getByText("slugger").count(), 0);
});

test("keeps the page and typed text after an expired session, and continues after sign-in", { skip }, async () => {
  const { body } = await house.api("/api/repos?q=slugger");
  await using visit = await house.enter();
  const { page } = visit;
  await page.goto(`${house.panel.url}/repos/${body.items[0].id}?tab=settings`);
  await page.getByLabel("Focus", { exact: true }).fill("Half a thought");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Your session has expired").waitFor(PATIENT);
  await dialog.getByLabel("E-mail").fill(house.keys.email);
  await dialog.getByLabel("Password").fill(house.keys.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.waitFor({ state: "detached", ...PATIENT });
  assert.equal(await page.getByLabel("Focus", { exact: true }).inputValue(), "Half a thought");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor(PATIENT);
});
