import assert from "node:assert/strict";
import { test } from "node:test";
import { customExpert } from "../support/custom-expert.ts";
import { createFixture, SERVICE_TOKEN } from "../support/create-fixture.ts";

const TEXT = "plantedtext7f3a my secret diagnosis";
const CONTEXT = "plantedcontext91bc";
const DESCRIPTION = "planteddescription55aa";
const TOKEN = "planted-token-of-the-operator";
const HEAD = "planted_head";
const WALLET = "rail_test_00000000000000000000000000_0000000";

test("request texts, labels of an owner's head and tokens never appear in a log line, metric or error", async () => {
  await using fixture = await createFixture({ routerToken: TOKEN, custom: [customExpert(HEAD, { auto: true })] });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}`, "x-rail-wallet": WALLET });
  const own = { ...bearer(SERVICE_TOKEN), "x-router-owner": "acme" };
  const messages = [
    { role: "system", content: CONTEXT },
    { role: "user", content: TEXT },
  ];
  const answers = [];
  for (const [body, headers] of [
    [{ state: TEXT, expert: HEAD }, own],
    [{ messages, explain: true }, own],
    [{ state: TEXT, options: { a: DESCRIPTION } }, bearer(TOKEN)],
    [{ state: TEXT, expert: HEAD }, bearer(TOKEN)],
    [{ state: TEXT, options: [DESCRIPTION] }, bearer(TOKEN)],
    [{ state: TEXT, min_conf: DESCRIPTION, explain: DESCRIPTION, options: DESCRIPTION }, bearer(TOKEN)],
    [{ messages: [{ role: TEXT, content: TEXT }] }, bearer(TOKEN)],
    [`{"state":"${TEXT}"`, bearer(TOKEN)],
    [{ state: TEXT, questions: { q: { type: "noul", instructions: DESCRIPTION } } }, bearer(TOKEN)],
    [{ input: TEXT, questions: [{ type: TEXT, instructions: 5 }] }, bearer(TOKEN)],
    [{ state: TEXT }, bearer(`${TOKEN}x`)],
  ] as const)
    for (const path of ["/v1/route", "/v1/assess", "/v1/noul", "/v1/systemone", "/v1/decisions"])
      answers.push(await fixture.ask(path, { body, headers }));
  answers.push(await fixture.ask(`/v1/route?state=${encodeURIComponent(TEXT)}`, { body: {}, headers: bearer(TOKEN) }));

  const errors = answers
    .filter(({ statusCode }) => statusCode >= 400)
    .map(({ body, headers }) => body + JSON.stringify(headers));
  const outputs = {
    logs: fixture.lines.join(""),
    metrics: (await fixture.ask("/metrics")).body,
    errors: errors.join("\n"),
  };
  for (const [name, text] of Object.entries(outputs))
    for (const planted of [
      TEXT,
      "plantedtext7f3a",
      "diagnosis",
      CONTEXT,
      DESCRIPTION,
      TOKEN,
      HEAD,
      SERVICE_TOKEN,
      WALLET,
    ])
      assert.ok(!text.includes(planted), `${planted} is in ${name}`);
  assert.ok(errors.length > 20 && errors.length < answers.length);
  assert.ok(outputs.logs.includes("/v1/route") && outputs.metrics.includes('expert="custom"'));
});
