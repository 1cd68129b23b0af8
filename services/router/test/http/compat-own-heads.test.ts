/** Questions of the compatible APIs with the labels of an owner's head: exactly one live head answers, otherwise the options scorer. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bringHead, ofOwner } from "../support/imported-heads.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

let fixture: Fixture;
before(async () => {
  fixture = await createFixture();
});
after(() => fixture[Symbol.asyncDispose]());

const state = "please reset my password";
const LABELS = ["weather", "chat", "refund", "password"];

/** The answering expert on either wire, or the options scorer. */
async function answeredBy(owner: string, labels: readonly unknown[], more: object = {}) {
  const ask = ofOwner(fixture, owner);
  const criteria = Object.fromEntries(labels.map((label) => [String(label), null]));
  const systemone = await ask("/v1/systemone", {
    body: { state, questions: { q: { type: "choice", criteria } }, ...more },
  });
  const questions = [{ type: "choice", choices: labels.map((value) => ({ value })) }];
  const decisions = await ask("/v1/decisions", { body: { model: "gpt-9", input: state, questions, ...more } });
  const [typesafe, openai] = [systemone.json(), decisions.json()];
  return [
    [typesafe.model, typesafe.answers.q.basis],
    [openai.model, openai.answers[0].basis],
  ];
}

const both = (model: string, basis: "head" | "zero_shot") => [
  [model, basis],
  [model, basis],
];
const ZERO_SHOT = both("triptych-1", "zero_shot");

test("the only live head with exactly these labels answers, in any label order", async () => {
  await bringHead(fixture, { owner: "wal_one", name: "only" });
  assert.deepEqual(await answeredBy("wal_one", LABELS), both("triptych-1/only", "head"));
  assert.deepEqual(await answeredBy("wal_one", LABELS.toReversed()), both("triptych-1/only", "head"));
  assert.deepEqual(await answeredBy("wal_two", LABELS), ZERO_SHOT);
});

test("a set with one label more, one less or one of another type is different", async () => {
  await bringHead(fixture, { owner: "wal_sets", name: "only" });
  assert.deepEqual(await answeredBy("wal_sets", [...LABELS, "other"]), ZERO_SHOT);
  assert.deepEqual(await answeredBy("wal_sets", LABELS.slice(1)), ZERO_SHOT);
  assert.deepEqual(await answeredBy("wal_sets", ["Weather", ...LABELS.slice(1)]), ZERO_SHOT);
});

test("if two heads have the same labels, only a named one answers until the other is deleted", async () => {
  await bringHead(fixture, { owner: "wal_twins", name: "one" });
  const { id } = await bringHead(fixture, { owner: "wal_twins", name: "two", contrary: true });
  assert.deepEqual(await answeredBy("wal_twins", LABELS), ZERO_SHOT);
  assert.deepEqual(await answeredBy("wal_twins", LABELS, { expert: "two" }), both("triptych-1/two", "head"));
  await ofOwner(fixture, "wal_twins")(`/v1/heads/${id}`, { method: "DELETE" });
  assert.deepEqual(await answeredBy("wal_twins", LABELS), both("triptych-1/one", "head"));
});

test("only live versions count: a ready or shadow version is not a second head", async () => {
  await bringHead(fixture, { owner: "wal_versions", name: "only" });
  const ready = await bringHead(fixture, { owner: "wal_versions", name: "only", contrary: true });
  assert.equal(ready.state, "ready");
  assert.deepEqual(await answeredBy("wal_versions", LABELS), both("triptych-1/only", "head"));
  await ofOwner(fixture, "wal_versions")(`/v1/heads/${ready.id}/shadow`, { body: { enabled: true } });
  assert.deepEqual(await answeredBy("wal_versions", LABELS), both("triptych-1/only", "head"));
});
