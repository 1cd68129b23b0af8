/** What a person does with the panel, in a real browser against the real thing. `npm run e2e:browser`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { withoutBrowser as skip } from "@triptych/server/testing";
import type { Page } from "playwright-core";
import { openCuttingProxy } from "./cutting-proxy.ts";
import { doneBy, FORGE_TOKEN, openHouse, openVisit, PATIENT, plant, startWorker, SUM, type House } from "./house.ts";

let house: House;
before(async () => {
  if (skip === false) house = await openHouse();
});
after(async () => {
  if (skip === false) await house[Symbol.asyncDispose]();
});

const seqsOn = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll("[data-row]"), (row) => Number(row.getAttribute("data-row"))),
  );

test(
  "the printed link signs in once, leaves no trace in the address, and the demo run is seen to its end",
  { skip },
  async () => {
    await using visit = await openVisit(house.browser);
    const { page } = visit;
    await page.goto(`${house.panel.url}/login#${house.link}`);
    await page.getByRole("heading", { name: "Needs you" }).waitFor(PATIENT);
    assert.equal(page.url(), `${house.panel.url}/`);
    await page.getByRole("link", { name: /Call foldMarks/ }).click();
    await page.getByText("The checks were red and are green now.").waitFor(PATIENT);
    await page.getByRole("tab", { name: /Diff/ }).click();
    await page.getByText("foldMarks(transliterate(title))").first().waitFor(PATIENT);
    await page.getByRole("tab", { name: /Verify/ }).click();
    await page.getByText("exit code 1").first().waitFor();
    assert.equal(await page.getByText(/^exit code 0/).count(), 1);

    await using second = await openVisit(house.browser);
    await second.page.goto(`${house.panel.url}/login#${house.link}`);
    await second.page.getByText("A link signs in once").waitFor(PATIENT);
    assert.ok(!second.page.url().includes("#"));
    // A tab that stands at sign-in already is not loaded anew by a link: it is taken up, and out of the address, all the same.
    await second.page.getByText("A link signs in once").waitFor(PATIENT);
    const [asked] = await Promise.all([
      second.page.waitForRequest((request) => request.url().endsWith("/api/auth/once")),
      second.page.evaluate(() => (location.hash = "another-link")),
    ]);
    assert.deepEqual(asked.postDataJSON(), { token: "another-link" });
    assert.ok(!second.page.url().includes("another-link"));
    assert.deepEqual([...visit.complaints, ...second.complaints], []);
  },
);

test(
  "a repo is added, its first contact is seen, a run is started, and its bus comes whole through 50 cut connections",
  { skip },
  async () => {
    await using proxy = await openCuttingProxy(house.panel.url);
    const bare = join(house.stage.folder, "talkative.git");
    await plant(bare, SUM);
    await using visit = await house.enter({}, proxy.url);
    const { page } = visit;
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.getByRole("link", { name: "Add a repo" }).click();
    await page.getByLabel("Address").fill(bare);
    await page.getByLabel("Command that proves it").fill("node test.mjs");
    await page.getByRole("button", { name: "Add the repo" }).click();
    await page.getByText("was reached").waitFor(PATIENT);
    const { body } = await house.api("/api/repos?q=talkative");
    const talk =
      "i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo line $i; sleep 0.08; done; sed -i 's/a - b/a + b/' sum.mjs";
    await house.api(`/api/repos/${body.items[0].id}`, { method: "PATCH", body: doneBy(talk) });
    await page.getByLabel("Focus of this run").fill("Repair the sum.");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: "Repair the sum." }).waitFor(PATIENT);
    await page.getByText("line 1", { exact: true }).waitFor(PATIENT);

    let cuts = 0;
    while (cuts < 50) {
      if (proxy.cut() > 0) cuts++;
      await wait(Math.random() * 900);
    }
    const runId = page.url().split("/").at(-1) ?? "";
    await page.getByText("Merge it where the repository lives.").waitFor({ timeout: 180_000 });
    await page.getByText("complete", { exact: true }).waitFor(PATIENT);
    const bus = await house.api(`/api/runs/${runId}/bus?limit=1000&after=0`);
    const count = Number(await page.getByRole("tab", { name: /Bus/ }).locator("i").textContent());
    assert.equal(count, bus.body.last_seq);
    // In their order, without a gap or a double: all of them, portion by portion where they are many.
    const seen = new Set<number>();
    await page.getByLabel("Follow").uncheck();
    for (let top = 0; seen.size < count && top < count * 60; top += 300) {
      await page.locator(".bus").evaluate((element, to) => (element.scrollTop = to), top);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const now = (await seqsOn(page)).toSorted((one, other) => one - other);
      assert.equal(new Set(now).size, now.length);
      for (const seq of now) seen.add(seq);
    }
    assert.deepEqual(
      [...seen].toSorted((one, other) => one - other),
      Array.from({ length: count }, (_, place) => place + 1),
    );
    assert.deepEqual(visit.complaints, []);
  },
);

test("a run is cancelled after one question, and retried", { skip }, async () => {
  const bare = join(house.stage.folder, "slow.git");
  await plant(bare, SUM);
  const made = await house.api("/api/repos", { method: "POST", body: { url: bare, ...doneBy("sleep 60") } });
  const run = await house.api(`/api/repos/${made.body.id}/run`, { method: "POST", body: {} });
  await using visit = await house.enter();
  const { page } = visit;
  await page.goto(`${house.panel.url}/runs/${run.body.id}`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel the run" }).click();
  await page.getByText("It was cancelled. Nothing was pushed.").waitFor(PATIENT);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/runs/run_") && !url.pathname.endsWith(String(run.body.id)));
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel the run" }).click();
  await page.getByText("It was cancelled.").waitFor(PATIENT);
  assert.deepEqual(visit.complaints, []);
});

test(
  "candidates are gone through by keys alone: one rejected and taken back, one rejected for good, one run to its end",
  { skip },
  async () => {
    const { body } = await house.api("/api/repos?q=slugger");
    const { id } = body.items[0];
    await using visit = await house.enter();
    const { page } = visit;
    await page.goto(`${house.panel.url}/repos/${id}?tab=candidates`);
    const list = page.getByRole("list", { name: "Candidates" }).getByRole("button");
    await list.first().waitFor(PATIENT);
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
      const { body } = await house.api(`/api/repos/${id}/candidates?state=all`);
      return body.items.find(({ title }: { title: string }) => title === name)?.state;
    };
    assert.equal(await stateOf(title), "proposed");

    await list.last().focus();
    const last = (await chosen()) ?? "";
    await page.keyboard.press("x");
    await page.keyboard.press("Enter");
    await page.getByText(`Rejected: ${last}`).waitFor();
    await page.getByText(`Rejected: ${last}`).waitFor({ state: "detached", ...PATIENT });
    await list.nth(count - 2).waitFor();
    for (let tries = 0; (await stateOf(last)) !== "rejected" && tries < 50; tries++) await wait(200);
    assert.equal(await stateOf(last), "rejected");

    await page.getByRole("button", { name: /licence/ }).focus();
    await page.keyboard.press("r");
    await page.waitForURL(/\/runs\/run_/, PATIENT);
    await page
      .getByText(/The branch is pushed|nothing to prove|Retry/)
      .first()
      .waitFor(PATIENT);
    assert.deepEqual(visit.complaints, []);
  },
);

test("a pull request that the forge refused is recovered with one click", { skip }, async () => {
  await plant(join(house.stage.folder, "forge", "acme", "sum.git"), SUM);
  const body = {
    url: `${house.forge.url}/acme/sum.git`,
    provider: "github",
    credential: { kind: "token", token: FORGE_TOKEN },
    ...doneBy("sed -i 's/a - b/a + b/' sum.mjs"),
  };
  const made = await house.api("/api/repos", { method: "POST", body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const failed = house.forge.failNext("rate_limited");
  const run = await house.api(`/api/repos/${made.body.id}/run`, { method: "POST", body: { focus: "Repair it." } });
  await using visit = await house.enter();
  const { page } = visit;
  await failed;
  await page.getByRole("heading", { name: "Needs you" }).waitFor();
  await page.getByText("PR missing").first().waitFor(PATIENT);
  await page.goto(`${house.panel.url}/runs/${run.body.id}`);
  await page.getByRole("button", { name: "Recover PR" }).click();
  await page.getByText("Review and merge it at the forge.").waitFor(PATIENT);
  assert.equal(house.forge.pulls.all.length, 1);
  assert.deepEqual(visit.complaints, []);
});

test("a memory is accepted, and two tabs that save one setting both see both versions", { skip }, async () => {
  const { body } = await house.api("/api/repos?q=slugger");
  const { id } = body.items[0];
  const memory = await house.api(`/api/repos/${id}/memories`, {
    method: "POST",
    body: { text: "Marks are folded, not stripped." },
  });
  await house.api(`/api/repos/${id}/memories/${memory.body.id}`, { method: "PATCH", body: { status: "pending" } });
  await using one = await house.enter();
  await one.page.goto(`${house.panel.url}/repos/${id}?tab=memories`);
  await one.page.getByRole("button", { name: "Accept" }).click();
  await one.page
    .getByRole("button", { name: "Unpin" })
    .or(one.page.getByRole("button", { name: "Pin" }))
    .waitFor(PATIENT);
  assert.equal((await house.api(`/api/repos/${id}/memories`)).body.items[0].status, "active");

  await using other = await house.enter();
  for (const { page } of [one, other]) {
    await page.goto(`${house.panel.url}/repos/${id}?tab=settings`);
    await page.getByLabel("Focus", { exact: true }).waitFor(PATIENT);
  }
  await other.page.getByLabel("Focus", { exact: true }).fill("What the other one wants.");
  await one.page.getByLabel("Focus", { exact: true }).fill("What the first one wants.");
  await one.page.getByRole("button", { name: "Save" }).click();
  await one.page.getByText("Saved.").waitFor(PATIENT);
  await other.page.getByText("These settings were saved elsewhere").waitFor(PATIENT);
  await other.page.getByRole("button", { name: "Save" }).click();
  const dialog = other.page.getByRole("dialog");
  await dialog.getByText("What the first one wants.").waitFor(PATIENT);
  await dialog.getByText("What the other one wants.").waitFor();
  await dialog.getByRole("button", { name: "Save mine" }).click();
  await other.page.getByText("Saved.").waitFor(PATIENT);
  assert.equal((await house.api(`/api/repos/${id}`)).body.focus, "What the other one wants.");
  assert.deepEqual([...one.complaints, ...other.complaints], []);
});

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
    await item.getByRole("button", { name: "Drain" }).click();
    await page.getByRole("button", { name: "Drain it" }).click();
    await item.getByText("disabled").waitFor(PATIENT);
    await item.getByRole("button", { name: "Enable" }).click();
    await item.getByText("online").waitFor(PATIENT);

    // It hears nothing more, and what is sent to it is not taken away, until there is no room for another command.
    second.stop();
    const { body } = await house.api("/api/worker/status");
    const { id } = body.workers.find(({ name }: { name: string }) => name === "box-3");
    for (let count = 0; count < 64; count++)
      await house.api(`/api/workers/${id}`, { method: "PATCH", body: { enabled: count % 2 === 1 } });
    await page.goto(`${house.panel.url}/account`);
    await page.getByRole("button", { name: "Rotate…" }).click();
    assert.ok(await page.getByLabel("Tell connected workers").isChecked());
    await page.getByRole("button", { name: "Replace it" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 of 3 connected workers told.").waitFor(PATIENT);
    await dialog.getByText("box-3").waitFor();
    const { body: license } = await house.api("/api/account/license");
    assert.notEqual(license.license_key, house.keys.license_key);
    // Neither key is anywhere it could be found again.
    const kept = await page.evaluate(() =>
      JSON.stringify([
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        document.documentElement.outerHTML,
        history.state,
      ]),
    );
    const heard = [kept, ...visit.requests].join("\n");
    for (const key of [license.license_key, house.keys.license_key]) assert.ok(!heard.includes(key));
    assert.deepEqual(visit.complaints, []);
  },
);

test(
  "a schedule is set and shows when it will run, in its own zone; the account shows what is left of the plan",
  { skip },
  async () => {
    const { body } = await house.api("/api/repos?q=slugger");
    const { id } = body.items[0];
    await using visit = await house.enter();
    const { page } = visit;
    await page.goto(`${house.panel.url}/repos/${id}?tab=settings`);
    await page.getByLabel("Runs by itself").check();
    await page.getByLabel("Times", { exact: true }).fill("61 6 * * 1-5");
    await page.getByLabel("Zone").fill("Europe/Berlin");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    // What is wrong stands at its field, which has the focus.
    await page.locator("[aria-invalid=true]").waitFor(PATIENT);
    assert.ok(await page.getByLabel("Times", { exact: true }).evaluate((field) => field === document.activeElement));
    await page.getByLabel("Times", { exact: true }).fill("0 6 * * 1-5");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Next, in Europe/Berlin").waitFor(PATIENT);
    const times = page.locator(".next-runs time");
    const { next_runs } = (await house.api(`/api/repos/${id}`)).body;
    assert.deepEqual(await times.evaluateAll((all) => all.map((time) => time.getAttribute("datetime"))), next_runs);
    for (const text of await times.allTextContents()) assert.match(text, /^(Mon|Tue|Wed|Thu|Fri).* 06:00$/);
    await house.api(`/api/repos/${id}`, { method: "PATCH", body: { schedule: { enabled: false } } });

    await page.goto(`${house.panel.url}/account`);
    const { usage, plan } = (await house.api("/api/account")).body;
    const meter = page.locator(".meter", { hasText: "Runs this month" });
    await meter.waitFor(PATIENT);
    assert.match(
      (await meter.textContent()) ?? "",
      new RegExp(`${usage.runs} of ${plan.limits.runs_per_month.toLocaleString("en-GB")}$`),
    );
    assert.deepEqual(visit.complaints, []);
  },
);

test("hostile text is text, wherever it stands", { skip }, async () => {
  const bare = join(house.stage.folder, "hostile.git");
  await plant(bare, SUM);
  const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202Eevil\u0007 \u001b[31mred`;
  const say = `printf '%s\\n' '<script>document.title="owned"</script>'; head -c 1048576 /dev/zero | tr '\\0' x; printf '\\n\\033[2J\\033[31mred\\n'; sed -i 's/a - b/a + b/' sum.mjs; printf '// <b>bold</b>\\n' >> sum.mjs`;
  const made = await house.api("/api/repos", {
    method: "POST",
    body: { url: bare, name: "<b>hostile</b>", focus: HOSTILE, ...doneBy(say) },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await house.api(`/api/repos/${made.body.id}/memories`, { method: "POST", body: { text: HOSTILE } });
  const run = await house.api(`/api/repos/${made.body.id}/run`, { method: "POST", body: {} });
  await using visit = await house.enter();
  const { page } = visit;
  await page.evaluate(() =>
    addEventListener(
      "securitypolicyviolation",
      (event) => (document.body.dataset["refused"] = event.violatedDirective),
    ),
  );
  await page.goto(`${house.panel.url}/runs/${run.body.id}`);
  await page.getByText("Merge it where the repository lives.").waitFor(PATIENT);
  await page.getByText('<script>document.title="owned"</script>').first().waitFor(PATIENT);
  assert.match((await page.getByRole("heading", { level: 1 }).textContent()) ?? "", /^<img src=x.*\[U\+202E\]evil/);
  await page.keyboard.press("3");
  await page.getByText("// <b>bold</b>").waitFor(PATIENT);
  for (const path of [
    "/",
    "/runs",
    "/repos",
    `/repos/${made.body.id}?tab=memories`,
    `/repos/${made.body.id}?tab=settings`,
  ]) {
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
    await page.getByText(/The panel does not answer|Live updates are interrupted/).waitFor(PATIENT);
    assert.ok(await page.getByRole("link", { name: /slugger/ }).isVisible());
    await page.getByRole("link", { name: "Workers", exact: true }).click();
    await visit.page.context().setOffline(false);
    await page.getByText("embedded").waitFor(PATIENT);
    await page.locator(".connection.shown").waitFor({ state: "detached", ...PATIENT });
  },
);

test("who signs out leaves nothing behind: the way back shows sign-in", { skip }, async () => {
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

test("a session that ends leaves the page and what was typed; signing in goes on with it", { skip }, async () => {
  const { body } = await house.api("/api/repos?q=slugger");
  await using visit = await house.enter();
  const { page } = visit;
  await page.goto(`${house.panel.url}/repos/${body.items[0].id}?tab=settings`);
  await page.getByLabel("Focus", { exact: true }).fill("Half a thought");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Your session has ended").waitFor(PATIENT);
  await dialog.getByLabel("E-mail").fill(house.keys.email);
  await dialog.getByLabel("Password").fill(house.keys.password);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await dialog.waitFor({ state: "detached", ...PATIENT });
  assert.equal(await page.getByLabel("Focus", { exact: true }).inputValue(), "Half a thought");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor(PATIENT);
});
