/** Heads on a sentence encoder as callers see them, without a delay for other heads. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sentenceEncoderIdentity } from "@triptych/decisions";
import { createEncoderFixture } from "../support/encoder-fixture.ts";
import { createFixture } from "../support/create-fixture.ts";

const opened = await createEncoderFixture();
after(() => opened[Symbol.asyncDispose]());
const { fixture, ask, runsOf } = opened;
const trunk = `sha256:${await sentenceEncoderIdentity(opened.folder)}`;
const head = await opened.train();
const state = "could you please reset my password";
const request = { state, expert: "acme", explain: true };

test("a trained head uses the encoder, and every representation shows it", async () => {
  assert.deepEqual([head.state, head.trunk], ["live", trunk]);
  const { data } = (await fixture.ask("/v1/experts")).json();
  const trunks = new Map(data.map((item: { name: string; trunk: string }) => [item.name, item.trunk]));
  const { trunk: shipped } = (await fixture.ask("/health")).json();
  assert.deepEqual([trunks.get("acme"), trunks.get("tools")], [trunk, shipped]);
  assert.notEqual(shipped, trunk);
  assert.match((await fixture.ask(head.links.card)).body, /sentence encoder of the operator/);
});

test("a head decides on the encoder's vector, with identical bits each time, and explains itself", async () => {
  const decided = await ask("/v1/route", request);
  assert.deepEqual([decided.route, decided.via, decided.expert], ["password", "onnx", "acme"]);
  const again = await ask("/v1/route", request);
  assert.deepEqual({ ...again, id: "", latency_ms: 0 }, { ...decided, id: "", latency_ms: 0 });
  const { bias, other, evidence, logit_difference: difference } = decided.explanation;
  const listed = evidence.reduce((sum: number, entry: { contribution: number }) => sum + entry.contribution, 0);
  assert.ok(Math.abs(bias + other + listed - difference) < 1e-9);
  const { decision, escalation } = await ask("/v1/assess", request);
  assert.deepEqual([decision.choice, decision.confidence], [decided.route, decided.confidence]);
  assert.equal(escalation.p_yes, decided.p_yes);
});

test("earlier messages reach the encoder too", async () => {
  const messages = [
    { role: "user", content: "will it rain" },
    { role: "user", content: state },
  ];
  const runs = await runsOf(() => ask("/v1/decide", { messages, expert: "acme" }));
  assert.equal(runs, 2);
});

test("the encoder runs once for its own heads, and never for anything else", async () => {
  const options = { refund: "money back", password: "a new password" };
  for (const [path, body, runs] of [
    ["/v1/route", request, 1],
    ["/v1/route", { state }, 0],
    ["/v1/decide", { state, expert: "helpdesk" }, 0],
    ["/v1/decide", { state, options }, 0],
    ["/v1/noul", { state }, 0],
    ["/v1/score", { state }, 0],
  ] as const)
    assert.equal(await runsOf(() => ask(path, body)), runs, `${path} ${JSON.stringify(body)}`);
});

test("bundled experts, escalation and complexity respond as they do without an encoder", async () => {
  await using plain = await createFixture();
  for (const path of ["/v1/route", "/v1/assess", "/v1/noul", "/v1/score"]) {
    const body = { state, explain: true };
    const here = await ask(path, body);
    const there = (await plain.ask(path, { body })).json();
    assert.deepEqual({ ...here, id: "", latency_ms: 0 }, { ...there, id: "", latency_ms: 0 });
  }
});

test("a compatible API uses the encoder's head when the question has exactly its labels or names it", async () => {
  const criteria = { chat: null, password: null, refund: null, weather: null };
  const questions = { q: { type: "choice", criteria }, escalate: { type: "noul", instructions: "a person?" } };
  const { answers } = await ask("/v1/systemone", { state, questions });
  assert.deepEqual([answers.q.choice, answers.q.basis], ["password", "head"]);
  assert.equal(await runsOf(() => ask("/v1/systemone", { state, questions })), 1);
  const some = { q: { type: "choice", criteria: { chat: null, password: null } } };
  assert.equal(await runsOf(() => ask("/v1/systemone", { state, questions: some })), 0);
  assert.equal(await runsOf(() => ask("/v1/systemone", { state, questions: some, model: "triptych-1/acme" })), 1);
  const { q: _left, ...others } = questions;
  assert.equal(await runsOf(() => ask("/v1/systemone", { state, questions: others })), 0);
});

test("escalation uses an active custom head, complexity does not", async () => {
  await using other = await createEncoderFixture();
  await other.train({ auto: true });
  const decided = await other.ask("/v1/route", { state });
  assert.ok(decided.gate_confidence > 0);
  assert.equal(await other.runsOf(() => other.ask("/v1/noul", { state })), 1);
  assert.equal(await other.runsOf(() => other.ask("/v1/score", { state })), 0);
  const { p_yes: pYes } = await other.ask("/v1/noul", { state });
  assert.equal(pYes, decided.p_yes);
});

test("a text that the encoder reads only partly is marked as truncated", async () => {
  const long = { state: "pneumonoultramicroscopic ".repeat(20) };
  assert.equal((await ask("/v1/decide", long)).usage.truncated, false);
  assert.equal((await ask("/v1/decide", { ...long, expert: "acme" })).usage.truncated, true);
});
