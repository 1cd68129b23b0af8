import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { OF_ACME, createCompatFixture, SIDES, state, sumOf } from "../support/compat-fixture.ts";

const wires = await createCompatFixture();
after(() => wires[Symbol.asyncDispose]());
const { ask, systemone } = wires;

describe("the source of an answer", () => {
  const five = { chat: null, escalate: null, password: null, refund: null, weather: null };

  test("is the named expert if it has all labels, and the model field names it", async () => {
    const questions = { route: { type: "choice", criteria: { refund: null, weather: "anything" } } };
    const pinned = await systemone(questions, { expert: "tools" });
    const byModel = await systemone(questions, { model: "triptych-1/tools" });
    assert.equal(pinned.model, "triptych-1/tools");
    assert.deepEqual(byModel, pinned);
    const native = (
      await ask("/v1/decide", { body: { state, expert: "tools", options: ["refund", "weather"] } })
    ).json();
    const { route } = pinned.answers;
    assert.deepEqual(
      [route.probabilities, route.p_correct, route.set],
      [native.probabilities, native.confidence, native.set],
    );
    assert.equal(route.basis, "head");
  });

  test("is the options scorer if no expert is named or the named one does not have a label", async () => {
    const lacking = { route: { type: "choice", criteria: { ...five, sky: null } } };
    const body = await systemone(lacking, { expert: "tools" });
    assert.deepEqual(
      [body.model, body.answers.route.basis, body.answers.route.set],
      ["triptych-1", "zero_shot", undefined],
    );
    const unnamed = await systemone({ route: { type: "choice", criteria: five } });
    assert.equal(unnamed.answers.route.basis, "zero_shot");
  });

  test("is the owner's head with exactly these labels, for its owner only", async () => {
    const exact = { route: { type: "choice", criteria: { refund: null, password: null } } };
    const own = await systemone(exact, {}, OF_ACME);
    assert.deepEqual([own.model, own.answers.route.basis], ["triptych-1/acme_desk", "head"]);
    assert.equal((await systemone(exact)).answers.route.basis, "zero_shot");
    const fewer = { route: { type: "choice", criteria: { refund: null } } };
    assert.equal((await systemone(fewer, {}, OF_ACME)).answers.route.basis, "zero_shot");
  });

  test("is the escalation or complexity model for questions with these names", async () => {
    const { answers } = await systemone({
      escalate: { type: "noul", instructions: "Should a person take this?" },
      complexity: { type: "score", criteria: ["one step", "a choice", "several steps", "long work"] },
    });
    const noul = (await ask("/v1/noul", { body: { state } })).json();
    const score = (await ask("/v1/score", { body: { state } })).json();
    assert.equal(answers.escalate.noul, noul.p_yes);
    assert.deepEqual(Object.values(answers.complexity.probabilities), Object.values(score.probabilities));
    assert.ok(Math.abs(answers.complexity.score - (score.expected - 1)) < 1e-12);
    const three = await systemone({ complexity: { type: "score", criteria: ["a", "b", "c"] } });
    assert.equal(three.answers.complexity.basis, "zero_shot");
  });

  test("an unknown expert is 404 with `error.message`", async () => {
    const body = { state, expert: "tolls", questions: { q: { type: "noul", instructions: "x" } } };
    const answer = await ask("/v1/systemone", { body });
    assert.deepEqual([answer.statusCode, answer.json().suggestions], [404, ["tools"]]);
    assert.equal(typeof answer.json().error.message, "string");
  });
});

