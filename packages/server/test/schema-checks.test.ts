import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { compileBody } from "../src/schema-checks.ts";

const list = Type.Object(
  { list: Type.Array(Type.String(), { maxItems: 2 }), map: Type.Optional(Type.Record(Type.String(), Type.String())) },
  { additionalProperties: false },
);
const pathsFor = (body: unknown) => compileBody(list)(body).map(({ path }) => path);

test("accepts a valid body", () => {
  assert.deepEqual(pathsFor({ list: ["a", "b"], map: { a: "x" } }), []);
});

test("collects errors of at most one entry above the limit of a list", () => {
  const entries = Array.from({ length: 50 }, () => 1);
  assert.deepEqual(pathsFor({ list: entries }), ["/list", "/list/0", "/list/1", "/list/2"]);
});

test("collects at most 100 issues about unknown fields", () => {
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field_${index}`, 1]));
  assert.equal(pathsFor({ ...unknown, list: ["a"] }).length, 100);
});

test("validates a map entry whose name contains a line break", () => {
  assert.deepEqual(pathsFor({ list: [], map: { "a\nb": 1 } }), ["/map/a\nb"]);
});
