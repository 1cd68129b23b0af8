/** Workers and their key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { LONG_TIMEOUT, startWorker, type PanelFixture } from "../panel-fixture.ts";
import { withPanel } from "../with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

test("names the worker that missed a key rotation, and drains and re-enables a worker", { skip }, async () => {
  await using _other = await startWorker(fixture, "box-2");
  await using second = await startWorker(fixture, "box-3");
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/workers`);
  for (const name of ["embedded", "box-2"]) await page.getByText(name, { exact: true }).waitFor(LONG_TIMEOUT);
  await page.getByText("box-3").waitFor(LONG_TIMEOUT);
  const item = page.locator(".workers > li", { hasText: "box-3" });
  await item.getByText("online").waitFor(LONG_TIMEOUT);
  await item.getByRole("button", { name: "Stop new work" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stop new work" }).click();
  await item.getByText("disabled").waitFor(LONG_TIMEOUT);
  await item.getByRole("button", { name: "Enable" }).click();
  await item.getByText("online").waitFor(LONG_TIMEOUT);

  // It is suspended, so its receive buffer fills until no further command fits.
  second.stop();
  const { body } = await fixture.api("/api/worker/status");
  const { id } = body.workers.find(({ name }: { name: string }) => name === "box-3");
  for (let count = 0; count < 64; count++)
    await fixture.api(`/api/workers/${id}`, { method: "PATCH", body: { enabled: count % 2 === 1 } });
  await page.goto(`${fixture.panel.url}/account`);
  await page.getByRole("button", { name: "Rotate…" }).click();
  assert.ok(await page.getByLabel("Notify connected workers").isChecked());
  await page.getByRole("button", { name: "Rotate key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 of 3 connected workers notified.").waitFor(LONG_TIMEOUT);
  await dialog.getByText("box-3").waitFor();
  const { body: license } = await fixture.api("/api/account/license");
  assert.notEqual(license.license_key, fixture.keys.license_key);
  // Neither key is stored in the browser.
  const pageState = await page.evaluate(() =>
    JSON.stringify([
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      document.documentElement.outerHTML,
      history.state,
    ]),
  );
  const observed = [pageState, ...visit.requests].join("\n");
  for (const key of [license.license_key, fixture.keys.license_key]) assert.ok(!observed.includes(key));
  assert.deepEqual(visit.complaints, []);
});

test("shows warnings for a worker without a sandbox, and none with a sandbox", { skip }, async () => {
  await using _weak = await startWorker(fixture, "box-weak", ["--isolation", "worktree"]);
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/workers`);
  const item = page.locator(".workers > li", { hasText: "box-weak" });
  await item.getByText("Commands run with the permissions of the worker's user").waitFor(LONG_TIMEOUT);
  await item.getByText("triptych worker doctor").waitFor(LONG_TIMEOUT);
  const others = page.locator(".workers > li", { hasNotText: "box-weak" }).filter({ hasText: "sandbox" });
  assert.equal(await others.getByText("No sandbox").count(), 0);
  assert.deepEqual(visit.complaints, []);
});
