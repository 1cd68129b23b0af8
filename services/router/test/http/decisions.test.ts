import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { openScene, SERVICE_TOKEN, type Scene } from "../support/open-scene.ts";
import { publishedSchemas } from "../support/published-schemas.ts";
import { customExpert, undecidedExpert } from "../support/custom-expert.ts";

let scene: Scene;
let schemas: Awaited<ReturnType<typeof publishedSchemas>>;
before(async () => {
  scene = await openScene({
    custom: [customExpert("acme_desk", { auto: true }), undecidedExpert("careful")],
  });
  schemas = await publishedSchemas(scene);
});
after(() => scene[Symbol.asyncDispose]());

const ENDPOINTS = ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess"] as const;
const OF_ACME = { authorization: `Bearer ${SERVICE_TOKEN}`, "x-router-owner": "acme" };

async function decided(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await scene.ask(path, { body, headers });
  assert.equal(answer.statusCode, 200, answer.body);
  assert.deepEqual(schemas.ofAnswer(path, 200, answer.json()), []);
  return answer.json();
}

describe("an answer", () => {
  test("is canonical JSON of the published shape, with the request's id and what it took in headers", async () => {
    for (const path of ENDPOINTS) {
      const answer = await scene.ask(path, {
        body: { state: "will it rain tomorrow", explain: 3 },
        headers: { "x-request-id": "mine-1" },
      });
      assert.equal(answer.statusCode, 200, answer.body);
      assert.equal(answer.body, canonicalJson(answer.json()), path);
      assert.deepEqual(schemas.ofAnswer(path, 200, answer.json()), [], path);
      assert.equal(answer.json().id, "mine-1");
      assert.equal(answer.headers["x-request-id"], "mine-1");
      assert.equal(answer.headers["cache-control"], "no-store");
      assert.match(String(answer.headers["server-timing"]), /^parse;dur=[\d.]+, decide;dur=[\d.]+, total;dur=[\d.]+$/);
    }
  });

  test("names the route, how sure it is, and what to do", async () => {
    const body = await decided("/v1/route", { state: "will it rain tomorrow" });
    assert.equal(body.action, "tool_call");
    assert.equal(body.route, "weather");
    assert.equal(body.expert, "tools");
    assert.equal(body.domain, "weather");
    assert.equal(body.reason_text, "Known route above the floor 0.55.");
    assert.deepEqual(body.usage, { decisions: 1, input_tokens: 4, truncated: false });
    assert.equal(body.set_size, body.set.length);
    assert.equal(body.gate_confidence, undefined);
  });

  test("small talk is generated, a wish for a person is delegated with its route kept", async () => {
    assert.equal((await decided("/v1/route", { state: "hello there" })).action, "generate");
    const body = await decided("/v1/route", { state: "I want to talk to a human" });
    assert.deepEqual([body.action, body.route, body.reason], ["delegate", "escalate", "route_escalate"]);
    assert.ok(body.probabilities.escalate > 0.5);
  });

  test("says that a long text was not read whole", async () => {
    const { usage } = await decided("/v1/route", { state: "rain ".repeat(1000) });
    assert.deepEqual(usage, { decisions: 1, input_tokens: 1000, truncated: true });
  });
});

