import assert from "node:assert/strict";
import { test } from "node:test";
import { openScheduler } from "../../src/schedule/open-scheduler.ts";
import { createFixture } from "../support/create-fixture.ts";

type Fixture = Awaited<ReturnType<typeof createFixture>>;

const OFF = { enabled: false, cron: null, timezone: "UTC", jitter_s: 300, missed: "skip", max_open_prs: 3 };
let repos = 0;

const post = ({ ask, pro }: Fixture, body: object) =>
  ask("POST", "/api/repos", {
    token: pro.access_token,
    body: { url: `https://git.example.org/acme/r${++repos}.git`, ...body },
  });
const patch = ({ ask, pro }: Fixture, id: string, body: object) =>
  ask("PATCH", `/api/repos/${id}`, { token: pro.access_token, body });
const pathsOf = (answer: { json(): { errors?: { path: string }[] } }) =>
  answer
    .json()
    .errors?.map(({ path }) => path)
    .toSorted();

test("schedules over HTTP", async (t) => {
  await using fixture = await createFixture();

  await t.test("is off by default, and enabled by a pattern alone", async () => {
    const plain = (await post(fixture, {})).json();
    assert.deepEqual(
      [plain.schedule, plain.explore.schedule, plain.next_runs, plain.next_explores],
      [OFF, null, [], []],
    );
    const on = (await patch(fixture, plain.id, { schedule: "0 3 * * *" })).json();
    assert.deepEqual(on.schedule, { ...OFF, enabled: true, cron: "0 3 * * *" });
    assert.equal(on.next_runs.length, 5);
    assert.match(on.next_runs[0], /^2026-11-23T03:0[0-5]:\d\d\.000Z$/);
    const paris = (await patch(fixture, plain.id, { schedule: { timezone: "Europe/Paris", jitter_s: 0 } })).json();
    assert.deepEqual(paris.schedule, {
      ...OFF,
      enabled: true,
      cron: "0 3 * * *",
      timezone: "Europe/Paris",
      jitter_s: 0,
    });
    assert.equal(paris.next_runs[0], "2026-11-23T02:00:00.000Z");
    const off = (await patch(fixture, plain.id, { schedule: { enabled: false } })).json();
    assert.deepEqual([off.schedule.cron, off.schedule.enabled, off.next_runs], ["0 3 * * *", false, []]);
    const patched = (await patch(fixture, plain.id, { schedule: { cron: "@daily" } })).json();
    assert.deepEqual([patched.schedule.cron, patched.schedule.enabled], ["@daily", false]);
    const none = (await patch(fixture, plain.id, { schedule: null })).json();
    assert.deepEqual(none.schedule, OFF);
    const first = (await patch(fixture, plain.id, { schedule: { cron: "@weekly" } })).json();
    assert.equal(first.schedule.enabled, true);
    const emptied = (await patch(fixture, plain.id, { schedule: { cron: null } })).json();
    assert.deepEqual([emptied.schedule.cron, emptied.schedule.enabled], [null, false]);
  });

  await t.test("uses the same time zone for the scout's schedule", async () => {
    const schedule = { timezone: "Asia/Kolkata", jitter_s: 0 };
    const made = (await post(fixture, { schedule, explore: { enabled: true, schedule: "30 5 * * *" } })).json();
    assert.deepEqual([made.next_runs, made.next_explores[0]], [[], "2026-11-23T00:00:00.000Z"]);
    const off = (await patch(fixture, made.id, { explore: false })).json();
    assert.deepEqual([off.explore.schedule, off.next_explores], ["30 5 * * *", []]);
  });

  await t.test("rejects an invalid pattern, one that never runs and an invalid zone, listed together", async () => {
    const schedule = { cron: "0 0 31 2 *", timezone: "+02:00", jitter_s: 3_601, missed: "all", max_open_prs: 0 };
    const bad = await post(fixture, { schedule, explore: { schedule: "every day" } });
    assert.deepEqual([bad.statusCode, bad.json().code], [400, "validation_failed"]);
    assert.deepEqual(pathsOf(bad), [
      "/explore/schedule",
      "/schedule/cron",
      "/schedule/jitter_s",
      "/schedule/max_open_prs",
      "/schedule/missed",
      "/schedule/timezone",
    ]);
    const { id } = (await post(fixture, {})).json();
    for (const [body, path] of [
      [{ schedule: "61 * * * *" }, "/schedule"],
      [{ schedule: { cron: "* * * * * *" } }, "/schedule/cron"],
      [{ schedule: { enabled: true } }, "/schedule/cron"],
      [{ schedule: { enabled: true, cron: null } }, "/schedule/cron"],
      [{ explore: { schedule: "0 0 30 2 *" } }, "/explore/schedule"],
    ] as const) {
      const refused = await patch(fixture, id, body);
      assert.deepEqual([refused.statusCode, pathsOf(refused)], [400, [path]], refused.body);
    }
    assert.deepEqual(pathsOf(await post(fixture, { schedule: { enabled: true } })), ["/schedule/cron"]);
    const after = await fixture.ask("GET", `/api/repos/${id}`, { token: fixture.pro.access_token });
    assert.deepEqual([after.json().schedule, after.json().revision], [OFF, 1]);
  });

  await t.test("lists the results of past times, to their account only", async () => {
    const made = (await post(fixture, { schedule: { cron: "* * * * *", jitter_s: 0 } })).json();
    const scheduler = openScheduler({
      store: fixture.store,
      now: fixture.now,
      newId: fixture.panel.newId,
      timers: { after: () => () => {} },
      meter: { fired: () => {} },
      onError: (error) => fixture.errors.push(error),
    });
    for (let minute = 0; minute < 3; minute++) {
      fixture.pass(60_000);
      await scheduler.poll();
    }
    const read = async (query: string, token = fixture.pro.access_token) =>
      fixture.ask("GET", `/api/repos/${made.id}/fires${query}`, { token });
    const { items, next_cursor } = (await read("?limit=2")).json();
    assert.deepEqual([items[0].result, items[0].run_id, items[0].missed_since], ["run_active", null, null]);
    assert.deepEqual([items[1].repo_id, items[1].kind], [made.id, "maintain"]);
    const rest = (await read(`?limit=2&cursor=${next_cursor}`)).json();
    const [started] = rest.items;
    assert.deepEqual([rest.items.length, rest.next_cursor, started.result], [1, null, "started"]);
    const run = (await fixture.ask("GET", `/api/runs/${started.run_id}`, { token: fixture.pro.access_token })).json();
    assert.deepEqual(run.trigger, {
      type: "schedule",
      actor: null,
      candidate_id: null,
      retry_of: null,
      scheduled_for: started.scheduled_for,
      parent_run_id: null,
      pr_number: null,
      cause: null,
      attempt: null,
    });
    assert.equal((await read("?result=started&kind=maintain")).json().items.length, 1);
    assert.deepEqual((await read("?kind=explore")).json().items, []);
    assert.equal((await read("", fixture.free.access_token)).statusCode, 404);
    for (const query of ["?result=well", "?kind=run", "?cursor=x", "?limit=0", "?state=queued"])
      assert.equal((await read(query)).statusCode, 400, query);
    const removed = await fixture.ask("DELETE", `/api/repos/${made.id}`, { token: fixture.pro.access_token });
    assert.equal(removed.statusCode, 204);
    assert.equal((await read("")).statusCode, 404);
    assert.equal(
      await fixture.store.of(fixture.pro.account_id).schedules.next({ repoId: made.id, kind: "maintain" }),
      null,
    );
    assert.deepEqual(fixture.errors, []);
  });
});
