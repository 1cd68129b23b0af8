import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as contracts from "@triptych/contracts";
import { createFixture, SERVICE_TOKEN, type Fixture } from "../support/create-fixture.ts";
import { publishedSchemas } from "../support/published-schemas.ts";
import { smallArtifacts } from "../support/small-artifacts.ts";
import { customExpert } from "../support/custom-expert.ts";

let fixture: Fixture;
let schemas: Awaited<ReturnType<typeof publishedSchemas>>;
before(async () => {
  fixture = await createFixture({ custom: [customExpert("acme_desk", { domain: "support" })] });
  schemas = await publishedSchemas(fixture);
});
after(() => fixture[Symbol.asyncDispose]());

const OF_ACME = { authorization: `Bearer ${SERVICE_TOKEN}`, "x-router-owner": "acme" };

async function fetchJson(path: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fixture.ask(path, { headers });
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(schemas.ofAnswer(path, 200, answer.json()), []);
  return answer.json();
}

describe("/v1/experts and /v1/models", () => {
  test("list experts with routes and statistics, and an owner's own heads", async () => {
    const { data } = await fetchJson("/v1/experts");
    assert.deepEqual(
      data.map((expert: { name: string; auto: boolean }) => [expert.name, expert.auto]),
      [
        ["helpdesk", false],
        ["tools", true],
      ],
    );
    assert.deepEqual(data[1].routes[0], { route: "chat", kind: "chat", description: "Everything about chat" });
    assert.ok(data[1].accuracy > 0.5 && data[1].ece < 0.2);
    assert.match(data[1].trunk, /^sha256:[0-9a-f]{64}$/);
    const own = (await fetchJson("/v1/experts", OF_ACME)).data.at(-1);
    assert.deepEqual(
      [own.name, own.kind, own.head_id, own.domain],
      ["acme_desk", "custom", "hed_acme_desk", "support"],
    );
  });

  test("list models in both wire formats", async () => {
    const { models, data, object } = await fetchJson("/v1/models");
    assert.equal(object, "list");
    assert.deepEqual(
      models.map((model: { name: string }) => model.name),
      ["triptych-1", "triptych-1/helpdesk", "triptych-1/tools"],
    );
    assert.deepEqual(
      data.map((model: { id: string }) => model.id),
      models.map((model: { name: string }) => model.name),
    );
    assert.equal(new Date(data[0].created * 1000).toISOString().slice(0, 10), models[0].release_date);
  });
});

describe("/health", () => {
  test("returns 200 if the engine reproduces its probe result", async () => {
    const { status, model, experts, router } = await fetchJson("/health");
    assert.deepEqual([status, model, experts, router], ["ok", "triptych-1", 2, undefined]);
  });

  test("returns 503 if the probe differs in the last bit", async () => {
    const artifacts = smallArtifacts();
    const { state, answer } = artifacts.probe;
    assert.ok(typeof answer === "object" && answer !== null && "p_yes" in answer && typeof answer.p_yes === "number");
    const moved = { ...answer, p_yes: answer.p_yes + Number.EPSILON * answer.p_yes };
    assert.notEqual(moved.p_yes, answer.p_yes);
    await using wrong = await createFixture({ artifacts: { ...artifacts, probe: { state, answer: moved } } });
    const degraded = await wrong.ask("/health");
    assert.equal(degraded.statusCode, 503);
    assert.equal(degraded.headers["retry-after"], "1");
    assert.equal(degraded.json().status, "degraded");
    assert.deepEqual(schemas.ofAnswer("/health", 503, degraded.json()), []);
    assert.equal((await wrong.ask("/livez")).statusCode, 200);
  });
});

describe("/pricing", () => {
  test("is free and returns the effective limits", async () => {
    const { price, billing, limits, endpoints, starter_credit, rail } = await fetchJson("/pricing");
    assert.deepEqual(price, { amount_micro: 0, decisions_per_cent: null });
    assert.deepEqual([billing.wallet_required, billing.questions_per_decision], [false, contracts.QUESTIONS_MAX]);
    assert.deepEqual([starter_credit, rail, limits.rate], [null, null, null]);
    assert.equal(limits.options, contracts.OPTIONS_MAX);
    assert.equal(limits.body_bytes, 256 * 1024);
    const billed = endpoints.filter((endpoint: { decisions: number }) => endpoint.decisions === 1);
    assert.deepEqual(
      billed.map((endpoint: { path: string }) => endpoint.path),
      ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess", "/v1/systemone", "/v1/decisions"],
    );
  });
});

describe("metrics", () => {
  test("count decisions by endpoint, action, reason and expert, and never contain the name of an owner's head", async () => {
    await fixture.ask("/v1/route", { body: { state: "will it rain" } });
    await fixture.ask("/v1/route", { body: { state: "refund", expert: "acme_desk" }, headers: OF_ACME });
    await fixture.ask("/v1/decide", { body: { state: "refund", options: { a: null } } });
    const { body } = await fixture.ask("/metrics");
    assert.match(
      body,
      /router_decisions_total\{endpoint="route",action="tool_call",reason="ok",expert="tools",service="router"\} 1/,
    );
    assert.match(body, /expert="custom"/);
    assert.match(body, /endpoint="decide",[^}]*expert="none"/);
    assert.doesNotMatch(body, /acme/);
  });
});
