import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { canonicalJson } from "@triptych/contracts";
import { chooseRoute, decideOn } from "../../src/domain/assess.ts";
import { answerQuestion, type Asked } from "../../src/domain/openai-compat/answer-question.ts";
import type { ChoiceQuestion } from "../../src/domain/openai-compat/questions.ts";
import { decisionsBody } from "../../src/domain/openai-compat/wires.ts";
import { LOCAL_OWNER } from "../../src/domain/experts.ts";
import type { Options } from "../../src/domain/decision-requests.ts";
import { openScene, type Scene } from "../support/create-fixture.ts";
import { seeded } from "../support/seeded.ts";

let scene: Scene;
before(async () => void (scene = await openScene()));
after(() => scene[Symbol.asyncDispose]());

const TEXTS = ["will it rain tomorrow", "my money back and a password", "…", "東京 hello", "I want to talk to a human"];
const WORDS = ["rain", "sun and storm", "money back", "password lost", "", "hello there", "weather", "a human"];
const floors = { minConf: null, maxError: null };

test("10 000 permutations of options, of a list or a map, leave every number of a label bit-identical", async () => {
  const { assessor, experts } = scene.router;
  const random = seeded(41);
  const asked = await experts.inPlay(LOCAL_OWNER);
  for (let round = 0; round < 100; round++) {
    const encoding = assessor.engine.encode(random.pick(TEXTS));
    const count = 1 + random.below(8);
    const entries = Array.from({ length: count }, (_, place) => ({
      label: random.pick(["é", "b", "A", "🙂", "_"]) + String(place),
      description: random.pick(WORDS),
      parameters: [],
      examples: [],
    }));
    const labels = random.shuffle(["chat", "escalate", "password", "refund", "weather"]).slice(0, 1 + random.below(5));
    const decide = (options: Options) => {
      const order = { options, ...floors };
      const restricted = options.kind === "routes" ? asked : null;
      const gated = chooseRoute(assessor.engine, encoding, { order, experts: restricted });
      const { thresholds } = assessor;
      const { chosen, ...verdict } = decideOn(gated, { order, escalation: null, thresholds });
      return { ...verdict, ...chosen, explain: null, told: chosen.explain(8) };
    };
    const list = decide({ kind: "routes", labels });
    const map = decide({ kind: "vocabulary", entries });
    for (let turn = 0; turn < 50; turn++) {
      assert.deepEqual(decide({ kind: "routes", labels: random.shuffle(labels) }), list);
      assert.deepEqual(decide({ kind: "vocabulary", entries: random.shuffle(entries) }), map);
    }
  }
});

test("1 000 permutations of choices and of questions leave every number of a choice bit-identical, in every formula", () => {
  const { assessor } = scene.router;
  const random = seeded(43);
  const encoding = assessor.engine.encode("my money back, please");
  const judged = { state: "my money back, please", context: "", explain: 0 };
  const own: Asked = {
    ...assessor,
    encoding,
    judged,
    floors,
    pinned: null,
    inPlay: [],
    own: [],
    onChoice: () => undefined,
  };
  const choices: ChoiceQuestion["choices"] = [
    { value: true, description: "money" },
    { value: "true", description: "money" },
    { value: "refund", description: "money back" },
    { value: "weather", description: "rain" },
    { value: false, description: "" },
  ];
  for (const formula of ["chance", "entropy", "p_correct"] as const) {
    const numbers = (order: ChoiceQuestion["choices"]) => {
      const question: ChoiceQuestion = { kind: "choice", name: "q", choices: order };
      const answer = answerQuestion(own, question);
      const { log } = assessor.engine;
      const parts = { answered: [{ question, answer }], formula, explain: 4, inputTokens: 1, warnings: [], log };
      const told = canonicalJson(decisionsBody(parts));
      const byValue = order.map(({ value }, place) => `${typeof value} ${value}: ${answer.probabilities[place]}`);
      return [
        byValue.toSorted(),
        JSON.parse(told).answers[0].confidence,
        answer.correct,
        order[answer.likeliest].value,
      ];
    };
    const first = numbers(choices);
    for (let turn = 0; turn < 333; turn++) assert.deepEqual(numbers(random.shuffle(choices)), first);
  }
});

test("over the wire, a map in another order is the same answer but for what was measured", async () => {
  const told = async (body: string) => {
    const { id, latency_ms, ...same } = (await scene.ask("/v1/decide", { body })).json();
    assert.ok(typeof id === "string" && typeof latency_ms === "number");
    return same;
  };
  const one = await told('{"state":"money","options":{"b":"money back","a":"rain"}}');
  assert.deepEqual(await told('{"options":{"a":"rain","b":"money back"},"state":"money"}'), one);
});
