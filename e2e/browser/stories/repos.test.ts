/** A repo's memories, settings with an edit conflict, and schedule. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withoutBrowser as skip } from "@triptych/server/testing";
import { LONG_TIMEOUT, plant, type PanelFixture } from "../panel-fixture.ts";
import { withPanel } from "../with-panel.ts";

let fixture: PanelFixture;
withPanel((opened) => (fixture = opened));

test("accepts a memory, and shows both versions when two tabs save one setting", { skip }, async () => {
  const { body } = await fixture.api("/api/repos?q=slugger");
  const { id } = body.items[0];
  const memory = await fixture.api(`/api/repos/${id}/memories`, {
    method: "POST",
    body: { text: "Marks are folded, not stripped." },
  });
  await fixture.api(`/api/repos/${id}/memories/${memory.body.id}`, { method: "PATCH", body: { status: "pending" } });
  await using first = await fixture.enter();
  await first.page.goto(`${fixture.panel.url}/repos/${id}?tab=memories`);
  await first.page.getByRole("button", { name: "Accept" }).click();
  await first.page
    .getByRole("button", { name: "Unpin" })
    .or(first.page.getByRole("button", { name: "Pin" }))
    .waitFor(LONG_TIMEOUT);
  assert.equal((await fixture.api(`/api/repos/${id}/memories`)).body.items[0].status, "active");

  await using other = await fixture.enter();
  for (const { page } of [first, other]) {
    await page.goto(`${fixture.panel.url}/repos/${id}?tab=settings`);
    await page.getByLabel("Focus", { exact: true }).waitFor(LONG_TIMEOUT);
  }
  await other.page.getByLabel("Focus", { exact: true }).fill("What the other one wants.");
  await first.page.getByLabel("Focus", { exact: true }).fill("What the first one wants.");
  await first.page.getByRole("button", { name: "Save" }).click();
  await first.page.getByText("Saved.").waitFor(LONG_TIMEOUT);
  await other.page.getByText("These settings were changed elsewhere").waitFor(LONG_TIMEOUT);
  await other.page.getByRole("button", { name: "Save" }).click();
  const dialog = other.page.getByRole("dialog");
  await dialog.getByText("What the first one wants.").waitFor(LONG_TIMEOUT);
  await dialog.getByText("What the other one wants.").waitFor();
  await dialog.getByRole("button", { name: "Save my version" }).click();
  await other.page.getByText("Saved.").waitFor(LONG_TIMEOUT);
  assert.equal((await fixture.api(`/api/repos/${id}`)).body.focus, "What the other one wants.");
  assert.deepEqual([...first.complaints, ...other.complaints], []);
});

test(
  "sets a schedule and shows its next runs in its time zone, and the rest of the plan's quota",
  { skip },
  async () => {
    const { body } = await fixture.api("/api/repos?q=slugger");
    const { id } = body.items[0];
    await using visit = await fixture.enter();
    const { page } = visit;
    await page.goto(`${fixture.panel.url}/repos/${id}?tab=settings`);
    await page.getByLabel("Run on a schedule").check();
    await page.getByLabel("Cron schedule", { exact: true }).fill("61 6 * * 1-5");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    // The error is at its field, which has focus.
    await page.locator("[aria-invalid=true]").waitFor(LONG_TIMEOUT);
    assert.ok(
      await page.getByLabel("Cron schedule", { exact: true }).evaluate((field) => field === document.activeElement),
    );
    await page.getByLabel("Cron schedule", { exact: true }).fill("0 6 * * 1-5");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Next, in Europe/Berlin").waitFor(LONG_TIMEOUT);
    const times = page.locator(".next-runs time");
    const { next_runs } = (await fixture.api(`/api/repos/${id}`)).body;
    assert.deepEqual(await times.evaluateAll((all) => all.map((time) => time.getAttribute("datetime"))), next_runs);
    // Each repo has its own offset within the spread of five minutes.
    for (const text of await times.allTextContents()) assert.match(text, /^(Mon|Tue|Wed|Thu|Fri).* 06:0[0-5]$/);
    await fixture.api(`/api/repos/${id}`, { method: "PATCH", body: { schedule: { enabled: false } } });

    await page.goto(`${fixture.panel.url}/account`);
    const { usage, plan } = (await fixture.api("/api/account")).body;
    const meter = page.locator(".meter", { hasText: "Runs this month" });
    await meter.waitFor(LONG_TIMEOUT);
    assert.match(
      (await meter.textContent()) ?? "",
      new RegExp(`${usage.runs} of ${plan.limits.runs_per_month.toLocaleString("en-GB")}$`),
    );
    assert.deepEqual(visit.complaints, []);
  },
);

test("sets and removes environment variables, and never shows a sealed value", { skip }, async () => {
  const { body } = await fixture.api("/api/repos?q=slugger");
  const { id } = body.items[0];
  const environment = async () => (await fixture.api(`/api/repos/${id}`)).body.environment;
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/repos/${id}?tab=settings`);
  const name = page.getByLabel("Variable name");
  const value = page.getByLabel("Value", { exact: true });
  const submit = page.getByRole("button", { name: "Set variable" });
  await name.fill("PATH");
  await value.fill("/tmp");
  await submit.click();
  await page.getByText("it is reserved").waitFor(LONG_TIMEOUT);
  assert.ok(await name.evaluate((field) => field === document.activeElement));

  await name.fill("NPM_TOKEN");
  await value.fill("open-sesame-4711");
  await submit.click();
  await page.getByText("NPM_TOKEN was saved.").waitFor(LONG_TIMEOUT);
  const list = page.getByRole("list", { name: "Variables" });
  const sealed = list.getByRole("listitem").filter({ hasText: "NPM_TOKEN" });
  await sealed.getByText("Encrypted").waitFor(LONG_TIMEOUT);
  assert.equal((await page.content()).includes("open-sesame-4711"), false);
  assert.equal(await value.inputValue(), "");

  await name.fill("REGIONS");
  await value.fill("eu\nus");
  await page.getByLabel("Secret").uncheck();
  await submit.click();
  await list.getByText("eu\nus").waitFor(LONG_TIMEOUT);
  assert.deepEqual(await environment(), {
    NPM_TOKEN: { value: null, sealed: true },
    REGIONS: { value: "eu\nus", sealed: false },
  });

  await sealed.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("NPM_TOKEN was removed.").waitFor(LONG_TIMEOUT);
  assert.deepEqual(await environment(), { REGIONS: { value: "eu\nus", sealed: false } });
  assert.deepEqual(visit.complaints, []);
});

test("a repo page shows a failed check, and the settings offer the hosts of the lock file", { skip }, async () => {
  const bare = join(fixture.installation.folder, "locked.git");
  const lock = {
    lockfileVersion: 3,
    packages: {
      "": { dependencies: { ms: "2.1.3" } },
      "node_modules/ms": { version: "2.1.3", resolved: "https://registry.example/ms/-/ms-2.1.3.tgz" },
    },
  };
  const manifest = { name: "locked", dependencies: { ms: "2.1.3" }, scripts: { test: "node --test" } };
  await plant(bare, { "package.json": JSON.stringify(manifest), "package-lock.json": JSON.stringify(lock, null, 2) });
  const { body } = await fixture.api("/api/repos", { method: "POST", body: { url: bare } });
  await using visit = await fixture.enter();
  const { page } = visit;
  await page.goto(`${fixture.panel.url}/repos/${body.id}`);
  await page.getByText("Cannot be checked: setup has no network").waitFor(LONG_TIMEOUT);
  await page.getByRole("link", { name: "Show the check" }).click();
  const allow = page.getByRole("button", { name: "Allow registry.example for setup" });
  await allow.click();
  await page.getByText("Saved.", { exact: true }).waitFor(LONG_TIMEOUT);
  const { isolation } = (await fixture.api(`/api/repos/${body.id}`)).body;
  assert.deepEqual(isolation.allow_hosts, ["registry.example"]);
  assert.equal(isolation.network, "allow_list");
  await allow.waitFor({ state: "detached", ...LONG_TIMEOUT });
  assert.deepEqual(visit.complaints, []);
});
