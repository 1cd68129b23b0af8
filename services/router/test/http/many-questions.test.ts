/** Calls with many questions, of which others answer a share: whoever does, and whether at all, the answer has the same bytes. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Helpers, Share } from "../../src/domain/compat/answer-all.ts";
import { createQuestionThreads, type QuestionThreadsParts } from "../../src/workers/question-threads.ts";
import { OF_ACME } from "../support/compat-scene.ts";
import { customExpert } from "../support/custom-expert.ts";
import { openScene } from "../support/open-scene.ts";
import { smallArtifacts, smallFiles } from "../support/small-artifacts.ts";

const { trunk, options } = smallArtifacts();
const file = (name: string) => smallFiles().get(name) ?? new Uint8Array();

function threads(parts: Partial<QuestionThreadsParts>) {
  return createQuestionThreads({
    threads: 1,
    data: async () => ({ trunk: file("trunk.tptk"), options: file("options.tpos") }),
    standing: { trunk: trunk.sha256, options: options.sha256 },
    onFault: (what) => assert.fail(what),
    practice: 1,
    ...parts,
  });
}

const custom = [customExpert("acme_desk")];
const openOn = (helpers: Helpers) => openScene({ custom, helpers });
const nobody: Helpers = { free: 0, answer: () => Promise.resolve(null) };
const alone = await openOn(nobody);
after(() => alone[Symbol.asyncDispose]());

const text = "my money back, please; and will it rain tomorrow?";
/** Some that models of their own answer stand among them. */
const CALLS = [
  { path: "/v1/systemone", body: { state: text, questions: systemOne(400) } },
  { path: "/v1/systemone", body: { state: text, questions: systemOne(90), explain: 3, confidence_formula: "entropy" } },
  { path: "/v1/systemone", body: { state: text, questions: systemOne(90), max_error: 0.2, expert: "tools" } },
  { path: "/v1/decisions", body: { model: "gpt-6-luna", input: text, questions: decisions(400) } },
  { path: "/v1/decisions", body: { model: "gpt-6-luna", input: text, questions: decisions(90), min_conf: 0.3 } },
];

const askIn = async (scene: typeof alone, { path, body }: { readonly path: string; readonly body: object }) => {
  const answer = await scene.ask(path, { body, headers: OF_ACME });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.body;
};

test("threads answer a share of the questions with the same bytes", async () => {
  await using helpers = threads({ threads: 2 });
  const answered: (readonly string[])[] = [];
  await using scene = await openOn({
    get free() {
      return helpers.free;
    },
    async answer(share) {
      const texts = await helpers.answer(share);
      if (texts !== null) answered.push(texts);
      return texts;
    },
  });
  for (const call of CALLS) {
    const expected = await askIn(alone, call);
    answered.length = 0;
    // Threads are opened by the first call, and practise: until then it is answered without them.
    for (let tries = 0; answered.length === 0 && tries < 5000; tries++)
      assert.equal(await askIn(scene, call), expected);
    assert.ok(answered.length > 0, "no thread has answered");
  }
});

test("a share is of questions for the options scorer, and large enough to be worth handing over", async () => {
  const shares: Share[] = [];
  const taking: Helpers = {
    free: 3,
    async answer(share) {
      shares.push(share);
      return null;
    },
  };
  await using scene = await openOn(taking);
  for (const call of CALLS) assert.equal(await askIn(scene, call), await askIn(alone, call));
  assert.deepEqual(
    shares.map(({ questions }) => questions.length),
    [100, 100, 100, 45, 45, 100, 100, 100, 45],
  );
  const names = shares.flatMap(({ questions }) => questions.map(({ name }) => name));
  assert.deepEqual(
    names.filter((name) => ["escalate", "complexity", "own"].includes(name ?? "")),
    [],
  );

  shares.length = 0;
  await askIn(scene, { path: "/v1/systemone", body: { state: text, questions: systemOne(63) } });
  assert.equal(shares.length, 0);
});

test("what a thread has when it ends is answered without it", async () => {
  const helpers = threads({ practice: 0 });
  await using scene = await openOn(helpers);
  const [call] = CALLS;
  const expected = await askIn(alone, call);
  for (let tries = 0; tries < 5000 && (tries < 2 || helpers.free === 0); tries++)
    assert.equal(await askIn(scene, call), expected);
  assert.equal(helpers.free, 1);
  const asking = askIn(scene, call);
  await helpers[Symbol.asyncDispose]();
  assert.equal(await asking, expected);
  assert.equal(helpers.free, 0);
  assert.equal(await askIn(scene, call), expected);
});

test("a thread that stands on other files is asked nothing, and that is told", async () => {
  const told = Promise.withResolvers<string>();
  await using helpers = threads({
    standing: { trunk: trunk.sha256, options: "other" },
    onFault: told.resolve,
  });
  await using scene = await openOn(helpers);
  const [call] = CALLS;
  const expected = await askIn(alone, call);
  assert.equal(await askIn(scene, call), expected);
  assert.match(await told.promise, /have changed/);
  assert.equal(helpers.free, 0);
  assert.equal(await askIn(scene, call), expected);
});

test("files that cannot be read leave everything to the main thread", async () => {
  const told = Promise.withResolvers<string>();
  await using helpers = threads({ data: () => Promise.reject(new Error("gone")), onFault: told.resolve });
  await using scene = await openOn(helpers);
  const [call] = CALLS;
  assert.equal(await askIn(scene, call), await askIn(alone, call));
  assert.match(await told.promise, /could not be started/);
  assert.equal(helpers.free, 0);
});

function systemOne(count: number) {
  const special = {
    escalate: { type: "noul", instructions: "Should a person take this?" },
    complexity: { type: "score", criteria: ["one step", "a choice", "several steps", "long work"] },
    own: { type: "choice", criteria: { refund: null, password: null } },
  };
  const plain = Array.from({ length: count - 3 }, (_, n) => [`q${n}`, plainQuestion(n)] as const);
  const middle = Math.floor(plain.length / 2);
  return Object.fromEntries([...plain.slice(0, middle), ...Object.entries(special), ...plain.slice(middle)]);
}

function plainQuestion(n: number) {
  switch (n % 3) {
    case 0:
      return {
        type: "noul",
        instructions: `Is it about money, case ${n}?`,
        criteria: { true: "refund", false: "é\n" },
      };
    case 1:
      return { type: "choice", criteria: { [`refund ${n}`]: "gives money back", weather: "rain", "🙂": null } };
    default:
      return { type: "score", criteria: ["calm", null, ["angry", `money ${n}`]] };
  }
}

function decisions(count: number) {
  const special = [
    { type: "predicate", name: "escalate", instructions: "Should a person take this?" },
    { type: "choice", name: "own", choices: [{ value: "refund" }, { value: "password" }] },
  ];
  const plain = Array.from({ length: count - special.length }, (_, n) => {
    if (n % 2 === 0) return { type: "predicate", instructions: `Is it about money, case ${n}?` };
    const choices = [{ value: true, description: "money" }, { value: "true" }, { value: `rain ${n}` }];
    return { type: "choice", name: `q${n}`, choices };
  });
  return [...special, ...plain];
}
