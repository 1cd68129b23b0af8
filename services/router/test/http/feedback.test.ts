/** Feedback: counted, compared with shadows, and used for recalibration. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { bringHead, ofOwner } from "../support/imported-heads.ts";
import { trainingRequest } from "../support/training-requests.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

let fixture: Fixture;
before(async () => {
  fixture = await createFixture();
});
after(() => fixture[Symbol.asyncDispose]());

const item = { state: "please reset my password", route: "password" };

/** An owner with one live head. */
async function withHead(owner: string) {
  const head = await bringHead(fixture, { owner });
  return { ask: ofOwner(fixture, owner), head };
}

describe("feedback", () => {
  test("is counted with its decision and compared with the shadow", async () => {
    const { ask, head } = await withHead("wal_counted");
    const second = await bringHead(fixture, { owner: "wal_counted" });
    await ask(`/v1/heads/${second.id}/shadow`, { body: { enabled: true } });
    const items = [
      item,
      { ...item, route: null },
      { ...item, decided: "refund", confidence: 0.5, request_id: "req_1" },
    ];
    const response = await ask("/v1/feedback", { body: { expert: "acme", items } });
    assert.equal(response.statusCode, 202, response.body);
    const { accepted, head_id, feedback } = response.json();
    assert.deepEqual([accepted, head_id, feedback.n, feedback.accuracy], [3, head.id, 3, 1 / 3]);
    assert.ok(feedback.ece > 0 && feedback.drift > 0.5);
    const { shadow } = (await ask(`/v1/heads/${second.id}`)).json();
    assert.deepEqual([shadow.labelled, shadow.live_correct, shadow.shadow_correct, shadow.n], [3, 2, 2, 0]);
    assert.ok(shadow.wilson_low > 0 && shadow.wilson_low < 2 / 3);
  });

  test("is counted once per Idempotency-Key", async () => {
    const { ask } = await withHead("wal_once");
    const send = (body: unknown) => ask("/v1/feedback", { body, headers: { "idempotency-key": "k" } });
    assert.equal((await send({ expert: "acme", ...item })).json().feedback.n, 1);
    const again = await send({ expert: "acme", ...item });
    assert.deepEqual([again.json().feedback.n, again.headers["idempotency-replayed"]], [1, "true"]);
    assert.equal((await send({ expert: "acme", ...item, route: "chat" })).json().code, "idempotency_key_reused");
  });

  test("about a bundled expert is stored without its text and never recalibrates it", async () => {
    const body = (await fixture.ask("/v1/feedback", { body: { expert: "tools", ...item } })).json();
    assert.deepEqual([body.head_id, body.feedback.n], [null, 1]);
    const scope = { owner: "local", about: "tools" };
    assert.deepEqual(await fixture.store.feedback.texts(scope, 0), []);
    const refused = await fixture.ask("/v1/feedback", { body: { expert: "tools", ...item, recalibrate: true } });
    assert.deepEqual([refused.statusCode, refused.json().code], [403, "head_read_only"]);
    assert.equal((await fixture.store.feedback.judged(scope, 0)).length, 1);
  });

  test("with an issue is rejected entirely: unknown routes, two experts, unknown fields", async () => {
    const { ask } = await withHead("wal_faults");
    for (const [body, paths] of [
      [{ expert: "acme", state: "hi", route: "nowhere", decided: "x" }, ["/decided", "/route"]],
      [
        { expert: "acme", items: [{ ...item, expert: "tools" }, { state: "x" }] },
        ["/items/0/expert", "/items/1/route"],
      ],
      [{ ...item, colour: 1 }, ["/colour", "/expert"]],
      [{ expert: "acme", items: [] }, ["/items"]],
    ] as const) {
      const refused = await ask("/v1/feedback", { body });
      assert.equal(refused.statusCode, 400);
      assert.deepEqual(
        refused
          .json()
          .errors.map(({ path }: { path: string }) => path)
          .toSorted(),
        paths,
      );
    }
    assert.equal((await ask("/v1/feedback", { body: { expert: "nobody", ...item } })).json().code, "expert_not_found");
    assert.equal((await ask("/v1/feedback", { body: { expert: "acme", ...item } })).json().feedback.n, 1);
  });
});

