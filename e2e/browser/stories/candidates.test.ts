/** Triage of candidates by keyboard alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { LONG_TIMEOUT, type PanelFixture } from "../panel-fixture.ts";
import { withPanel } from "../with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

test(
  "reviews candidates by keyboard: one rejection undone, one permanent rejection, one completed run",
  { skip },
  async () => {
    const { body } = await fixture.api("/api/repos?q=slugger");
    const { id } = body.items[0];
    await using visit = await fixture.enter();
    const { page } = visit;
    await page.goto(`${fixture.panel.url}/repos/${id}?tab=candidates`);
    const list = page.getByRole("list", { name: "Candidates" }).getByRole("button");
    await list.first().waitFor(LONG_TIMEOUT);
    const count = await list.count();
    assert.ok(count >= 4, `only ${count} candidates`);
    const chosen = () => page.getByRole("article").getByRole("heading", { level: 2 }).textContent();

    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    const title = (await chosen()) ?? "";
    await page.keyboard.press("e");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "evidence");
    await page.keyboard.press("x");
    await page.keyboard.type("not now");
    await page.keyboard.press("Enter");
    await page.getByText(`Rejected: ${title}`).waitFor();
    assert.equal(await list.count(), count - 1);
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await list.nth(count - 1).waitFor();
    const stateOf = async (name: string) => {
      const { body } = await fixture.api(`/api/repos/${id}/candidates?state=all`);
      return body.items.find(({ title }: { title: string }) => title === name)?.state;
    };
    assert.equal(await stateOf(title), "proposed");

    await list.last().focus();
    const last = (await chosen()) ?? "";
    await page.keyboard.press("x");
    await page.keyboard.press("Enter");
    await page.getByText(`Rejected: ${last}`).waitFor();
    await page.getByText(`Rejected: ${last}`).waitFor({ state: "detached", ...LONG_TIMEOUT });
    await list.nth(count - 2).waitFor();
    for (let tries = 0; (await stateOf(last)) !== "rejected" && tries < 50; tries++) await wait(200);
    assert.equal(await stateOf(last), "rejected");

    await page.getByRole("button", { name: /license/ }).focus();
    await page.keyboard.press("r");
    await page.waitForURL(/\/runs\/run_/, LONG_TIMEOUT);
    await page
      .getByText(/The branch was pushed|No changes needed|Retry/)
      .first()
      .waitFor(LONG_TIMEOUT);
    assert.deepEqual(visit.complaints, []);
  },
);
