import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { createCompatFixture, SIDES, state, sumOf } from "../support/compat-fixture.ts";

const wires = await createCompatFixture();
after(() => wires[Symbol.asyncDispose]());
const { ask, decisions, refused, systemone } = wires;

const locs = (body: { detail: { loc: unknown[] }[] }) => body.detail.map(({ loc }) => loc.join("/"));

describe("the TypeSafe wire", () => {
  test("answers the three kinds of question with exactly the requested keys", async () => {
    const { model, answers, usage } = await systemone({
      about: { type: "noul", instructions: "Is it about money?", criteria: SIDES },
      route: { type: "choice", instructions: null, criteria: { refund: "gives money back", sky: null } },
      mood: { type: "score", instructions: { ask: "how angry" }, criteria: ["calm", null, ["angry", "money back"]] },
    });
    assert.equal(model, "triptych-1");
    assert.deepEqual(usage, { input_tokens: 8, output_tokens: 0 });
    assert.deepEqual(Object.keys(answers).toSorted(), ["about", "mood", "route"]);
    assert.ok(answers.about.noul > 0.5);
    assert.deepEqual(Object.keys(answers.route.probabilities).toSorted(), ["refund", "sky"]);
    assert.equal(answers.route.choice, "refund");
    assert.ok(Math.abs(sumOf(Object.values(answers.route.probabilities)) - 1) < 1e-12);
    const levels: number[] = Object.values(answers.mood.probabilities);
    assert.equal(levels.length, 3);
    assert.ok(Math.abs(answers.mood.score - sumOf(levels.map((p, level) => p * level))) < 1e-12);
    assert.deepEqual(answers.mood.legend, { "0": "calm", "1": null, "2": ["angry", "money back"] });
    assert.ok(["ok", "low_confidence", "out_of_scope"].includes(answers.mood.reason));
  });

  test("reads a state of parts or JSON as its text, without JSON punctuation", async () => {
    const questions = { q: { type: "choice", criteria: { refund: "money back", weather: "rain and sun" } } };
    const plain = await systemone(questions, { state: "note\nmoney back" });
    const parts = [
      { type: "text", text: "note" },
      { type: "json", value: ["money back"] },
    ];
    for (const other of [parts, ["note", "money back"], { "": ["note", "money back"] }])
      assert.deepEqual((await systemone(questions, { state: other })).answers, plain.answers, JSON.stringify(other));
    assert.deepEqual(
      (await systemone(questions, { state: { b: "money", a: 1 } })).answers,
      (await systemone(questions, { state: { a: 1, b: "money" } })).answers,
    );
  });

  test("a single label is certain", async () => {
    const { answers } = await systemone({ q: { type: "choice", criteria: { only: "this" } } });
    assert.deepEqual(answers.q.probabilities, { only: 1 });
    assert.equal(answers.q.confidence, 1);
  });

  test("ignores unknown top-level fields with a warning, and harmless client fields without one", async () => {
    const questions = { q: { type: "noul", instructions: "money?" } };
    const { warnings } = await systemone(questions, {
      temperature: 1,
      keep_alive: 5,
      options: {},
      prompt_cache_key: "x",
    });
    assert.deepEqual(warnings, ["The field `temperature` is not supported and was ignored."]);
    assert.equal((await systemone(questions)).warnings, undefined);
  });

  test("responds to issues with 422 and all paths in `error.message`", async () => {
    const body = await refused("/v1/systemone", {
      state: "",
      questions: {
        a: { type: "choice", criteria: {} },
        b: { type: "score", criteria: ["x"] },
        c: { type: "score", criteria: Array.from({ length: 11 }, () => "x") },
        d: { type: "noul", instruction: "x" },
        e: { type: "maybe" },
        f: { type: "choice" },
        g: 5,
      },
      min_conf: 2,
      confidence_formula: "best",
    });
    assert.deepEqual(locs(body), [
      "body/state",
      "body/questions/a/criteria",
      "body/questions/b/criteria",
      "body/questions/c/criteria",
      "body/questions/d/instruction",
      "body/questions/e/type",
      "body/questions/f/criteria",
      "body/questions/g",
      "body/min_conf",
      "body/confidence_formula",
    ]);
    assert.match(
      body.error.message,
      /^state: `state` must contain more than white space.*; questions\.a\.criteria: .*; questions\.g: /,
    );
    assert.equal(body.code, "validation_failed");
  });

  test("rejects no question, 401 questions, an image or an empty state with 422, and invalid JSON with 400", async () => {
    const question = { type: "noul", instructions: "x" };
    const many = Object.fromEntries(Array.from({ length: 401 }, (_, index) => [`q${index}`, question]));
    assert.deepEqual(locs(await refused("/v1/systemone", { state, questions: {} })), ["body/questions"]);
    assert.deepEqual(locs(await refused("/v1/systemone", { state, questions: many })), ["body/questions"]);
    assert.deepEqual(locs(await refused("/v1/systemone", { state: null, questions: { question } })), ["body/state"]);
    const wide = { type: "choice", criteria: Object.fromEntries(Object.keys(many).map((name) => [name, null])) };
    assert.deepEqual(locs(await refused("/v1/systemone", { state, questions: { wide } })), [
      "body/questions/wide/criteria",
    ]);
    assert.deepEqual(locs(await refused("/v1/systemone", [])), ["body"]);
    const lineBreak = { state, questions: { "a\nb": 5 } };
    assert.deepEqual(locs(await refused("/v1/systemone", lineBreak)), ["body/questions/a\nb"]);
    const image = [
      { type: "text", text: "x" },
      { type: "image", image: "x" },
    ];
    assert.deepEqual(locs(await refused("/v1/systemone", { state: image, questions: { question } })), [
      "body/state/1/type",
    ]);
    const box = [{ type: "box", x: 1 }];
    assert.equal((await refused("/v1/systemone", { state: box, questions: { question } })).status, 422);
    assert.deepEqual(locs(await refused("/v1/systemone?a=1", { state, questions: { question } })), ["query/a"]);
    const broken = await ask("/v1/systemone", { body: "{" });
    assert.deepEqual([broken.statusCode, broken.json().error.code], [400, "invalid_json"]);
  });
});

