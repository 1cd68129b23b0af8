import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { trainHeadIn } from "../support/head-orders.ts";
import { openScene, type Scene } from "../support/open-scene.ts";

const ask = (scene: Scene, path: string, body: unknown) => scene.ask(path, { body });

/** A live version, and a second one in its shadow. */
async function withShadow(scene: Scene) {
  const live = await trainHeadIn(scene);
  const second = await trainHeadIn(scene, { seed: 2 });
  const shadow = await ask(scene, `/v1/heads/${second.id}/shadow`, { enabled: true });
  assert.deepEqual([shadow.statusCode, shadow.json().state], [200, "shadow"]);
  return { live, second };
}

describe("a version in the shadow", () => {
  test("decides beside the live one, is counted, and never shows", async () => {
    await using scene = await openScene();
    const alone = await trainHeadIn(scene);
    const body = { state: "please reset my password", expert: "acme" };
    const before = (await ask(scene, "/v1/route", body)).json();
    const second = await trainHeadIn(scene, { seed: 2 });
    await ask(scene, `/v1/heads/${second.id}/shadow`, { enabled: true });
    const after = (await ask(scene, "/v1/route", body)).json();
    assert.deepEqual({ ...after, id: "", latency_ms: 0 }, { ...before, id: "", latency_ms: 0 });
    await ask(scene, "/v1/systemone", {
      state: body.state,
      questions: { q: { type: "choice", criteria: { chat: null, password: null, refund: null, weather: null } } },
    });
    const { shadow } = (await scene.ask(`/v1/heads/${second.id}`)).json();
    assert.deepEqual([shadow.n, shadow.agreement], [2, 1]);
    assert.equal((await scene.ask(`/v1/heads/${alone.id}`)).json().shadow, undefined);
    const { data } = (await scene.ask("/v1/experts")).json();
    assert.equal(data.filter((one: { name: string }) => one.name === "acme").length, 1);
  });

  test("is promoted after 200 decisions in agreement, not before; force passes; the retired one comes back", async () => {
    await using scene = await openScene();
    const { live, second } = await withShadow(scene);
    const refused = await ask(scene, `/v1/heads/${second.id}/promote`, {});
    assert.deepEqual([refused.statusCode, refused.json().code], [409, "promotion_gate"]);
    assert.equal(refused.json().shadow.n, 0);
    for (let asked = 0; asked < 200; asked++)
      await ask(scene, "/v1/decide", { state: `will it rain ${asked}`, expert: "acme" });
    const promoted = await ask(scene, `/v1/heads/${second.id}/promote`, {});
    assert.deepEqual([promoted.statusCode, promoted.json().state], [200, "live"]);
    assert.equal((await scene.ask(`/v1/heads/${live.id}`)).json().state, "retired");
    assert.equal((await ask(scene, `/v1/heads/${live.id}/shadow`, { enabled: true })).json().code, "head_not_ready");
    assert.equal((await ask(scene, `/v1/heads/${live.id}/promote`, {})).json().state, "live");
    assert.equal((await ask(scene, `/v1/heads/${second.id}/promote`, { force: true })).json().state, "live");
  });

  test("leaves the shadow again, and both steps may be repeated", async () => {
    await using scene = await openScene();
    const { second } = await withShadow(scene);
    for (const [enabled, state] of [
      [true, "shadow"],
      [false, "ready"],
      [false, "ready"],
    ] as const)
      assert.equal((await ask(scene, `/v1/heads/${second.id}/shadow`, { enabled })).json().state, state);
  });
});

