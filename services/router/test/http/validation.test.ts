import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

let fixture: Fixture;
before(async () => void (fixture = await createFixture()));
after(() => fixture[Symbol.asyncDispose]());

interface FaultSeen {
  readonly path: string;
  readonly reason: string;
  readonly suggestions?: readonly string[];
}

/** Path and reason of every issue of a refused body. */
async function issuesOf(body: unknown, path = "/v1/route"): Promise<FaultSeen[]> {
  const answer = await fixture.ask(path, { body });
  assert.equal(answer.statusCode, 400, answer.body.slice(0, 300));
  const { code, errors, error, detail } = answer.json();
  assert.equal(code, "validation_failed");
  assert.deepEqual(error, { message: detail, type: "invalid_request_error", code });
  return errors;
}

const state = "will it rain";
const longState = "x".repeat(32_769);
const many = (count: number) => Array.from({ length: count }, (_, index) => `route ${index}`);
const withMessage = (content: unknown, role = "user") => ({ state: undefined, messages: [{ role, content }] });

/** One invalid body each, and the path of its issue. */
const WRONG: readonly (readonly [body: unknown, path: string, reason: string])[] = [
  [{}, "/state", "required"],
  [[], "", "type"],
  ['"text"', "", "type"],
  [null, "", "type"],
  [{ state: 5 }, "/state", "type"],
  [{ state: "" }, "/state", "minLength"],
  [{ state: " \n\t" }, "/state", "pattern"],
  [{ state: longState }, "/state", "maxLength"],
  [{ state, messages: [{ role: "user", content: "x" }] }, "/messages", "not_together"],
  [{ messages: [] }, "/messages", "minItems"],
  [{ messages: "x" }, "/messages", "type"],
  [{ messages: Array.from({ length: 201 }, () => ({ role: "user", content: "x" })) }, "/messages", "maxItems"],
  [{ messages: [{ role: "assistant", content: "x" }] }, "/messages", "no_user_message"],
  [{ messages: [5] }, "/messages/0", "type"],
  [{ messages: [{ role: "usr", content: "x" }] }, "/messages/0/role", "enum"],
  [{ messages: [{ role: "user" }] }, "/messages/0/content", "required"],
  [withMessage(7), "/messages/0/content", "type"],
  [withMessage(" "), "/messages/0/content", "empty"],
  [withMessage([7]), "/messages/0/content/0", "type"],
  [withMessage([{ type: "text" }]), "/messages/0/content/0/text", "required"],
  [
    withMessage([
      { type: "image_url", image_url: "https://x" },
      { type: "text", text: "x" },
    ]),
    "/messages/0/content/0/type",
    "enum",
  ],
  [
    withMessage([
      { type: "input_image", image_url: "x" },
      { type: "text", text: "x" },
    ]),
    "/messages/0/content/0/type",
    "enum",
  ],
  [withMessage([{ type: "json" }, { type: "text", text: "x" }]), "/messages/0/content/0", "required"],
  [
    {
      messages: [
        { role: "system", content: "y".repeat(65_530) },
        { role: "user", content: "1234567" },
      ],
    },
    "/messages",
    "too_long",
  ],
  [{ state, options: [] }, "/options", "minItems"],
  [{ state, options: {} }, "/options", "minProperties"],
  [{ state, options: 5 }, "/options", "type"],
  [{ state, options: many(256) }, "/options", "maxItems"],
  [{ state, options: Object.fromEntries(many(256).map((label) => [label, null])) }, "/options", "maxProperties"],
  [{ state, options: ["weather", "weather"] }, "/options/1", "uniqueItems"],
  [{ state, options: [""] }, "/options/0", "minLength"],
  [{ state, options: ["x".repeat(65)] }, "/options/0", "maxLength"],
  [{ state, options: [" weather"] }, "/options/0", "pattern"],
  [{ state, options: ["wea\tther"] }, "/options/0", "pattern"],
  [{ state, options: [5] }, "/options/0", "type"],
  [{ state, options: { a: 5 } }, "/options/a", "type"],
  [{ state, options: { "a/b~": true } }, "/options/a~1b~0", "type"],
  [{ state, options: { a: { descriptoin: "x" } } }, "/options/a/descriptoin", "unknown_field"],
  [{ state, options: { a: { parameters: many(33) } } }, "/options/a/parameters", "maxItems"],
  [{ state, options: { a: { examples: many(9) } } }, "/options/a/examples", "maxItems"],
  [{ state, options: { a: { examples: [5] } } }, "/options/a/examples/0", "type"],
  [{ state, options: { a: "x".repeat(4001) } }, "/options/a", "maxLength"],
  [{ state, options: { a: "x" }, expert: "tools" }, "/expert", "not_together"],
  [{ state, options: { a: "x" }, model: "triptych-1/tools" }, "/model", "not_together"],
  [{ state, expert: "tools", model: "triptych-1/helpdesk" }, "/model", "not_together"],
  [{ state, expert: 5 }, "/expert", "type"],
  [{ state, expert: "" }, "/expert", "minLength"],
  [{ state, model: "x".repeat(129) }, "/model", "maxLength"],
  [{ state, model: 5 }, "/model", "type"],
  [{ state, min_conf: -0.1 }, "/min_conf", "minimum"],
  [{ state, min_conf: 1.1 }, "/min_conf", "maximum"],
  [{ state, min_conf: "0.5" }, "/min_conf", "type"],
  [{ state, max_error: 0 }, "/max_error", "minimum"],
  [{ state, max_error: 0.51 }, "/max_error", "maximum"],
  [{ state, explain: 0 }, "/explain", "minimum"],
  [{ state, explain: 33 }, "/explain", "maximum"],
  [{ state, explain: 1.5 }, "/explain", "type"],
  [{ state, explain: "yes" }, "/explain", "type"],
];

