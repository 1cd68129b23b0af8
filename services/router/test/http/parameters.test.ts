/** Parameters of options: lists of names, JSON Schema, and tool definitions in the compatible APIs. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { loadBundledModels } from "@triptych/decisions";
import { readParameters } from "../../src/http/parsers/read-parameters.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

let fixture: Fixture;
before(async () => void (fixture = await createFixture({ artifacts: loadBundledModels() })));
after(() => fixture[Symbol.asyncDispose]());

interface Decided {
  readonly choice: string;
  readonly confidence: number;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly errors?: readonly {
    readonly path: string;
    readonly reason: string;
    readonly suggestions?: readonly string[];
  }[];
}

async function decide(state: string, parameters: unknown, label = "book_table"): Promise<Decided> {
  const options = {
    [label]: { description: "Books a table in a restaurant", parameters },
    get_weather: "Tells the weather",
  };
  return (await fixture.ask("/v1/decide", { body: { state, options } })).json<Decided>();
}

const CITY = { type: "string", description: "where the restaurant is" };
const GUESTS = { type: "integer", description: "number of people" };
const DATE = { type: "string", format: "date" };
const PROPERTIES = { city: CITY, guests: GUESTS, date: DATE };
const SCHEMA = { type: "object", properties: PROPERTIES, required: ["city", "guests", "date"] };

describe("a JSON Schema of parameters", () => {
  test("is accepted with further keywords, nested objects and optional variants", async () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...SCHEMA,
      additionalProperties: false,
      properties: {
        ...PROPERTIES,
        note: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
        contact: { type: "object", properties: { email: { type: "string", format: "email" } }, required: ["email"] },
        area: { type: ["string", "null"], enum: ["inside", "outside", null] },
      },
    };
    assert.equal((await decide("a table for two in Lyon on Friday", schema)).choice, "book_table");
  });

  test("lowers the confidence if the text states no required value", async () => {
    const stated = await decide("Book a table for 4 people in Lyon on 2026-12-01", SCHEMA);
    const optional = await decide("Book a table", { ...SCHEMA, required: [] });
    const open = await decide("Book a table", SCHEMA);
    assert.ok(open.confidence < optional.confidence, `${open.confidence} ${optional.confidence}`);
    assert.ok(open.confidence < stated.confidence, `${open.confidence} ${stated.confidence}`);
  });

  test("gives the same numbers whatever the order of its properties", async () => {
    const turned = {
      ...SCHEMA,
      properties: { date: DATE, guests: GUESTS, city: CITY },
      required: ["date", "city", "guests"],
    };
    const state = "a table for two in Lyon";
    assert.deepEqual((await decide(state, turned)).probabilities, (await decide(state, SCHEMA)).probabilities);
  });

  test("is rejected with every issue", async () => {
    const wrong = {
      type: "object",
      properties: { city: { type: "strnig" }, guests: { description: 5 }, area: { enum: [] } },
      required: ["city", "city", "ctiy"],
    };
    const { errors = [] } = await decide("a table", wrong);
    assert.deepEqual(errors.map(({ path }) => path.replace("/options/book_table/parameters", "")).toSorted(), [
      "/properties/area/enum",
      "/properties/city/type",
      "/properties/guests/description",
      "/required/1",
      "/required/2",
    ]);
  });

  test("is rejected with the nearest name if it requires an unknown property", async () => {
    const { errors = [] } = await decide("a table", { ...SCHEMA, required: ["ctiy"] }, "a/b");
    assert.deepEqual(errors, [
      {
        path: "/options/a~1b/parameters/required/0",
        reason: "required_unknown",
        message: "This required parameter is not among the properties.",
        suggestions: ["city"],
      },
    ]);
  });

  test("has a limited number of properties and limited texts", async () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`p${index}`, {}]));
    assert.equal((await decide("a", { type: "object", properties: many })).errors?.[0]?.reason, "maxProperties");
    const long = { city: { description: "x".repeat(4001) } };
    assert.equal((await decide("a", { type: "object", properties: long })).errors?.[0]?.reason, "maxLength");
  });
});

test("reads leaves of nested objects, required only within required objects", () => {
  const address = { type: "object", properties: { city: CITY }, required: ["city"] };
  const read = (required: readonly string[]) =>
    readParameters({ type: "object", properties: { address }, required }).map((leaf) => [leaf.text, leaf.required]);
  assert.deepEqual(read(["address"]), [["address city where the restaurant is", true]]);
  assert.deepEqual(read([]), [["address city where the restaurant is", false]]);
});

test("a tool definition as a description in the compatible APIs equals the native option", async () => {
  const state = "a table for two in Lyon";
  const native = await decide(state, SCHEMA);
  const tool = {
    type: "function",
    function: { name: "book_table", description: "Books a table in a restaurant", parameters: SCHEMA },
  };
  const criteria = { book_table: tool, get_weather: "Tells the weather" };
  const systemone = await fixture.ask("/v1/systemone", {
    body: { state, questions: { q: { type: "choice", criteria } } },
  });
  const choices = Object.entries(criteria).map(([value, description]) => ({ value, description }));
  const decisions = await fixture.ask("/v1/decisions", {
    body: { input: state, questions: [{ type: "choice", choices }] },
  });
  const expected = native.probabilities;
  assert.deepEqual(systemone.json<{ answers: { q: Decided } }>().answers.q.probabilities, expected);
  const [answer] = decisions.json<{ answers: { probabilities: { value: string; probability: number }[] }[] }>().answers;
  assert.deepEqual(
    Object.fromEntries(answer.probabilities.map(({ value, probability }) => [value, probability])),
    expected,
  );
});