describe("the OpenAI wire", () => {
  test("answers in question order, with names echoed or null, and typed values", async () => {
    const { answers, usage } = await decisions([
      {
        type: "choice",
        name: "first",
        instructions: "who?",
        choices: [{ value: "true" }, { value: true }, { value: "refund", description: "money back" }],
      },
      { type: "predicate", instructions: [{ type: "input_text", text: "money back" }] },
      { type: "score", name: null, levels: [{ label: "low" }, { label: "high", description: "money back" }] },
    ]);
    assert.deepEqual(
      answers.map((item: { type: string; name: string | null }) => [item.type, item.name]),
      [
        ["choice", "first"],
        ["predicate", null],
        ["score", null],
      ],
    );
    assert.deepEqual(
      answers[0].probabilities.map(({ value }: { value: unknown }) => value),
      ["true", true, "refund"],
    );
    assert.equal(answers[0].choice, "refund");
    assert.ok(
      Math.abs(sumOf(answers[0].probabilities.map((item: { probability: number }) => item.probability)) - 1) < 1e-12,
    );
    assert.deepEqual(
      answers[2].probabilities.map(({ value, label }: { value: number; label: string }) => [value, label]),
      [
        [0, "low"],
        [1, "high"],
      ],
    );
    assert.deepEqual(usage, {
      input_tokens: 8,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 8,
    });
  });

  test('true, "true" and lookalikes are distinct values', async () => {
    const values = [true, "true", "true ", false, "false"];
    const { answers } = await decisions([{ type: "choice", choices: values.map((value) => ({ value })) }]);
    const returnedValues = answers[0].probabilities.map(({ value }: { value: unknown }) => value);
    assert.deepEqual(returnedValues, values);
    assert.ok(
      Math.abs(sumOf(answers[0].probabilities.map((item: { probability: number }) => item.probability)) - 1) < 1e-12,
    );
  });

  test("function calls and their outputs are context, at any position", async () => {
    const question = { type: "choice", choices: [{ value: "refund" }, { value: "weather" }] };
    const user = {
      role: "user",
      content: [
        { type: "input_text", text: "yes please" },
        { type: "input_json", data: { n: 1 } },
      ],
    };
    const call = { type: "function_call", call_id: "1", name: "weather", arguments: '{"city":"Paris","sky":"rain"}' };
    const output = { type: "function_call_output", call_id: "1", output: "will it rain: weather today" };
    const read = async (input: readonly object[]) => (await decisions([question], { input })).answers[0].probabilities;
    const bare = await read([user]);
    const informed = await read([user, call, output]);
    assert.notDeepEqual(informed, bare);
    assert.deepEqual(await read([call, output, user]), informed);
    assert.deepEqual(await read([user, { role: "assistant", content: [{ type: "output_text", text: "rain" }] }]), bare);
  });

  test("a yes/no question with both sides in its text means the same as in the other format", async () => {
    const truth = `Criteria for true:\n${SIDES.true}`;
    const falsehood = `Criteria for false:\n${SIDES.false}`;
    const instructions = "About money?";
    const written = [
      { parts: [instructions, truth, falsehood], question: { instructions, criteria: SIDES } },
      { parts: [instructions, truth], question: { instructions, criteria: { true: SIDES.true } } },
      { parts: [instructions, falsehood], question: { instructions, criteria: { false: SIDES.false } } },
      { parts: [truth, falsehood], question: { criteria: SIDES } },
      { parts: [falsehood], question: { criteria: { false: SIDES.false } } },
    ];
    for (const { parts, question } of written) {
      const text = parts.join("\n\n");
      const { answers } = await decisions([{ type: "predicate", name: "q", instructions: text }]);
      const other = await systemone({ q: { type: "noul", ...question } });
      assert.equal(answers[0].probability, other.answers.q.noul, text);
    }
  });

  test("JSON descriptions within text mean the same as in the other format", async () => {
    const criteria = { refund: { means: "money back", for: ["lamp"] }, weather: ["rain", "sun"], other: "[not JSON" };
    const written = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
    const choices = Object.entries(criteria).map(([value, criterion]) => ({ value, description: written(criterion) }));
    const levels = Object.values(criteria).map((criterion, index) => ({
      label: String(index),
      description: written(criterion),
    }));
    const text = `${written({ ask: "money?" })}\n\nCriteria for true:\n${written(criteria.refund)}`;
    const { answers } = await decisions([
      { type: "choice", name: "c", choices },
      { type: "score", name: "s", levels },
      { type: "predicate", name: "p", instructions: text },
    ]);
    const other = await systemone({
      c: { type: "choice", criteria },
      s: { type: "score", criteria: Object.values(criteria) },
      p: { type: "noul", instructions: { ask: "money?" }, criteria: { true: criteria.refund } },
    });
    assert.deepEqual(
      answers.map((item: { p_correct: number }) => item.p_correct),
      [other.answers.c.p_correct, other.answers.s.p_correct, other.answers.p.p_correct],
    );
    assert.deepEqual([answers[1].score, answers[2].probability], [other.answers.s.score, other.answers.p.noul]);
  });

  test("levels labeled with numbers are decided by their descriptions, as in the other format", async () => {
    const criteria = ["calm", "the money back"];
    const levels = criteria.map((description, index) => ({ label: String(index), description }));
    const { answers } = await decisions([{ type: "score", name: "q", levels }]);
    const other = await systemone({ q: { type: "score", criteria } });
    assert.deepEqual([answers[0].score, answers[0].confidence], [other.answers.q.score, other.answers.q.confidence]);
  });

  test("returns issues with 422, with numbers for list positions", async () => {
    const body = await refused("/v1/decisions", {
      input: [{ role: "user", content: [{ type: "input_image", image_url: "x" }] }, { type: "mystery" }],
      questions: [
        { type: "choice", choices: [{ value: "a" }] },
        { type: "choice", choices: [{ value: "a" }, { value: "a", extra: 1 }, { value: 5 }] },
        { type: "predicate" },
        { type: "score", levels: [] },
      ],
    });
    assert.deepEqual(locs(body).toSorted(), [
      "body/input/0/content/0/type",
      "body/input/1/type",
      "body/questions/0/choices",
      "body/questions/1/choices/1/extra",
      "body/questions/1/choices/1/value",
      "body/questions/1/choices/2/value",
      "body/questions/2/instructions",
      "body/questions/3/levels",
    ]);
    assert.equal(typeof body.detail[0].loc[2], "number");
    const many = (count: number, of: (index: number) => object) =>
      Array.from({ length: count }, (_, index) => of(index));
    const predicate = { type: "predicate", instructions: "x" };
    for (const [questions, loc] of [
      [[], "body/questions"],
      [many(401, () => predicate), "body/questions"],
      [[{ type: "score", levels: many(1, () => ({ label: "x" })) }], "body/questions/0/levels"],
      [[{ type: "score", levels: many(11, (label) => ({ label: `${label}` })) }], "body/questions/0/levels"],
      [[{ type: "choice", choices: many(256, (value) => ({ value: `${value}` })) }], "body/questions/0/choices"],
    ] as const)
      assert.deepEqual(locs(await refused("/v1/decisions", { input: state, questions })), [loc]);
    for (const input of [undefined, "", 5, [], [{ role: "assistant", content: "x" }]])
      assert.equal(
        (await refused("/v1/decisions", { input, questions: [{ type: "predicate", instructions: "x" }] })).status,
        422,
      );
  });
});
