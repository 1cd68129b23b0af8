/** Training data and feedback appear only in responses about the owner's head. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "@triptych/storage";
import { ROUTER_MIGRATIONS, ROUTER_SCHEMA } from "../../src/store/migrations.ts";
import type { RouterTables } from "../../src/store/tables.ts";
import { ofOwner } from "../support/imported-heads.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

const PLANTED = {
  name: "planted_head_51",
  label: "plantedlabel7c",
  other: "plantedother2d",
  description: "planteddescription33",
  domain: "planteddomain8e",
  phrasing: "plantedphrasing90",
  slot: "plantedslotvalue4b",
  example: "plantedexample66",
  feedbackText: "plantedfeedback1f",
  context: "plantedcontext5a",
  request: "plantedrequest09",
  key: "plantedkey77",
};
const { name, label, other, feedbackText } = PLANTED;

const texts = (text: string) =>
  ["one", "two", "three", "four", "five", "six"].map((count) => `${text} ${count} {thing}`);
const taught = { text: `${PLANTED.example} now`, route: label, lang: "en" };
const request = {
  name,
  domain: PLANTED.domain,
  routes: [
    { route: label, description: PLANTED.description, phrasings: texts(PLANTED.phrasing) },
    { route: other, phrasings: texts("something else") },
  ],
  slots: { thing: [PLANTED.slot, "chair"] },
  examples: [
    taught,
    { ...taught, route: other },
    { messages: [{ role: "user", content: PLANTED.example }], route: null },
  ],
};

/** Every kind of error and success, of heads and of feedback. */
async function everything(fixture: Fixture) {
  const ask = ofOwner(fixture, "wal_planted");
  const headers = { "idempotency-key": PLANTED.key };
  const made = await ask("/v1/heads", { body: request, headers });
  const id = String(made.json().id);
  const messages = [
    { role: "assistant", content: PLANTED.context },
    { role: "user", content: feedbackText },
  ];
  const item = { expert: name, messages, route: label };
  const [first, second] = request.routes;
  const requests = [
    ["/v1/heads", { ...request, seed: 9 }, headers],
    ["/v1/heads", { ...request, routes: [first, first] }],
    ["/v1/heads", { ...request, routes: [{ ...first, phrasings: [] }, second], examples: [] }],
    ["/v1/heads", { ...request, slots: {} }],
    ["/v1/heads", { ...request, examples: [{ text: PLANTED.example, route: PLANTED.example, lang: PLANTED.example }] }],
    ["/v1/heads", JSON.stringify(request).slice(0, -5)],
    ["/v1/heads", { ...request, routes: [{ ...first, route: `${label}\u0000` }, second], gate: PLANTED.description }],
    ["/v1/feedback", { ...item, request_id: PLANTED.request }],
    ["/v1/feedback", { ...item, recalibrate: true }],
    ["/v1/feedback", { ...item, route: `${label}x`, decided: feedbackText }],
    ["/v1/feedback", { ...item, confidence: feedbackText, state: feedbackText }],
    ["/v1/feedback", { expert: id, items: [{ ...item, expert: undefined }, { route: feedbackText }] }],
    ["/v1/decide", { messages, expert: name, explain: true }],
    ["/v1/decide", { messages, expert: id, options: [`${feedbackText} and nothing like it`] }],
    [`/v1/heads/${id}/shadow`, { enabled: feedbackText }],
    [`/v1/heads/${id}/promote`, { force: feedbackText }],
    [`/v1/heads/${id}/shadow`, { enabled: true }],
  ] as const;
  const answers = [made];
  for (const [path, body, more] of requests) answers.push(await ask(path, { body, headers: more ?? {} }));
  const others = ofOwner(fixture, "wal_other");
  for (const path of [`/v1/heads/${id}`, `/v1/heads/${id}/card`, `/v1/heads/${id}/artifact`])
    answers.push(await ask(path), await others(path));
  answers.push(await ask(`/v1/heads/${id}`, { method: "DELETE" }));
  return answers;
}

function assertClean(outputs: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(outputs))
    for (const planted of Object.values(PLANTED)) assert.ok(!text.includes(planted), `${planted} is in ${name}`);
}

/** This problem tells the owner which route has too few texts. */
const namesRoutes = ({ body }: { readonly body: string }) => JSON.parse(body).code === "too_few_examples";

test("labels, phrasings, examples and feedback of an owner's head never appear in a log line, metric or error", async () => {
  await using fixture = await createFixture();
  const answers = await everything(fixture);
  const [made] = answers;
  assert.deepEqual([made.statusCode, made.json().state], [201, "live"], made.body);
  const errors = answers.filter(({ statusCode }) => statusCode >= 400);
  assert.ok(errors.length > 12 && errors.length < answers.length - 5, `${errors.length} of ${answers.length}`);
  assertClean({
    logs: fixture.lines.join(""),
    metrics: (await fixture.ask("/metrics")).body,
    errors: errors
      .filter((answer) => !namesRoutes(answer))
      .map(({ body, headers }) => body + JSON.stringify(headers))
      .join("\n"),
  });
});

test("a failing store is logged without labels, phrasings or examples", async () => {
  const memory = { url: "sqlite::memory:", schema: ROUTER_SCHEMA, migrations: ROUTER_MIGRATIONS };
  await using database = await openDatabase<RouterTables>(memory);
  const full = () => Promise.reject(new Error("the disk is full"));
  const files = { write: full, get: full, remove: full };
  await using fixture = await createFixture({ storage: { database, files } });
  const answers = await everything(fixture);
  assert.equal(answers[0].json().state, "training");
  assert.match(fixture.lines.join(""), /the disk is full/);
  assertClean({ logs: fixture.lines.join(""), metrics: (await fixture.ask("/metrics")).body });
});