describe("metadata of an answer", () => {
  const questions = { q: { type: "choice", criteria: { refund: "money back", weather: "rain", chat: null } } };

  test("confidence follows the requested formula", async () => {
    const byFormula = async (confidence_formula?: string) =>
      (await systemone(questions, { confidence_formula })).answers.q;
    const chance = await byFormula();
    const values: number[] = Object.values(chance.probabilities);
    assert.equal(chance.confidence, (Math.max(...values) - 1 / 3) / (1 - 1 / 3));
    const entropy = -sumOf(values.map((p) => p * Math.log(p)));
    assert.ok(Math.abs((await byFormula("entropy")).confidence - (1 - entropy / Math.log(3))) < 1e-12);
    const own = await byFormula("p_correct");
    assert.equal(own.confidence, own.p_correct);
    assert.deepEqual(own.probabilities, chance.probabilities);
  });

  test("confidence of a score measures how close the levels are to the most likely one", async () => {
    const { mood } = (await systemone({ mood: { type: "score", criteria: ["rain", "sun", "money back", "storm"] } }))
      .answers;
    const values: number[] = Object.values(mood.probabilities);
    const likeliest = values.indexOf(Math.max(...values));
    const distance = sumOf(values.map((p, level) => p * Math.abs(level - likeliest)));
    assert.ok(Math.abs(mood.confidence - Math.max(0, 1 - distance / 1)) < 1e-12);
  });

  test("an abstention has a reason and keeps the answer", async () => {
    const { q } = (await systemone(questions, { min_conf: 1 })).answers;
    assert.equal(q.abstain, true);
    assert.ok(["low_confidence", "out_of_scope"].includes(q.reason));
    assert.equal(q.probabilities[q.choice], Math.max(...Object.values<number>(q.probabilities)));
    const proven = await systemone({ escalate: { type: "noul" } }, { max_error: 0.5 });
    assert.equal(proven.answers.escalate.reason, "risk_limit");
  });

  test("an explanation adds up for every kind of question", async () => {
    const { answers } = await systemone(
      {
        q: questions.q,
        escalate: { type: "noul" },
        yes: { type: "noul", criteria: SIDES },
        one: { type: "noul", instructions: "money back" },
        s: { type: "score", criteria: ["a", "money"] },
      },
      { explain: 2 },
    );
    for (const { explanation } of Object.values<{
      explanation: Record<string, number> & { evidence: { contribution: number }[] };
    }>(answers)) {
      const listed = sumOf(explanation.evidence.map(({ contribution }) => contribution));
      assert.ok(Math.abs(explanation["bias"] + listed + explanation["other"] - explanation["logit_difference"]) < 1e-9);
    }
  });
});

test("400 questions in one call get the same answers as 400 separate calls", async () => {
  const kinds = [
    { type: "noul", instructions: "money back" },
    { type: "choice", criteria: { refund: "money back", weather: "rain" } },
    { type: "score", criteria: ["calm", "angry"] },
  ];
  const questions = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`q${index}`, kinds[index % 3]]));
  const { answers } = await systemone(questions);
  assert.equal(Object.keys(answers).length, 400);
  const alone = (await systemone({ a: kinds[0], b: kinds[1], c: kinds[2] })).answers;
  for (let index = 0; index < 400; index++)
    assert.deepEqual(answers[`q${index}`], [alone.a, alone.b, alone.c][index % 3]);
});

test("a large response is compressed for remote clients, and never on loopback", async () => {
  const questions = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`q${n}`, { type: "noul" }]));
  await using fixture = await createCompatFixture();
  const encodingOf = async (remoteAddress: string, body: object) => {
    const headers = { "content-type": "application/json", "accept-encoding": "br" };
    const injected = {
      method: "POST",
      url: "/v1/systemone",
      remoteAddress,
      headers,
      payload: JSON.stringify(body),
    } as const;
    return (await fixture.inject(injected)).headers["content-encoding"];
  };
  const large = { state: "will it rain", questions };
  assert.equal(await encodingOf("192.0.2.7", large), "br");
  assert.equal(await encodingOf("192.0.2.7", { ...large, questions: { one: { type: "noul" } } }), undefined);
  assert.equal(await encodingOf("127.0.0.1", large), undefined);
  assert.equal(await encodingOf("::1", large), undefined);
});
