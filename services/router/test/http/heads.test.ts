import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { StoreError } from "@triptych/storage";
import { bringHead, ofOwner } from "../support/imported-heads.ts";
import { trainingRequest } from "../support/training-requests.ts";
import { createFixture, type Asking, type Fixture } from "../support/create-fixture.ts";

let fixture: Fixture;
before(async () => {
  fixture = await createFixture();
});
after(() => fixture[Symbol.asyncDispose]());

test("an unavailable store causes a 503 with Retry-After, never an internal error", async () => {
  await using away = await createFixture();
  const gone = () => Promise.reject(new StoreError("closed", "gone"));
  Object.assign(away.store.heads, { list: gone, revision: gone });
  for (const answer of [await away.ask("/v1/heads"), await away.ask("/v1/score", { body: { state: "hello" } })])
    assert.deepEqual(
      [answer.statusCode, answer.headers["retry-after"], answer.json().code],
      [503, "1", "not_ready"],
      answer.body,
    );
});

describe("a custom head", () => {
  test("is trained with 201 and a Location, and decides by its name", async () => {
    const ask = ofOwner(fixture, "wal_trained");
    const made = await ask("/v1/heads", { body: trainingRequest() });
    assert.equal(made.statusCode, 201, made.body);
    const head = made.json();
    assert.deepEqual([head.state, head.version, head.name], ["live", 1, "acme"]);
    assert.equal(made.headers["location"], `/v1/heads/${head.id}`);
    for (const expert of ["acme", head.id]) {
      const decided = (await ask("/v1/route", { body: { state: "please reset my password", expert } })).json();
      assert.deepEqual([decided.route, decided.expert, decided.basis], ["password", "acme", "head"]);
    }
    const { data } = (await ask("/v1/experts")).json();
    assert.ok(data.some((entry: { head_id?: string }) => entry.head_id === head.id));
    assert.deepEqual((await ask(`/v1/heads/${head.id}`)).json(), head);
  });

  test("is invisible to other owners", async () => {
    const ask = ofOwner(fixture, "wal_a");
    const { id } = await bringHead(fixture, { owner: "wal_a" });
    const other = ofOwner(fixture, "wal_b");
    assert.equal((await ask(`/v1/heads/${id}`)).statusCode, 200);
    for (const path of [`/v1/heads/${id}`, `/v1/heads/${id}/artifact`, `/v1/heads/${id}/card`])
      assert.equal((await other(path)).json().code, "head_not_found");
    assert.equal((await other(`/v1/heads/${id}`, { method: "DELETE" })).statusCode, 404);
    assert.equal((await other(`/v1/heads/${id}/promote`, { body: {} })).statusCode, 404);
    assert.equal((await other(`/v1/heads/${id}/shadow`, { body: { enabled: true } })).statusCode, 404);
    for (const expert of ["acme", id])
      assert.equal((await other("/v1/route", { body: { state: "hello", expert } })).statusCode, 404);
    assert.deepEqual((await other("/v1/heads")).json().data, []);
  });

  test("can be validated by a gateway before payment: issues are returned, and nothing is created", async () => {
    const ask = ofOwner(fixture, "wal_judged");
    const judge = (more: Readonly<Record<string, unknown>>) =>
      ask("/v1/heads", { body: trainingRequest(more), headers: { "x-router-judge": "1" } });
    assert.equal((await judge({})).statusCode, 204);
    assert.equal((await judge({ alpha: 7 })).json().code, "validation_failed");
    const short = trainingRequest().routes.map((route) => ({ ...route, phrasings: ["one"] }));
    assert.equal((await judge({ routes: short })).json().code, "too_few_examples");
    assert.deepEqual((await ask("/v1/heads")).json().data, []);
    const request = { body: trainingRequest({ name: "judged_by_nobody" }), headers: { "x-router-judge": "1" } };
    assert.equal((await fixture.ask("/v1/heads", request)).statusCode, 201, "only a gateway may do this");
  });

  test("joins the gate with `auto`, and applies its domain, floor and conformal gate to responses", async () => {
    const ask = ofOwner(fixture, "wal_auto");
    const settings = { auto: true, domain: "sheep", min_conf: 1, gate: "conformal", alpha: 0.2 };
    const head = (await ask("/v1/heads", { body: trainingRequest(settings) })).json();
    assert.deepEqual(
      [head.auto, head.gate, head.calibration.alpha, head.calibration.floor],
      [true, "conformal", 0.2, 1],
    );
    const body = { state: "refund my order" };
    assert.ok((await ask("/v1/decide", { body })).json().choice);
    assert.equal(typeof (await ask("/v1/route", { body })).json().gate_confidence, "number");
    const decided = (await ask("/v1/decide", { body: { ...body, expert: "acme" } })).json();
    assert.deepEqual([decided.domain, decided.reason], ["sheep", "low_confidence"]);
  });

  test("responds with 202 to `Prefer: wait=0` and is ready later", async () => {
    // The training threads have not started: a training takes at least as long as that.
    await using fresh = await createFixture();
    const made = await fresh.ask("/v1/heads", { body: trainingRequest(), headers: { prefer: "wait=0" } });
    assert.deepEqual([made.statusCode, made.json().state], [202, "training"]);
    assert.equal(
      (await fresh.ask("/v1/route", { body: { state: "hi", expert: "acme" } })).json().code,
      "head_not_ready",
    );
    assert.equal((await fresh.ask(`/v1/heads/${made.json().id}/artifact`)).json().code, "head_not_ready");
    await fresh.owned.heads.settled();
    assert.equal((await fresh.ask(`/v1/heads/${made.json().id}`)).json().state, "live");
  });

  test("is downloaded as a file with its SHA-256 as ETag, and described by its card", async () => {
    const ask = ofOwner(fixture, "wal_file");
    const { id, made } = await bringHead(fixture, { owner: "wal_file" });
    const sha256 = made?.sha256 ?? "";
    const file = await ask(`/v1/heads/${id}/artifact`);
    assert.deepEqual(
      [file.statusCode, file.headers["content-type"], file.headers["etag"]],
      [200, "application/octet-stream", `"${sha256}"`],
    );
    const cached = await ask(`/v1/heads/${id}/artifact`, { headers: { "if-none-match": `"${sha256}"` } });
    assert.deepEqual([cached.statusCode, cached.body], [304, ""]);
    const card = await ask(`/v1/heads/${id}/card`);
    assert.match(String(card.headers["content-type"]), /^text\/markdown/);
    for (const part of ["# Head `acme`", "## Confusions", "Calibration error", sha256, "| password | tool |"])
      assert.ok(card.body.includes(part), part);
  });

  test("can be deleted while live, and its name restarts at version 1", async () => {
    const ask = ofOwner(fixture, "wal_deleted");
    const { id } = await bringHead(fixture, { owner: "wal_deleted" });
    const misled = await ask(`/v1/heads/${id}`, { method: "DELETE", body: { version: 2 } });
    assert.deepEqual([misled.statusCode, misled.json().errors[0].path], [400, "/version"]);
    assert.equal((await ask(`/v1/heads/${id}`, { method: "DELETE" })).statusCode, 204);
    assert.equal((await ask(`/v1/heads/${id}`, { method: "DELETE" })).json().code, "head_not_found");
    assert.equal((await ask("/v1/route", { body: { state: "hi", expert: "acme" } })).json().code, "expert_not_found");
    assert.equal((await bringHead(fixture, { owner: "wal_deleted" })).version, 1);
  });
});

