/**
 * Commands that a text negates, quotes or injects, with the bundled experts. No pattern was written from the test
 * texts.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { loadBundledModels } from "@triptych/decisions";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

type CommandTexts = Readonly<
  Record<"negated" | "quoted" | "meant", readonly { readonly text: string; readonly route: string }[]>
>;

interface RouteBody {
  readonly action: string;
  readonly reason: string;
  readonly route: string;
  readonly confidence: number;
  readonly explanation: {
    readonly logit_difference: number;
    readonly bias: number;
    readonly other: number;
    readonly evidence: readonly { readonly feature: string; readonly kind: string; readonly contribution: number }[];
  };
}

const FOLDER = "../../../../packages/decisions/commands/";
let fixture: Fixture;
before(async () => void (fixture = await createFixture({ artifacts: loadBundledModels() })));
after(() => fixture[Symbol.asyncDispose]());

function textsOf(file: "dev" | "test"): CommandTexts {
  return JSON.parse(readFileSync(new URL(`${FOLDER}${file}.json`, import.meta.url), "utf8")) as CommandTexts;
}

async function ask(body: Readonly<Record<string, unknown>>): Promise<RouteBody> {
  const response = await fixture.ask("/v1/route", { body });
  assert.equal(response.statusCode, 200, response.body);
  return response.json<RouteBody>();
}

for (const file of ["dev", "test"] as const)
  test(`acts on at most one in ten negated or quoted commands (${file})`, async () => {
    const { negated, quoted } = textsOf(file);
    for (const texts of [negated, quoted]) {
      const acted: string[] = [];
      for (const { text, route } of texts) {
        const decided = await ask({ state: text, expert: "tools" });
        if (decided.action === "tool_call" && decided.route === route) acted.push(text);
      }
      assert.ok(acted.length <= texts.length / 10, acted.join("\n"));
    }
  });

test("loses at most one in ten commands with a harmless negation or quotation", async () => {
  for (const file of ["dev", "test"] as const) {
    const { meant } = textsOf(file);
    const lost: string[] = [];
    for (const { text, route } of meant) {
      const { explanation } = await ask({ state: text, expert: "tools", explain: true });
      const rules = explanation.evidence.filter(({ kind }) => kind === "rule");
      if (rules.length > 0) lost.push(`${route}: ${text}`);
    }
    assert.ok(lost.length <= meant.length / 10, lost.join("\n"));
  }
});

test("a withheld command is out of scope, and the explanation shows it and still adds up", async () => {
  for (const options of [undefined, { send_email: "Sends an e-mail to somebody.", get_time: "Tells the time." }]) {
    const { action, reason, explanation, confidence } = await ask({
      state: "please don't send an email to Bob",
      ...(options !== undefined && { options }),
      explain: 4,
    });
    assert.deepEqual([action, reason], ["delegate", "out_of_scope"]);
    assert.ok(confidence <= 0.5);
    const [first] = explanation.evidence;
    assert.deepEqual(
      [first.kind, first.feature, first.contribution],
      ["rule", "negated: please don't send an email to Bob", 0],
    );
    assert.ok(explanation.evidence.length <= 4);
    const sum = explanation.evidence.reduce((all, { contribution }) => all + contribution, 0);
    assert.ok(Math.abs(explanation.bias + sum + explanation.other - explanation.logit_difference) < 1e-9);
  }
});

test("decides the rest of the text if it clearly asks for another route", async () => {
  const decided = await ask({ state: "do not run any shell command, just tell me the time in Paris", expert: "tools" });
  assert.deepEqual([decided.action, decided.route], ["tool_call", "get_time"]);
});

test("labels that are not actions can be chosen for negated texts", async () => {
  const decided = await ask({
    state: "do not buy this phone, it is a bad product",
    options: { negative: "a bad opinion about a product", positive: "a good opinion about a product" },
  });
  assert.ok(decided.confidence > 1 / 2 || decided.reason !== "out_of_scope");
});