test("a decision runs between the texts of a long feedback call", async () => {
  const clock = { looks: 0 };
  await using watched = await createFixture({ now: () => ++clock.looks });
  const items = Array.from({ length: 500 }, (_, index) => ({ state: `will it rain ${index}`, route: "chat" }));
  const pending = watched.ask("/v1/feedback", { body: { expert: "tools", items } });
  // Each text reads the clock: the call is in progress and not finished.
  while (clock.looks < 100) await setImmediate();
  assert.ok(clock.looks < items.length, `${clock.looks} looks`);
  assert.equal((await watched.ask("/v1/noul", { body: { state: "hello" } })).statusCode, 200);
  assert.ok(clock.looks < 2 * items.length, `${clock.looks} looks`);
  assert.equal((await pending).statusCode, 202);
});

describe("feedback with recalibration", () => {
  test("is rejected entirely if the training queue is full: nothing is counted, and a retry succeeds", async () => {
    await using busy = await createFixture();
    const { id: about } = await bringHead(busy, {});
    const trainings = Array.from({ length: 18 }, (_, index) =>
      busy.ask("/v1/heads", { body: trainingRequest({ name: `head_${index}` }), headers: { prefer: "wait=0" } }),
    );
    const send = (more: object) =>
      busy.ask("/v1/feedback", { body: { expert: "acme", ...item, ...more }, headers: { "idempotency-key": "k" } });
    const refused = await send({ recalibrate: true });
    assert.deepEqual([refused.statusCode, refused.json().code], [429, "training_queue_full"]);
    assert.equal(refused.headers["retry-after"], "10");
    assert.deepEqual(await busy.store.feedback.judged({ owner: "local", about }, 0), []);
    assert.ok((await Promise.all(trainings)).every(({ statusCode }) => statusCode === 202));

    await busy.owned.heads.settled();
    const again = await send({ recalibrate: true });
    assert.deepEqual([again.statusCode, again.json().feedback.n, again.json().recalibration.rows], [202, 1, 1]);
    assert.equal(again.headers["idempotency-replayed"], undefined);
  });

  test("does not recalibrate below a hundred rows, and says so", async () => {
    const { ask } = await withHead("wal_few");
    const { recalibration } = (
      await ask("/v1/feedback", { body: { expert: "acme", ...item, recalibrate: true } })
    ).json();
    assert.deepEqual(recalibration, { kept: false, revision: 1, rows: 1 });
  });

  test("creates a new revision and file when the fit is not worse, and changes no choice", async () => {
    const { ask, head } = await withHead("wal_enough");
    const states = ["will it rain", "refund my order", "reset my password", "hello there", "forecast", "pay me back"];
    const routes = ["weather", "refund", "password", "chat", "weather", "refund"];
    // Every third label differs from the training labels.
    const items = Array.from({ length: 240 }, (_, index) => ({
      state: `${states[index % 6]} ${index % 40}`,
      route: index % 3 === 0 ? "chat" : (routes[index % 6] ?? null),
    }));
    const choices = () =>
      Promise.all(
        states.map(async (state) => (await ask("/v1/decide", { body: { state, expert: "acme" } })).json().choice),
      );
    const before = await choices();
    const request = { body: { expert: "acme", items, recalibrate: true }, headers: { "idempotency-key": "fit" } };
    const [firstResponse, other] = await Promise.all([ask("/v1/feedback", request), ask("/v1/feedback", request)]);
    const [first, early] = firstResponse.statusCode === 202 ? [firstResponse, other] : [other, firstResponse];
    assert.deepEqual([early.statusCode, early.json().code], [409, "idempotency_in_progress"]);
    const body = first.json();
    assert.deepEqual([body.recalibration.kept, body.recalibration.revision], [true, 2], JSON.stringify(body));
    assert.ok(body.recalibration.nll.after <= body.recalibration.nll.before);
    assert.ok(body.recalibration.ece.after <= body.recalibration.ece.before);
    const now = (await ask(`/v1/heads/${head.id}`)).json();
    assert.equal(now.calibration.revision, 2);
    assert.notEqual(now.sha256, head.made?.sha256);
    assert.equal((await ask(`/v1/heads/${head.id}/artifact`)).headers["etag"], `"${now.sha256}"`);
    assert.match((await ask(`/v1/heads/${head.id}/card`)).body, /Recalibrated on 240 labelled texts/);
    assert.deepEqual(await choices(), before);

    // The repeated call returns the same and fits nothing: the head is unchanged.
    const again = await ask("/v1/feedback", request);
    assert.deepEqual([again.statusCode, again.headers["idempotency-replayed"], again.json()], [202, "true", body]);
    assert.equal((await ask(`/v1/heads/${head.id}`)).json().sha256, now.sha256);
  });
});