describe("an invalid training request", () => {
  test("is rejected with all issues, and creates nothing", async () => {
    const ask = ofOwner(fixture, "wal_faults");
    const body = {
      name: "Tools",
      routes: [{ route: "a" }, { route: "a", kind: "x", phrasings: ["{missing}"], colour: 1 }],
      examples: [{ text: "t", messages: [], route: "zzz" }, { route: null }, 5],
      alpha: 0.5,
      auto: 1,
      plus: "no",
      seed: -1,
      gate: "open",
      languages: ["English"],
      min_conf: 2,
      domian: "x",
    };
    const refused = await ask("/v1/heads", { body, headers: { prefer: "wait=61" } });
    assert.equal(refused.statusCode, 400);
    const paths = refused.json().errors.map(({ path }: { path: string }) => path);
    for (const path of [
      "/name",
      "/routes/1/route",
      "/routes/1/kind",
      "/routes/1/phrasings/0",
      "/routes/1/colour",
      "/examples/0/messages",
      "/examples/0/route",
      "/examples/1/text",
      "/examples/2",
      "/alpha",
      "/auto",
      "/plus",
      "/seed",
      "/gate",
      "/languages/0",
      "/min_conf",
      "/domian",
      "header:Prefer",
    ])
      assert.ok(paths.includes(path), path);
    assert.deepEqual((await ask("/v1/heads")).json().data, []);
  });

  test("is rejected before expansion if a few bytes would become gigabytes", async () => {
    const ask = ofOwner(fixture, "wal_flood");
    const [, ...others] = trainingRequest().routes;
    const long = "v".repeat(30_000);
    const many = Array.from({ length: 200 }, (_, index) => `${index} ${"w".repeat(3000)}`);
    const slots = { greeting: ["hello"], long: [long], many, one: ["x"] };
    const names = Array.from({ length: 17 }, (_, index) => `s${index}`);
    const issuesOf = async (phrasings: readonly string[], more: object = {}) => {
      const routes = [{ route: "flood", phrasings }, ...others];
      const answer = await ask("/v1/heads", { body: trainingRequest({ routes, slots: { ...slots, ...more } }) });
      assert.equal(answer.statusCode, 400, answer.body);
      return answer.json().errors.map(({ path, reason }: { path: string; reason: string }) => [path, reason]);
    };
    const both = [
      ["/routes/0/phrasings/0", "too_long"],
      ["/slots", "too_long"],
    ];
    assert.deepEqual(await issuesOf(["{long}".repeat(5000)]), both);
    assert.deepEqual(await issuesOf(["{long}{one}{long}"]), both.slice(0, 1));
    assert.deepEqual(await issuesOf(Array.from({ length: 20 }, (_, index) => `{many} ${index}`)), both.slice(1));
    assert.deepEqual(
      await issuesOf(
        [names.map((name) => `{${name}}`).join("")],
        Object.fromEntries(names.map((name) => [name, ["v"]])),
      ),
      [["/routes/0/phrasings/0", "too_many"]],
    );
  });

  test("lists at most a hundred issues", async () => {
    const ask = ofOwner(fixture, "wal_faulty");
    const unknown = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`unknown_${index}`, 1]));
    for (const body of [unknown, { ...trainingRequest(), examples: Array.from({ length: 3000 }, () => 5) }]) {
      const refused = await ask("/v1/heads", { body });
      assert.deepEqual([refused.statusCode, refused.json().errors.length], [400, 100]);
    }
    const empty = `{"name":"wide","routes":[],"examples":[${"{},".repeat(300_000)}{}]}`;
    assert.equal((await ask("/v1/heads", { body: empty })).json().errors.length, 100);
    const items = Array.from({ length: 900 }, () => ({ wrong: 1 }));
    const refused = await ask("/v1/feedback", { body: { expert: "tools", items } });
    assert.deepEqual([refused.statusCode, refused.json().errors.length], [400, 100]);
  });

  test("reports every route with too few texts", async () => {
    const ask = ofOwner(fixture, "wal_few");
    const routes = [{ route: "a", phrasings: ["one", "ONE!"] }, { route: "b" }, ...trainingRequest().routes];
    const refused = (await ask("/v1/heads", { body: trainingRequest({ routes }) })).json();
    assert.equal(refused.code, "too_few_examples");
    assert.deepEqual(
      refused.errors.map(({ path, texts, message }: Readonly<Record<string, string>>) => [path, texts, message]),
      [
        ["/routes/0", 1, 'The route "a" has 1 distinct text; it needs at least 2.'],
        ["/routes/1", 0, 'The route "b" has 0 distinct texts; it needs at least 2.'],
      ],
    );
  });

  test("needs two routes, listed or named by examples", async () => {
    const ask = ofOwner(fixture, "wal_unlisted");
    const issuesOf = async (body: object) => {
      const { code, errors } = (await ask("/v1/heads", { body: { name: "acme", ...body } })).json();
      return [code, ...errors.map(({ path, reason }: { path: string; reason: string }) => `${path} ${reason}`)];
    };
    const one = { text: "one", route: "a" };
    assert.deepEqual(await issuesOf({}), ["validation_failed", "/routes required"]);
    assert.deepEqual(await issuesOf({ examples: [one, { text: "x", route: null }] }), [
      "validation_failed",
      "/routes required",
    ]);
    const unknown = { routes: [{ route: "a" }, { route: "b" }], examples: [{ text: "one", route: "c" }] };
    assert.deepEqual(await issuesOf(unknown), ["validation_failed", "/examples/0/route option_unknown"]);
    const few = { examples: [{ text: "two", route: "b" }, one, { text: "TWO!", route: "b" }] };
    assert.deepEqual(await issuesOf(few), [
      "too_few_examples",
      "/examples/1/route too_few_examples",
      "/examples/0/route too_few_examples",
    ]);
    assert.deepEqual(await issuesOf({ ...few, out_of_scope_share: 0.91 }), [
      "validation_failed",
      "/out_of_scope_share maximum",
    ]);
  });

  test("gets 403 on a public router without a token, unless a gateway sends it", async () => {
    await using open = await createFixture({ isReachable: true });
    const changes: readonly (readonly [path: string, asking: Asking])[] = [
      ["/v1/heads", { body: {} }],
      ["/v1/heads/hed_x", { method: "DELETE" }],
      ["/v1/heads/hed_x/shadow", { body: {} }],
      ["/v1/heads/hed_x/promote", { body: {} }],
      ["/v1/feedback", { body: {} }],
    ];
    for (const [path, asking] of changes) {
      const refused = await open.ask(path, asking);
      assert.deepEqual([refused.statusCode, refused.json().code], [403, "router_token_required"], path);
      assert.notEqual((await ofOwner(open, "wal_a")(path, asking)).statusCode, 403);
    }
    assert.equal((await open.ask("/v1/heads")).statusCode, 200);
  });
});