describe("feedback", () => {
  const item = { state: "please reset my password", route: "password" };

  test("is counted with what was decided, and held against the shadow", async () => {
    await using scene = await openScene();
    const { live, second } = await withShadow(scene);
    const items = [
      item,
      { ...item, route: null },
      { ...item, decided: "refund", confidence: 0.5, request_id: "req_1" },
    ];
    const heard = await ask(scene, "/v1/feedback", { expert: "acme", items });
    assert.equal(heard.statusCode, 202, heard.body);
    const { accepted, head_id, feedback } = heard.json();
    assert.deepEqual([accepted, head_id, feedback.n, feedback.accuracy], [3, live.id, 3, 1 / 3]);
    assert.ok(feedback.ece > 0 && feedback.drift > 0.5);
    const { shadow } = (await scene.ask(`/v1/heads/${second.id}`)).json();
    assert.deepEqual([shadow.labelled, shadow.live_correct, shadow.shadow_correct, shadow.n], [3, 2, 2, 0]);
    assert.ok(shadow.wilson_low > 0 && shadow.wilson_low < 2 / 3);
  });

  test("comes once however often it is sent with its key", async () => {
    await using scene = await openScene();
    await trainHeadIn(scene);
    const send = (body: unknown) => scene.ask("/v1/feedback", { body, headers: { "idempotency-key": "k" } });
    assert.equal((await send({ expert: "acme", ...item })).json().feedback.n, 1);
    const again = await send({ expert: "acme", ...item });
    assert.deepEqual([again.json().feedback.n, again.headers["idempotency-replayed"]], [1, "true"]);
    assert.equal((await send({ expert: "acme", ...item, route: "chat" })).json().code, "idempotency_key_reused");
  });

  test("about a shipped expert is counted without its text, and never calibrates it", async () => {
    await using scene = await openScene();
    const heard = (await ask(scene, "/v1/feedback", { expert: "tools", ...item })).json();
    assert.deepEqual([heard.head_id, heard.feedback.n], [null, 1]);
    const place = { owner: "local", about: "tools" };
    assert.deepEqual(await scene.store.feedback.texts(place, 0), []);
    const refused = await ask(scene, "/v1/feedback", { expert: "tools", ...item, recalibrate: true });
    assert.deepEqual([refused.statusCode, refused.json().code], [403, "head_read_only"]);
  });

  test("with faults is refused whole: unknown routes, two experts, fields that are not there", async () => {
    await using scene = await openScene();
    await trainHeadIn(scene);
    for (const [body, paths] of [
      [{ expert: "acme", state: "hi", route: "nowhere", decided: "x" }, ["/route", "/decided"]],
      [
        { expert: "acme", items: [{ ...item, expert: "tools" }, { state: "x" }] },
        ["/items/0/expert", "/items/1/route"],
      ],
      [{ ...item, colour: 1 }, ["/colour", "/expert"]],
      [{ expert: "acme", items: [] }, ["/items"]],
    ] as const) {
      const refused = await ask(scene, "/v1/feedback", body);
      assert.equal(refused.statusCode, 400);
      assert.deepEqual(
        refused.json().errors.map(({ path }: { path: string }) => path),
        paths,
      );
    }
    assert.equal((await ask(scene, "/v1/feedback", { expert: "nobody", ...item })).json().code, "expert_not_found");
    assert.equal((await ask(scene, "/v1/feedback", { expert: "acme", ...item })).json().feedback.n, 1);
  });

  test("of a hundred rows and more calibrates anew: another revision and file where it is no worse, and no choice moves", async () => {
    await using scene = await openScene();
    const head = await trainHeadIn(scene);
    const few = await ask(scene, "/v1/feedback", { expert: "acme", ...item, recalibrate: true });
    assert.deepEqual([few.json().recalibration.kept, few.json().recalibration.revision], [false, 1]);
    const states = ["will it rain", "refund my order", "reset my password", "hello there", "forecast", "pay me back"];
    const items = Array.from({ length: 240 }, (_, place) => ({
      state: `${states[place % 6]} ${place % 40}`,
      // A world in which every third label is another than the head was taught.
      route:
        place % 3 === 0
          ? "chat"
          : (["weather", "refund", "password", "chat", "weather", "refund"][place % 6] ?? "chat"),
    }));
    const choices = () =>
      Promise.all(
        states.map(async (state) => (await ask(scene, "/v1/decide", { state, expert: "acme" })).json().choice),
      );
    const before = await choices();
    const heard = (await ask(scene, "/v1/feedback", { expert: "acme", items, recalibrate: true })).json();
    assert.equal(heard.recalibration.kept, true, JSON.stringify(heard));
    assert.equal(heard.recalibration.revision, 2);
    assert.ok(heard.recalibration.nll.after <= heard.recalibration.nll.before);
    assert.ok(heard.recalibration.ece.after <= heard.recalibration.ece.before);
    const now = (await scene.ask(`/v1/heads/${head.id}`)).json();
    assert.equal(now.calibration.revision, 2);
    assert.notEqual(now.sha256, head.sha256);
    assert.equal((await scene.ask(`/v1/heads/${head.id}/artifact`)).headers["etag"], `"${now.sha256}"`);
    assert.deepEqual(await choices(), before);
  });
});