describe("an invalid request", () => {
  for (const [body, path, reason] of WRONG)
    test(`${reason} at ${path || "the top"}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const faults = await issuesOf(body);
      assert.deepEqual(
        faults.map((item) => [item.path, item.reason]),
        [[path, reason]],
      );
    });

  test("with an unknown field gets the nearest name, at any depth", async () => {
    const faults = await issuesOf({ state, min_cnof: 1, options: { a: { exmaples: [] } } });
    assert.deepEqual(
      faults.map(({ path, suggestions }) => [path, suggestions]),
      [
        ["/min_cnof", ["min_conf"]],
        ["/options/a/exmaples", ["examples"]],
      ],
    );
  });

  test("gets all issues in one response, including an unexpected query", async () => {
    const answer = await fixture.ask("/v1/route?explain=true", {
      body: { stat: "x", explain: 99, options: ["a", "a"], min_conf: 2, max_error: 2, expert: 1, model: 1 },
    });
    assert.deepEqual(
      answer
        .json()
        .errors.map(({ path }: FaultSeen) => path)
        .toSorted(),
      ["/expert", "/explain", "/max_error", "/min_conf", "/model", "/options/1", "/stat", "/state", "?explain"],
    );
  });

  test("to noul and score accepts only the fields of these endpoints", async () => {
    for (const path of ["/v1/noul", "/v1/score"]) {
      const faults = await issuesOf({ state, options: ["weather"], expert: "tools", min_conf: 1 }, path);
      assert.deepEqual(
        faults.map((item) => item.reason),
        ["unknown_field", "unknown_field", "unknown_field"],
      );
    }
  });

  test("with invalid JSON, invalid UTF-8, excessive depth or half a surrogate pair is 400 with `error` for compatible clients", async () => {
    const deep = `${"[".repeat(33)}${"]".repeat(33)}`;
    for (const body of ['{"state":', "", `{"state":${deep}}`, '{"state":"\\ud800"}', '{"state":"a\\u0000b"}']) {
      const answer = await fixture.ask("/v1/route", { body });
      assert.equal(answer.statusCode, 400, body.slice(0, 40));
      assert.equal(answer.json().error.message, answer.json().detail);
    }
  });

  test("one byte above 256 KiB is 413, with another media type 415, without a body 400", async () => {
    const filled = (bytes: number) => `{"state":"x"${" ".repeat(bytes - 13)}}`;
    assert.equal((await fixture.ask("/v1/route", { body: filled(256 * 1024) })).statusCode, 200);
    const large = await fixture.ask("/v1/route", { body: filled(256 * 1024 + 1) });
    assert.deepEqual([large.statusCode, large.json().error.code], [413, "payload_too_large"]);
    const form = await fixture.ask("/v1/route", {
      body: "a=b",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(form.statusCode, 415);
    assert.equal((await fixture.ask("/v1/route", { method: "POST" })).statusCode, 400);
  });

  test("with a wrong method is 405, to an unknown path 404, both with `error`", async () => {
    const wrong = await fixture.ask("/v1/route");
    assert.deepEqual(
      [wrong.statusCode, wrong.headers["allow"], wrong.json().error.code],
      [405, "POST", "method_not_allowed"],
    );
    assert.equal((await fixture.ask("/v1/rout", { body: {} })).json().error.type, "not_found_error");
  });
});

describe("a request at the limits is valid", () => {
  const RIGHT: readonly object[] = [
    { state: "🙂".repeat(32_768) },
    { messages: Array.from({ length: 200 }, () => ({ role: "user", content: "x" })) },
    { messages: [{ role: "user", content: "y".repeat(65_536) }] },
    { state, options: Object.fromEntries(many(255).map((label) => [label, { parameters: [], examples: [] }])) },
    { state, options: { ["x".repeat(64)]: null } },
    { state, options: { "é è": { description: null } } },
    { state, min_conf: 0, max_error: 0.001, explain: 32 },
    { state, min_conf: 1, max_error: 0.5, explain: 1 },
    { state, explain: false, model: "" },
    { state, model: "triptych-1/" },
  ];
  for (const body of RIGHT)
    test(JSON.stringify(body).slice(0, 70), async () => {
      const answer = await fixture.ask("/v1/route", { body });
      assert.equal(answer.statusCode, 200, answer.body.slice(0, 300));
    });
});