describe("the five endpoints", () => {
  const texts = [
    "will it rain",
    "I want to talk to a human",
    "quantum refund password",
    "hello",
    "…",
    "my lawyer: refund!",
  ];
  const shapes = [{}, { options: ["weather", "chat", "refund"] }, { options: { a: "rain and sun", b: "money back" } }]
    .concat([{ expert: "helpdesk" } as object])
    .flatMap((shape) => [shape, { ...shape, min_conf: 0.97 }, { ...shape, max_error: 0.1 }]);

  test("agree with each other, whatever is asked", async () => {
    for (const state of texts)
      for (const shape of shapes) {
        const asked = { state, explain: 4, ...shape };
        const route = await decided("/v1/route", asked);
        const decide = await decided("/v1/decide", asked);
        const noul = await decided("/v1/noul", { state, explain: 4 });
        const score = await decided("/v1/score", { state, explain: 4 });
        const assess = await decided("/v1/assess", asked);
        assert.deepEqual(assess.decision, without(decide));
        assert.deepEqual(assess.escalation, without(noul));
        assert.deepEqual(assess.complexity, without(score));
        assert.deepEqual([assess.action, assess.reason], [route.action, route.reason]);
        assert.deepEqual(
          [decide.choice, decide.confidence, decide.reason],
          [route.route, route.confidence, route.reason],
        );
        assert.deepEqual([decide.probabilities, decide.explanation], [route.probabilities, route.explanation]);
        assert.deepEqual([noul.p_yes, score.complexity, score.tier], [route.p_yes, route.tier, route.tier]);
        assert.equal(decide.abstain, route.action === "delegate" && route.reason !== "noul_escalate");
        assert.equal(noul.escalate, noul.p_yes >= noul.threshold);
        assert.equal(assess.expert, route.expert);
      }
  });

  test("answer the same request with the same numbers", async () => {
    const asked = { state: "change the password, please", explain: 5 };
    for (const path of ENDPOINTS)
      assert.deepEqual(without(await decided(path, asked)), without(await decided(path, asked)), path);
  });
});

const COMMON = ["object", "model", "id", "expert", "domain", "latency_ms", "usage"];

/** What an endpoint says of its own, without what every answer has. */
function without(body: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !COMMON.includes(name)));
}

describe("numbers", () => {
  const STATES = [
    "🙂🎉",
    "東京の天気はどうですか",
    "… — “”",
    "x",
    "rain ".repeat(6553),
    "\u202eabc",
    "é̀".repeat(50),
    "0",
  ];

  test("are full doubles that add up, for 1, 2 and 255 options and for texts that hold nothing known", async () => {
    for (const state of STATES)
      for (const count of [1, 2, 255]) {
        const options = Object.fromEntries(
          Array.from({ length: count }, (_, place) => [`option ${place}`, place % 3 === 0 ? null : `rain of ${place}`]),
        );
        const body = await decided("/v1/assess", { state, options });
        const { probabilities, choice, confidence } = body.decision;
        const values: number[] = Object.values(probabilities);
        assert.equal(values.length, count);
        assert.ok(Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
        assert.equal(probabilities[choice], Math.max(...values));
        assert.ok(confidence >= 0 && confidence <= 1);
        const levels: number[] = Object.values(body.complexity.probabilities);
        const mean = levels.reduce((sum, p, place) => sum + p * (place + 1), 0);
        assert.ok(Math.abs(mean - body.complexity.expected) < 1e-12);
      }
  });

  test("of an expert add up too, among all routes and among some", async () => {
    for (const state of STATES)
      for (const options of [undefined, ["weather"], ["refund", "weather"]]) {
        const { probabilities, route, set } = await decided("/v1/route", { state, options });
        const values: number[] = Object.values(probabilities);
        assert.equal(values.length, options?.length ?? 5);
        assert.ok(Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) < 1e-12);
        assert.equal(probabilities[route], Math.max(...values));
        assert.ok(set.includes(route) && set.every((one: string) => one in probabilities));
      }
  });

  test("of an explanation add up to the difference of logits", async () => {
    for (const asked of [{}, { options: { sun: "weather forecast", cash: "money back" } }, { options: ["weather"] }]) {
      const { decision, escalation, complexity } = await decided("/v1/assess", {
        state: "rain, refund",
        explain: 2,
        ...asked,
      });
      for (const { explanation } of [decision, escalation, complexity]) {
        const { bias, other, evidence, logit_difference } = explanation;
        const listed = evidence.reduce((sum: number, one: { contribution: number }) => sum + one.contribution, 0);
        assert.ok(evidence.length <= 2);
        assert.ok(Math.abs(bias + other + listed - logit_difference) < 1e-9);
      }
      assert.equal(escalation.explanation.versus, "no");
    }
    const single = await decided("/v1/route", { state: "rain", explain: true, options: ["weather"] });
    assert.equal(single.explanation.versus, null);
  });
});

