/** The TypeSafe API, with TypeSafe's client and the adapter of `ai`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { choice, noul, score } from "@typesafe-ai/sdk";
import { experimental_decide as decide } from "ai";
import { open } from "./counterparts.ts";
import { startProxy } from "./proxy.ts";
import { memberOf } from "./reading.ts";
import { INSTRUCTIONS, ROUTES, STATE, typeSafeAt, typeSafeModelAt } from "./stacks.ts";

const ROUTE = { route: choice(null, ROUTES) };

test("accepts the clients' default model `jev-latest`, and returns the actual model", async () => {
  await using proxy = await startProxy(open);
  const own = await typeSafeAt(proxy).systemOne({ state: STATE, questions: ROUTE });
  const adapted = await decide({ model: typeSafeModelAt(proxy), state: STATE, questions: ROUTE });
  assert.deepEqual(
    proxy.requests.map(({ body }) => memberOf(JSON.parse(body), "model")),
    ["jev-latest", "jev-latest"],
  );
  assert.deepEqual([own.model, adapted.response.modelId], ["triptych-1", "triptych-1"]);
});

test("decides the text of a state that the adapter of `ai` sends as a list of parts", async () => {
  await using proxy = await startProxy(open);
  const adapted = await decide({ model: typeSafeModelAt(proxy), state: STATE, questions: ROUTE });
  assert.deepEqual(memberOf(JSON.parse(proxy.requests[0]?.body ?? ""), "state"), [{ type: "text", text: STATE }]);
  const own = await typeSafeAt(open).systemOne({ state: STATE, questions: ROUTE });
  assert.deepEqual(adapted.answers.route.probabilities, own.answers.route.probabilities);
});

test("decides a JSON state by its content, in every form that clients send", async () => {
  const object = { subject: "lamp", text: "I want my money back" };
  const own = await typeSafeAt(open).systemOne({ state: object, questions: ROUTE });
  const turned = await typeSafeAt(open).systemOne({ state: { text: object.text, subject: "lamp" }, questions: ROUTE });
  const adapted = await decide({ model: typeSafeModelAt(open), state: object, questions: ROUTE });
  assert.equal(own.answers.route.choice, "refund");
  assert.deepEqual(turned.answers, own.answers);
  assert.deepEqual(adapted.answers.route.probabilities, own.answers.route.probabilities);
});

test("answers many questions in one call, each with its own labels, levels and legend", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `q${index}`);
  const questions = Object.fromEntries(
    names.map((name, index) => [
      name,
      [noul(INSTRUCTIONS), ROUTE.route, score("How upset?", ["no", null, "yes"])][index % 3],
    ]),
  );
  const { answers } = await typeSafeAt(open).systemOne({
    state: STATE,
    questions: { ...questions, upset: score({ ask: "how upset" }, ["no", null, ["yes", "very"]]) },
  });
  assert.deepEqual(Object.keys(answers).toSorted(), [...names, "upset"].toSorted());
  assert.deepEqual(answers.upset.legend, { "0": "no", "1": null, "2": ["yes", "very"] });
  assert.deepEqual(memberOf(answers, "q0"), memberOf(answers, "q3"));
});

test("returns a single label, and labels that resemble other types, unchanged", async () => {
  const odd = { "1": "money back", "0": "weather", true: "parcels", __proto_: null, "é ü": "x", "": undefined };
  const { "": _, ...labels } = odd;
  const { answers } = await typeSafeAt(open).systemOne({
    state: STATE,
    questions: { odd: choice(null, labels), one: choice(null, { only: null }) },
  });
  assert.deepEqual(Object.keys(answers.odd.probabilities).toSorted(), Object.keys(labels).toSorted());
  assert.deepEqual([answers.one.choice, answers.one.probabilities, answers.one.confidence], ["only", { only: 1 }, 1]);
});

test("accepts additional request fields, and lists unknown ones in `warnings`", async () => {
  const request = { state: STATE, questions: ROUTE, confidence_formula: "p_correct", explain: 4, temperature: 0 };
  const body = await typeSafeAt(open).systemOne(request);
  const { route } = body.answers;
  assert.equal(route.confidence, memberOf(route, "p_correct"));
  assert.ok(Array.isArray(memberOf(route, "explanation", "evidence")));
  const warnings = memberOf(body, "warnings");
  assert.ok(Array.isArray(warnings));
  assert.deepEqual(warnings.length, 1);
  assert.match(String(warnings[0]), /`temperature`/);
});

test("uses the named expert and returns its name, as native endpoints do", async () => {
  const routes = { get_weather: null, translate: null };
  const request = {
    state: "Will it rain in Paris?",
    questions: { route: choice(null, routes) },
    model: "triptych-1/tools",
  };
  const body = await typeSafeAt(open).systemOne(request);
  assert.equal(body.model, "triptych-1/tools");
  assert.equal(body.answers.route.choice, "get_weather");
  assert.equal(memberOf(body.answers.route, "basis"), "head");
  assert.ok(Array.isArray(memberOf(body.answers.route, "set")));
});

test("returns the request ID and the headers with `withResponse`", async () => {
  const { response, requestId } = await typeSafeAt(open).systemOne({ state: STATE, questions: ROUTE }).withResponse();
  assert.match(requestId ?? "", /^req_/);
  assert.equal(response.headers.get("x-request-id"), requestId);
});

test("returns `confidence` to the caller of `ai` as provider metadata", async () => {
  const { providerMetadata, answers } = await decide({ model: typeSafeModelAt(open), state: STATE, questions: ROUTE });
  const most = Math.max(...Object.values(answers.route.probabilities ?? {}));
  const confidence = memberOf(providerMetadata, "typesafe", "confidence", "route");
  assert.ok(Math.abs(Number(confidence) - (most - 1 / 3) / (2 / 3)) < 1e-9, String(confidence));
});

test("lists the models", async () => {
  const models = await typeSafeAt(open).models.list();
  const names = models.map(({ name }) => name);
  assert.ok(names.includes("triptych-1") && names.includes("triptych-1/tools"), names.join());
  for (const { description, release_date } of models) {
    assert.equal(typeof description, "string");
    assert.match(release_date, /^\d{4}-\d\d-\d\d/);
  }
});