describe("an Idempotency-Key", () => {
  test("creates one head for any number of repeats, and is refused with another payload", async () => {
    const ask = ofOwner(fixture, "wal_once");
    const headers = { "idempotency-key": "k1" };
    const [first, second] = await Promise.all([1, 2].map(() => ask("/v1/heads", { body: trainingRequest(), headers })));
    assert.equal(first.json().id, second.json().id);
    assert.deepEqual(
      [first, second].filter((response) => response.headers["idempotency-replayed"] === "true").length,
      1,
    );
    const other = await ask("/v1/heads", { body: trainingRequest({ seed: 2 }), headers });
    assert.deepEqual([other.statusCode, other.json().code], [422, "idempotency_key_reused"]);
    assert.equal((await ask("/v1/heads")).json().data.length, 1);
  });
});

test("beyond two running and sixteen queued trainings, returns 429 and creates nothing; a repeated call needs no slot", async () => {
  await using fresh = await createFixture();
  const create = (index: number, more: object = {}) =>
    fresh.ask("/v1/heads", {
      body: trainingRequest({ name: `head_${index}`, ...more }),
      headers: { prefer: "wait=0", "idempotency-key": `k${index}` },
    });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => create(index)));
  const [first] = answers;
  const repeated = await create(0);
  assert.deepEqual([repeated.statusCode, repeated.headers["idempotency-replayed"]], [202, "true"]);
  assert.equal(repeated.json().id, first.json().id);
  assert.equal((await create(0, { seed: 2 })).json().code, "idempotency_key_reused");
  const full = answers.filter(({ statusCode }) => statusCode === 429);
  assert.equal(full.length, 2);
  assert.deepEqual([full[0].json().code, full[0].headers["retry-after"]], ["training_queue_full", "10"]);
  assert.equal((await fresh.ask("/v1/heads")).json().data.length, 18);
});