describe("what a request asks for", () => {
  test("a list of options restricts and renormalises", async () => {
    const all = await decided("/v1/route", { state: "money back for the rain" });
    const some = await decided("/v1/route", { state: "money back for the rain", options: ["weather", "refund"] });
    assert.deepEqual(Object.keys(some.probabilities), ["refund", "weather"]);
    const ratio = (body: { probabilities: Record<string, number> }) =>
      body.probabilities.refund / body.probabilities.weather;
    assert.ok(Math.abs(ratio(some) / ratio(all) - 1) < 1e-9);
  });

  test("a map of options needs no expert, and names that mean something mean it here too", async () => {
    const body = await decided("/v1/route", {
      state: "I want my money back",
      options: { refund: "gives money back", escalate: "a person: talk to a human", chat: null },
    });
    assert.deepEqual([body.basis, body.via, body.expert, body.set], ["zero_shot", "options", undefined, undefined]);
    const asked = {
      state: "talk to a human please",
      options: { escalate: "talk to a human", other: "seven" },
      min_conf: 0,
    };
    assert.equal((await decided("/v1/route", asked)).reason, "route_escalate");
  });

  test("labels that would harm a careless program are labels like others", async () => {
    const options = { ["__proto__"]: "rain and sun", constructor: "money back", toString: null };
    const answer = await scene.ask("/v1/decide", {
      body: `{"state":"will it rain","options":{"__proto__":"the weather: rain and sun","constructor":"money back","toString":null}}`,
    });
    assert.equal(answer.statusCode, 200, `${answer.body} ${Object.keys(options).length}`);
    assert.deepEqual(Object.keys(answer.json().probabilities).toSorted(), ["__proto__", "constructor", "toString"]);
  });

  test("an expert is pinned by name or inside the model, and an unknown one is a 404 with the nearest", async () => {
    const byName = await decided("/v1/decide", { state: "reset it", expert: "helpdesk" });
    const byModel = await decided("/v1/decide", { state: "reset it", model: "triptych-1/helpdesk" });
    assert.deepEqual(without(byName), without(byModel));
    assert.deepEqual(Object.keys(byName.probabilities), ["password", "refund"]);
    const unknown = await scene.ask("/v1/decide", { body: { state: "x", expert: "helpdesc" } });
    assert.equal(unknown.statusCode, 404);
    assert.deepEqual([unknown.json().code, unknown.json().suggestions], ["expert_not_found", ["helpdesk"]]);
    assert.equal((await decided("/v1/decide", { state: "x y", model: "gpt-9" })).model, "triptych-1");
  });

  test("a route that the expert lacks is named with the nearest, all of them at once", async () => {
    const answer = await scene.ask("/v1/route", { body: { state: "x", options: ["wether", "chat", "zzzzzz"] } });
    assert.equal(answer.statusCode, 400);
    const { code, errors, error } = answer.json();
    assert.equal(code, "option_unknown");
    assert.deepEqual(error.code, "option_unknown");
    assert.deepEqual(
      errors.map((one: { path: string; suggestions?: string[] }) => [one.path, one.suggestions]),
      [
        ["/options/0", ["weather"]],
        ["/options/2", undefined],
      ],
    );
  });

  test("min_conf replaces the floor, and raising it never takes a delegation back", async () => {
    const actions: string[] = [];
    for (let step = 0; step <= 20; step++) {
      const body = await decided("/v1/route", { state: "rain refund tomorrow", min_conf: step / 20 });
      assert.equal(body.reason === "low_confidence", body.confidence < step / 20);
      actions.push(body.action);
    }
    assert.deepEqual(
      actions,
      actions.toSorted((a, b) => Number(a === "delegate") - Number(b === "delegate")),
    );
    assert.ok(actions.includes("delegate") && actions.includes("tool_call"));
  });

  test("max_error holds back what is not proven, and lowering it never takes a delegation back", async () => {
    const reasons: string[] = [];
    for (const max_error of [0.5, 0.3, 0.1, 0.05, 0.01, 0.001])
      reasons.push((await decided("/v1/route", { state: "will it rain tomorrow", max_error })).reason);
    assert.equal(reasons[0], "ok");
    assert.equal(reasons.at(-1), "risk_limit");
    assert.deepEqual(reasons, reasons.toSorted());
    const text = await decided("/v1/route", { state: "will it rain tomorrow", max_error: 0.001 });
    assert.match(text.reason_text, /0\.001/);
  });

  test("what was said before the last user message is context, what comes after is not read", async () => {
    const said = (messages: object[]) => decided("/v1/route", { messages });
    const alone = await said([{ role: "user", content: "yes, do it" }]);
    const before = { role: "assistant", content: "Shall I reset your password?", tool_calls: [] };
    const within = await said([before, { role: "user", content: "yes, do it", name: "ada" }]);
    assert.notDeepEqual(within.probabilities, alone.probabilities);
    const after = { role: "tool", content: "forecast: rain, rain, rain" };
    assert.deepEqual((await said([{ role: "user", content: "yes, do it" }, after])).probabilities, alone.probabilities);
    assert.deepEqual((await decided("/v1/route", { state: "yes, do it" })).probabilities, alone.probabilities);
  });

  test("parts of a message are read as text, JSON in its canonical form", async () => {
    const byParts = await decided("/v1/route", {
      messages: [
        { role: "system", content: null },
        {
          role: "user",
          content: [
            { type: "text", text: "will it" },
            { type: "input_text", text: "rain" },
            { type: "json", value: { b: 1, a: "Paris" } },
          ],
        },
      ],
    });
    const byState = await decided("/v1/route", { state: 'will it\nrain\n{"a":"Paris","b":1}' });
    assert.deepEqual(byParts.probabilities, byState.probabilities);
  });
});

