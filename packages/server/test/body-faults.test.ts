import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { Type } from "typebox";
import { bodyFaults } from "../src/body-faults.ts";

test("what is wrong with a body is said in sentences, of a union only for the branch that was meant", async () => {
  const whole = Type.Integer({ minimum: 1, maximum: 9 });
  const part = Type.Object({ kind: Type.Enum(["a", "b"]), size: whole }, { additionalProperties: false });
  const nullable = Type.Union([Type.Union([Type.Enum(["small", "big"]), part]), Type.Null()]);
  const members = { name: Type.String({ minLength: 1 }), part: nullable, free: Type.Number(), done: Type.Boolean() };
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(
    Type.Object(members, { additionalProperties: false }),
  );
  const said = (body: unknown) => {
    check(body);
    return bodyFaults(check.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  };
  assert.deepEqual(said({ name: "", part: { kind: "c", size: 10, sice: 1 }, free: "1", done: 1 }), [
    "/name: `name` is empty.",
    "/part/sice: There is no field `sice`. Did you mean `size`?",
    "/part/kind: `kind` must be one of a, b.",
    "/part/size: `size` must be a whole number from 1 to 9.",
    "/free: `free` must be a number.",
    "/done: `done` must be true or false.",
  ]);
  assert.deepEqual(said({ name: "x", part: "middle", free: 1 }), [
    "/done: `done` is missing.",
    "/part: `part` must be one of small, big or an object or null.",
  ]);
  assert.deepEqual(said([]), [": The body must be an object."]);
});
