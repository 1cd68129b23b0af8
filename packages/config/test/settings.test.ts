import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { defineSettings } from "../src/index.ts";

const schema = Type.Object({
  PORT: Type.Integer({ default: 7000, minimum: 0, maximum: 65_535, description: "a port" }),
  TOKEN: Type.Optional(Type.String({ pattern: "^tok_", description: "a token", secret: true, file: "service-token" })),
  STORE: Type.Optional(Type.String({ description: "a database", secret: "password" })),
  TIERS: Type.String({ default: "[]", description: "JSON" }),
});
const checkJson = ({ TIERS }: Readonly<Record<string, string | undefined>>) => (TIERS === "[" ? ["TIERS: JSON"] : []);
const settings = defineSettings("sample", schema, [checkJson]);
const read = (environment: Record<string, string>, files: readonly string[] = []) =>
  Object.fromEntries(
    settings
      .read(environment, (path) => files.includes(path))
      .map(({ name, value, source, isValid }) => [name, { value, source, isValid }]),
  );

test("names the source of each value: environment, default, file or none", () => {
  const found = read({ PORT: "80", TRIPTYCH_DATA: "/data" }, ["/data/service-token"]);
  assert.deepEqual(found["PORT"], { value: "80", source: "environment", isValid: true });
  assert.deepEqual(found["TIERS"], { value: "[]", source: "default", isValid: true });
  assert.deepEqual(found["TOKEN"], { value: "********", source: "file", isValid: true });
  assert.deepEqual(found["STORE"], { value: null, source: "unset", isValid: true });
  assert.equal(read({})["TOKEN"]?.source, "unset");
});

test("masks secrets, passwords in URLs, and invalid values, which may be secrets in the wrong variable", () => {
  for (const [name, text, value] of [
    ["TOKEN", "tok_planted", "********"],
    ["STORE", "postgres://me:planted@db/one", "postgres://me:********@db/one"],
    ["STORE", "postgres://db/one?user=me&password=planted", "postgres://db/one?********"],
    ["STORE", "postgres://me@db/one", "postgres://me@db/one"],
    ["STORE", "planted", "********"],
    ["PORT", "planted", "********"],
  ] as const)
    assert.equal(read({ [name]: text })[name]?.value, value, text);
});

test("lists every invalid variable, including those that a schema cannot check", () => {
  const environment = { PORT: "planted", TOKEN: "planted", TIERS: "[" };
  assert.deepEqual(settings.issuesOf(environment), ["PORT: a port", "TOKEN: a token", "TIERS: JSON"]);
  assert.ok(["PORT", "TOKEN", "TIERS"].every((name) => !read(environment)[name]?.isValid));
});