describe("an owner's heads", () => {
  test("join the gate, which tells how sure it is of the expert it chose", async () => {
    const body = await decided("/v1/route", { state: "will it rain tomorrow" }, OF_ACME);
    assert.ok(body.gate_confidence > 0 && body.gate_confidence <= 1);
    assert.equal((await decided("/v1/route", { state: "will it rain tomorrow" })).gate_confidence, undefined);
  });

  test("are held back where the gate cannot tell two of them apart, unless the request sets a floor of its own", async () => {
    await using twins = await openScene({ custom: [customExpert("twin", { like: "tools", auto: true })] });
    const ask = async (more: object) =>
      (await twins.ask("/v1/route", { body: { state: "will it rain", ...more }, headers: OF_ACME })).json();
    const body = await ask({});
    assert.deepEqual([body.gate_confidence, body.reason, body.expert], [0.5, "low_gate_confidence", "tools"]);
    assert.equal((await ask({ min_conf: 0.5 })).action, "tool_call");
    assert.equal((await ask({ expert: "twin" })).gate_confidence, undefined);
  });

  test("a list of options leaves in play only experts that have them all", async () => {
    const body = await decided("/v1/route", { state: "will it rain", options: ["weather", "refund"] }, OF_ACME);
    assert.deepEqual([body.expert, body.gate_confidence], ["tools", undefined]);
  });

  test("a conformal head abstains unless one route is left, until the request sets a floor of its own", async () => {
    const asked = { state: "reset my password", expert: "careful" };
    const body = await decided("/v1/route", asked, OF_ACME);
    assert.deepEqual([body.reason, body.set, body.set_size], ["conformal_abstain", ["password", "refund"], 2]);
    assert.match(body.reason_text, /^As many as 2 routes/);
    for (const floor of [{ min_conf: 0 }, { max_error: 0.5 }]) {
      const floored = await decided("/v1/route", { ...asked, ...floor }, OF_ACME);
      assert.notEqual(floored.reason, "conformal_abstain");
      assert.equal(floored.route, body.route);
    }
  });

  test("are nobody else's", async () => {
    const asked = { state: "reset it", expert: "acme_desk" };
    assert.equal((await decided("/v1/decide", asked, OF_ACME)).expert, "acme_desk");
    assert.equal((await scene.ask("/v1/decide", { body: asked })).statusCode, 404);
    const named = { "x-router-owner": "acme" };
    assert.equal((await scene.ask("/v1/decide", { body: asked, headers: named })).statusCode, 404);
  });
});
