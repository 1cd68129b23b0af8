/**
 * Compares `economy` with an enumeration written from the contract alone: 9 900 cases of the rule, and 100 requests to
 * the endpoints with a head, a restricted head and options.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cheapestRoute, type Economy } from "../../src/domain/economy.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { seeded, type Random } from "../support/seeded.ts";

let fixture: Fixture;
before(async () => void (fixture = await createFixture()));
after(() => fixture[Symbol.asyncDispose]());

interface SentEconomy {
  readonly incumbent?: string;
  readonly cached_tokens?: number;
  readonly new_tokens: number;
  readonly output_tokens: number;
  readonly error_cost_micro?: number;
  readonly prices: Readonly<Record<string, { input: number; cached_input?: number; output: number }>>;
}

/** Computes the cost of every priced label directly from the definition. */
function enumerate(sent: SentEconomy, probabilities: Readonly<Record<string, number>>) {
  const expected_cost_micro: Record<string, number> = {};
  let choice: string | null = null;
  for (const label of Object.keys(sent.prices)) {
    const { input, cached_input, output } = sent.prices[label];
    let warm = input;
    if (sent.incumbent === label && cached_input !== undefined) warm = cached_input;
    const tokens = (sent.cached_tokens ?? 0) * warm + sent.new_tokens * input + sent.output_tokens * output;
    expected_cost_micro[label] = tokens / 1_000_000 + (1 - probabilities[label]) * (sent.error_cost_micro ?? 0);
    const difference = choice === null ? -1 : expected_cost_micro[label] - expected_cost_micro[choice];
    const isEarlier = choice !== sent.incumbent && (label === sent.incumbent || label < String(choice));
    if (difference < 0 || (difference === 0 && isEarlier)) choice = label;
  }
  return { choice, action: choice === sent.incumbent ? "keep" : "switch", expected_cost_micro };
}

/** Few distinct values, so that ties are common. */
function randomEconomy(random: Random, labels: readonly string[]): SentEconomy {
  const tokens = () => random.pick([0, 1, 500, 40_000, random.below(1_000_000_000)]);
  const price = () => random.pick([0, 250_000, 250_000, 2_500_000, random.below(1_000_000_000)]);
  const priced = random.shuffle([...labels]).slice(0, 1 + random.below(labels.length));
  const entries = priced.map((label) => {
    const cached = random.below(2) === 0 ? {} : { cached_input: price() };
    return [label, { input: price(), output: price(), ...cached }];
  });
  return {
    ...(random.below(4) > 0 && { incumbent: random.pick(labels) }),
    ...(random.below(3) > 0 && { cached_tokens: tokens() }),
    ...(random.below(3) > 0 && { error_cost_micro: random.pick([0, 20_000, 1_000_000, random.below(1_000_000_000)]) }),
    new_tokens: tokens(),
    output_tokens: tokens(),
    prices: Object.fromEntries(entries),
  };
}

function parsed(sent: SentEconomy): Economy {
  return {
    incumbent: sent.incumbent ?? null,
    cachedTokens: sent.cached_tokens ?? 0,
    newTokens: sent.new_tokens,
    outputTokens: sent.output_tokens,
    errorCostMicro: sent.error_cost_micro ?? 0,
    prices: new Map(
      Object.entries(sent.prices).map(([label, { input, cached_input: cachedInput = null, output }]) => {
        return [label, { input, cachedInput, output }] as const;
      }),
    ),
  };
}

test("equals the enumeration in 9 900 random cases, in choice, action and every double", () => {
  const random = seeded(71);
  const actions = new Set<string>();
  for (let round = 0; round < 9900; round++) {
    const labels = random
      .shuffle(["A", "b", "é", "🙂", "small", "large", "_"])
      .slice(0, 1 + random.below(7))
      .sort();
    const weights = labels.map(() => random.pick([0, 0.25, 0.5, random.below(1000) / 1000]));
    const sent = randomEconomy(random, labels);
    const expected = enumerate(sent, Object.fromEntries(labels.map((label, index) => [label, weights[index]])));
    const { choice, action, costs } = cheapestRoute(parsed(sent), { labels, probabilities: weights });
    assert.deepEqual({ choice, action, expected_cost_micro: Object.fromEntries(costs) }, expected);
    actions.add(action);
  }
  assert.deepEqual([...actions].sort(), ["keep", "switch"]);
});

const ROUTES = ["chat", "escalate", "password", "refund", "weather"];
const OPTIONS = { small: "rain and sun", large: "money back, long texts", other: null };

test("100 answers of /v1/route and /v1/decide equal the enumeration over their own probabilities", async () => {
  const random = seeded(73);
  for (let round = 0; round < 100; round++) {
    const restricted = random.shuffle(ROUTES).slice(0, 1 + random.below(4));
    const { labels, options } = random.pick([
      { labels: ROUTES, options: undefined },
      { labels: restricted, options: restricted },
      { labels: Object.keys(OPTIONS), options: OPTIONS },
    ]);
    const economy = randomEconomy(random, labels);
    const state = random.pick(["will it rain", "my money back", "a long story"]);
    const body = { state, economy, ...(options !== undefined && { options }) };
    const answer = await fixture.ask(random.pick(["/v1/route", "/v1/decide"]), { body });
    assert.equal(answer.statusCode, 200, answer.body);
    const { probabilities, economy: answered } = answer.json();
    assert.deepEqual(answered, enumerate(economy, probabilities));
  }
});
