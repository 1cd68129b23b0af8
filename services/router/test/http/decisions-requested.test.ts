/** Request options of the native endpoints. */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createDecisionFixture, without } from "../support/decision-fixture.ts";

const fixture = await createDecisionFixture();
after(() => fixture[Symbol.asyncDispose]());
const { ask, decided } = fixture;

describe("request options", () => {
  test("a list of options restricts the routes and renormalizes the probabilities", async () => {
    const all = await decided("/v1/route", { state: "money back for the rain" });
    const some = await decided("/v1/route", { state: "money back for the rain", options: ["weather", "refund"] });
    assert.deepEqual(Object.keys(some.probabilities), ["refund", "weather"]);
    const ratio = (body: { probabilities: Record<string, number> }) =>
      body.probabilities.refund / body.probabilities.weather;
    assert.ok(Math.abs(ratio(some) / ratio(all) - 1) < 1e-9);
  });

  test("a map of options needs no expert, and reserved names keep their meaning", async () => {
    const body = await decided("/v1/route", {
      state: "I want my money back",
      options: { refund: "gives money back", escalate: "a person: talk to a human", chat: null },
    });
    assert.deepEqual([body.basis, body.via, body.expert, body.set], ["zero_shot", "options", undefined, undefined]);
    const payload = {
      state: "talk to a human please",
      options: { escalate: "talk to a human", other: "seven" },
      min_conf: 0,
    };
    assert.equal((await decided("/v1/route", payload)).reason, "route_escalate");
  });

  test("labels such as __proto__ are ordinary labels", async () => {
    const options = { ["__proto__"]: "rain and sun", constructor: "money back", toString: null };
    const answer = await ask("/v1/decide", {
      body: `{"state":"will it rain","options":{"__proto__":"the weather: rain and sun","constructor":"money back","toString":null}}`,
    });
    assert.equal(answer.statusCode, 200, `${answer.body} ${Object.keys(options).length}`);
    assert.deepEqual(Object.keys(answer.json().probabilities).toSorted(), ["__proto__", "constructor", "toString"]);
  });

  test("an expert is pinned by name or within the model, and an unknown one is 404 with the nearest name", async () => {
    const byName = await decided("/v1/decide", { state: "reset it", expert: "helpdesk" });
    const byModel = await decided("/v1/decide", { state: "reset it", model: "triptych-1/helpdesk" });
    assert.deepEqual(without(byName), without(byModel));
    assert.deepEqual(Object.keys(byName.probabilities), ["password", "refund"]);
    const unknown = await ask("/v1/decide", { body: { state: "x", expert: "helpdesc" } });
    assert.equal(unknown.statusCode, 404);
    assert.deepEqual([unknown.json().code, unknown.json().suggestions], ["expert_not_found", ["helpdesk"]]);
    assert.equal((await decided("/v1/decide", { state: "x y", model: "gpt-9" })).model, "triptych-1");
  });

  test("every route that the expert does not have is reported with the nearest name", async () => {
    const answer = await ask("/v1/route", { body: { state: "x", options: ["wether", "chat", "zzzzzz"] } });
    assert.equal(answer.statusCode, 400);
    const { code, errors, error } = answer.json();
    assert.equal(code, "option_unknown");
    assert.deepEqual(error.code, "option_unknown");
    assert.deepEqual(
      errors.map((issue: { path: string; suggestions?: string[] }) => [issue.path, issue.suggestions]),
      [
        ["/options/0", ["weather"]],
        ["/options/2", undefined],
      ],
    );
  });

  test("min_conf replaces the floor, and a higher value never undoes a delegation", async () => {
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

  test("max_error delegates unproven decisions, and a lower value never undoes a delegation", async () => {
    const reasons: string[] = [];
    for (const max_error of [0.5, 0.3, 0.1, 0.05, 0.01, 0.001])
      reasons.push((await decided("/v1/route", { state: "will it rain tomorrow", max_error })).reason);
    assert.equal(reasons[0], "ok");
    assert.equal(reasons.at(-1), "risk_limit");
    assert.deepEqual(reasons, reasons.toSorted());
    const text = await decided("/v1/route", { state: "will it rain tomorrow", max_error: 0.001 });
    assert.match(text.reason_text, /0\.001/);
  });

  test("messages before the last user message are context, later ones are ignored", async () => {
    const decideMessages = (messages: object[]) => decided("/v1/route", { messages });
    const alone = await decideMessages([{ role: "user", content: "yes, do it" }]);
    const before = { role: "assistant", content: "Shall I reset your password?", tool_calls: [] };
    const within = await decideMessages([before, { role: "user", content: "yes, do it", name: "ada" }]);
    assert.notDeepEqual(within.probabilities, alone.probabilities);
    const after = { role: "tool", content: "forecast: rain, rain, rain" };
    assert.deepEqual(
      (await decideMessages([{ role: "user", content: "yes, do it" }, after])).probabilities,
      alone.probabilities,
    );
    assert.deepEqual((await decided("/v1/route", { state: "yes, do it" })).probabilities, alone.probabilities);
  });

  test("message parts are read as text, with JSON in canonical form", async () => {
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
