import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { ConfigError, readConfig } from "../src/config.ts";

const schema = Type.Object({
  PORT: Type.Integer({ default: 7000, minimum: 0, maximum: 65_535, description: "a port" }),
  NAME: Type.Optional(Type.String({ pattern: "^[a-z]+$", description: "lower-case letters" })),
  LEVEL: Type.Enum(["info", "debug"], { default: "info", description: "info or debug" }),
});

test("applies defaults, converts text according to the schema and ignores other variables", () => {
  assert.deepEqual(readConfig(schema, { PORT: "80", HOME: "/x" }), { PORT: 80, LEVEL: "info" });
  assert.deepEqual(readConfig(schema, { NAME: "" }), { PORT: 7000, LEVEL: "info" });
});

test("accepts only exact numbers: no rounding, and no text as a number", () => {
  const numbers = Type.Object({
    PORT: Type.Integer({ default: 7000, description: "a port" }),
    RATE: Type.Optional(Type.Number({ description: "a rate" })),
  });
  assert.deepEqual(readConfig(numbers, { PORT: "80", RATE: "0.5" }), { PORT: 80, RATE: 0.5 });
  for (const PORT of ["1.5", "true", "false", "five", "1,5", " ", "Infinity", "NaN"])
    assert.throws(() => readConfig(numbers, { PORT }), ConfigError, PORT);
});

test("an error names every invalid variable and never a value", () => {
  assert.throws(
    () => readConfig(schema, { PORT: "99999", NAME: "Secret-1", LEVEL: "loud" }),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      for (const name of ["PORT", "NAME", "LEVEL"]) assert.ok(error.message.includes(name));
      for (const value of ["99999", "Secret", "loud"]) assert.ok(!error.message.includes(value));
      return true;
    },
  );
});

test("an error names neither valid nor optional unset variables", () => {
  const named = (environment: Record<string, string>) => {
    try {
      readConfig(Type.Object({ ...schema.properties, NEEDED: Type.String({ description: "something" }) }), environment);
      return [];
    } catch (error) {
      return [...String(error).matchAll(/[A-Z]{4,}(?=:)/g)].map(([name]) => name);
    }
  };
  assert.deepEqual(named({ PORT: "99999", NEEDED: "x" }), ["PORT"]);
  assert.deepEqual(named({ NAME: "ok", LEVEL: "loud" }), ["LEVEL", "NEEDED"]);
});
