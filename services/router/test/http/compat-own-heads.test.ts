/** Questions of the foreign wires whose labels are those of an owner's head: exactly one live head answers, else the descriptions do. */
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

/** Who answered on either wire: an expert, or the options scorer. */
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

test("the one live head that has exactly these labels answers, in whatever order they come", async () => {
  await bringHead(fixture, { owner: "wal_one", name: "only" });
  assert.deepEqual(await answeredBy("wal_one", LABELS), both("triptych-1/only", "head"));
  assert.deepEqual(await answeredBy("wal_one", LABELS.toReversed()), both("triptych-1/only", "head"));
  assert.deepEqual(await answeredBy("wal_two", LABELS), ZERO_SHOT);
});

test("one label more, one less or one of another type is another set", async () => {
  await bringHead(fixture, { owner: "wal_sets", name: "only" });
  assert.deepEqual(await answeredBy("wal_sets", [...LABELS, "other"]), ZERO_SHOT);
  assert.deepEqual(await answeredBy("wal_sets", LABELS.slice(1)), ZERO_SHOT);
  assert.deepEqual(await answeredBy("wal_sets", ["Weather", ...LABELS.slice(1)]), ZERO_SHOT);
});

test("of two heads with the same labels none answers, but the one that is named does, until the other is gone", async () => {
  await bringHead(fixture, { owner: "wal_twins", name: "one" });
  const { id } = await bringHead(fixture, { owner: "wal_twins", name: "two", contrary: true });
  assert.deepEqual(await answeredBy("wal_twins", LABELS), ZERO_SHOT);
  assert.deepEqual(await answeredBy("wal_twins", LABELS, { expert: "two" }), both("triptych-1/two", "head"));
  await ofOwner(fixture, "wal_twins")(`/v1/heads/${id}`, { method: "DELETE" });
  assert.deepEqual(await answeredBy("wal_twins", LABELS), both("triptych-1/one", "head"));
});

test("only what is live counts: a version that is ready or in the shadow is no second head", async () => {
  await bringHead(fixture, { owner: "wal_versions", name: "only" });
  const ready = await bringHead(fixture, { owner: "wal_versions", name: "only", contrary: true });
  assert.equal(ready.state, "ready");
  assert.deepEqual(await answeredBy("wal_versions", LABELS), both("triptych-1/only", "head"));
  await ofOwner(fixture, "wal_versions")(`/v1/heads/${ready.id}/shadow`, { body: { enabled: true } });
  assert.deepEqual(await answeredBy("wal_versions", LABELS), both("triptych-1/only", "head"));
});
