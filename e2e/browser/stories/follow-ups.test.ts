/** A pull request whose check fails: watched, repaired, started once more by a person, and merged. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { violations, withoutBrowser as skip } from "@triptych/server/testing";
import type { Locator, Page } from "playwright-core";
import {
  commandSettings,
  FORGE_TOKEN,
  LONG_TIMEOUT,
  plant,
  startRun,
  SUM,
  type PanelFixture,
} from "../panel-fixture.ts";
import { withPanel } from "../with-panel.ts";

const PICTURES = fileURLToPath(new URL("../../../reports/screenshots", import.meta.url));
/** A new line each time, so that every run changes something. */
const COMMAND = "sed -i 's/a - b/a + b/' sum.mjs; date +%s%N >> notes.txt";
const LOOKS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 1280 },
  { colorScheme: "light", width: 320 },
  { colorScheme: "dark", width: 320 },
] as const;

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened), { PANEL_FOLLOW_UP_POLL_S: "2" });

test("repairs the pull request of a run, and shows how", { skip }, async () => {
  await mkdir(PICTURES, { recursive: true });
  const { forge, api } = fixture;
  await plant(join(forge.folder, "acme", "sum.git"), SUM);
  const credential = { kind: "token", token: FORGE_TOKEN };
  const url = `${forge.url}/acme/sum.git`;
  const body = { url, provider: "github", credential, ...commandSettings(COMMAND), pr: { draft: false } };
  const { body: repo } = await api("/api/repos", { method: "POST", body });
  const run = await startRun(fixture, repo.id, { focus: "Repair the sum." });
  while ((await api(`/api/runs/${run}`)).body.state !== "pr_open") await wait(200);
  const names = ["build (ubuntu, node 24)", "lint"];
  const setChecks = (state: "passed" | "failed") =>
    forge.discussion.setChecks(
      forge.pulls.all[0]?.head.sha ?? "",
      names.map((name) => ({ name, state, log: "it failed\n" })),
    );
  setChecks("failed");

  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/repos/${repo.id}?tab=settings`);
  await page.getByLabel("Open pull requests").waitFor(LONG_TIMEOUT);
  await picture(page, "follow-up-settings", page.getByLabel("Ignore label"));
  await page.getByLabel("Open pull requests").check();
  await page.getByLabel("Review comments").uncheck();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor(LONG_TIMEOUT);
  const { body: saved } = await api(`/api/repos/${repo.id}`);
  assert.deepEqual(saved.follow_up, {
    enabled: true,
    max_attempts: 3,
    on: ["checks", "conflict"],
    ignore_label: "no-agent",
  });

  await page.goto(`${fixture.panel.url}/runs/${run}`);
  const pull = page.getByRole("region", { name: "Pull request" });
  await pull.getByText(names[0] ?? "").waitFor(LONG_TIMEOUT);
  const first = pull.getByRole("link", { name: "1. Failing checks" });
  await first.waitFor(LONG_TIMEOUT);
  while ((await api(`/api/runs/${run}`)).body.follow_ups[0]?.state !== "pr_open") await wait(200);
  setChecks("passed");
  await pull.getByText("Passed", { exact: true }).waitFor(LONG_TIMEOUT);

  await pull.getByRole("button", { name: "Start a follow-up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Cause").selectOption({ label: "Review comments" });
  await dialog.getByLabel("Focus of this run").fill("Say what the arguments may be.");
  await picture(page, "follow-up-dialog");
  await dialog.getByRole("button", { name: "Start follow-up" }).click();
  await page.getByText("Repairs pull request #1 of").waitFor(LONG_TIMEOUT);
  await page.getByRole("heading", { name: "Say what the arguments may be." }).waitFor(LONG_TIMEOUT);
  await picture(page, "follow-up-run");
  await page.getByRole("link", { name: "the run that opened it" }).click();
  await pull.getByRole("link", { name: "2. Review comments" }).waitFor(LONG_TIMEOUT);
  while ((await api(`/api/runs/${run}`)).body.follow_ups[1]?.state !== "pr_open") await wait(200);
  setChecks("failed");
  await pull.getByRole("link", { name: "3. Failing checks" }).waitFor(LONG_TIMEOUT);
  await picture(page, "follow-ups");

  forge.pulls.close(1, { merged: true });
  while ((await api(`/api/runs/${run}`)).body.pr.state !== "merged") await wait(200);
  await page.goto(`${fixture.panel.url}/repos/${repo.id}`);
  await page.getByText("100% of the pull requests that ended in the last 30 days were merged").waitFor(LONG_TIMEOUT);
  await picture(page, "merge-rate");
  assert.deepEqual(visit.complaints, []);
});

async function picture(page: Page, name: string, part?: Locator): Promise<void> {
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: width < 500 ? 720 : 900 });
    await part?.scrollIntoViewIfNeeded();
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}-${width}.png`) });
    assert.deepEqual(await violations(page), [], `${name} ${colorScheme} ${width}`);
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      `${name} scrolls sideways`,
    );
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}
