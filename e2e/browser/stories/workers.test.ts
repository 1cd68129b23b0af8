/** Workers and their key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { PATIENT, startWorker, type House } from "../house.ts";
import { withHouse } from "../with-house.ts";

let house: House;
withHouse((opened) => (house = opened));

test(
  "of three workers the one that cannot be told of a new key is named, and a worker is drained and enabled again",
  { skip },
  async () => {
    await using _other = await startWorker(house, "box-2");
    await using second = await startWorker(house, "box-3");
    await using visit = await house.enter();
    const { page } = visit;
    await page.goto(`${house.panel.url}/workers`);
    await page.getByText("box-2").waitFor(PATIENT);
    await page.getByText("box-3").waitFor(PATIENT);
    const item = page.locator(".workers > li", { hasText: "box-3" });
    await item.getByText("online").waitFor(PATIENT);
    await item.getByRole("button", { name: "Stop new work" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop new work" }).click();
    await item.getByText("disabled").waitFor(PATIENT);
    await item.getByRole("button", { name: "Enable" }).click();
    await item.getByText("online").waitFor(PATIENT);

    // It is suspended, so its receive buffer fills until no further command fits.
    second.stop();
    const { body } = await house.api("/api/worker/status");
    const { id } = body.workers.find(({ name }: { name: string }) => name === "box-3");
    for (let count = 0; count < 64; count++)
      await house.api(`/api/workers/${id}`, { method: "PATCH", body: { enabled: count % 2 === 1 } });
    await page.goto(`${house.panel.url}/account`);
    await page.getByRole("button", { name: "Rotate…" }).click();
    assert.ok(await page.getByLabel("Notify connected workers").isChecked());
    await page.getByRole("button", { name: "Rotate key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 of 3 connected workers notified.").waitFor(PATIENT);
    await dialog.getByText("box-3").waitFor();
    const { body: license } = await house.api("/api/account/license");
    assert.notEqual(license.license_key, house.keys.license_key);
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
    for (const key of [license.license_key, house.keys.license_key]) assert.ok(!observed.includes(key));
    assert.deepEqual(visit.complaints, []);
  },
);

test("shows warnings for a worker without a sandbox, and none with a sandbox", { skip }, async () => {
  await using _weak = await startWorker(house, "box-weak", ["--isolation", "worktree"]);
  await using visit = await house.enter();
  const { page } = visit;
  await page.goto(`${house.panel.url}/workers`);
  const item = page.locator(".workers > li", { hasText: "box-weak" });
  await item.getByText("Commands run with the permissions of the worker's user").waitFor(PATIENT);
  await item.getByText("triptych worker doctor").waitFor(PATIENT);
  const others = page.locator(".workers > li", { hasNotText: "box-weak" }).filter({ hasText: "sandbox" });
  assert.equal(await others.getByText("No sandbox").count(), 0);
  assert.deepEqual(visit.complaints, []);
});
