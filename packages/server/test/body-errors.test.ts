import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { Type, type TProperties } from "typebox";
import { bodyIssues } from "../src/body-errors.ts";

test("describes body issues in sentences; for a union, only those of the intended branch", async () => {
  const whole = Type.Integer({ minimum: 1, maximum: 9 });
  const part = Type.Object({ kind: Type.Enum(["a", "b"]), size: whole }, { additionalProperties: false });
  const nullable = Type.Union([Type.Union([Type.Enum(["small", "big"]), part]), Type.Null()]);
  const members = { name: Type.String({ minLength: 1 }), part: nullable, free: Type.Number(), done: Type.Boolean() };
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(
    Type.Object(members, { additionalProperties: false }),
  );
  const messagesFor = (body: unknown) => {
    check(body);
    return bodyIssues(check.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  };
  assert.deepEqual(messagesFor({ name: "", part: { kind: "c", size: 10, sice: 1 }, free: "1", done: 1 }), [
    "/name: `name` is empty.",
    "/part/sice: Unknown field `sice`. Did you mean `size`?",
    "/part/kind: `kind` must be one of a, b.",
    "/part/size: `size` must be a whole number from 1 to 9.",
    "/free: `free` must be a number.",
    "/done: `done` must be true or false.",
  ]);
  assert.deepEqual(messagesFor({ name: "x", part: "middle", free: 1 }), [
    "/done: `done` is missing.",
    "/part: `part` must be one of small, big or an object or null.",
  ]);
  assert.deepEqual(messagesFor([]), [": The body must be an object."]);
});

test("includes an example for text with a format", () => {
  const ajv = addFormats.default(new Ajv({ allErrors: true, strict: false, verbose: true }), ["email", "uuid"]);
  const check = ajv.compile(
    Type.Object({ email: Type.String({ format: "email" }), id: Type.String({ format: "uuid" }) }),
  );
  check({ email: "you", id: "1" });
  assert.deepEqual(
    bodyIssues(check.errors ?? []).map(({ message }) => message),
    ["`email` must be an email address, such as you@example.org.", "`id` must be a valid uuid."],
  );
});

test("reports only the branch named by the discriminator, or the valid discriminators if none is named", () => {
  const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
  const token = closed({ kind: Type.Literal("token"), token: Type.String() });
  const key = closed({ kind: Type.Literal("key"), key: Type.String() });
  const optional = Type.Union([Type.Union([closed({ kind: Type.Literal("none") }), token, key]), Type.Null()]);
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(closed({ secret: optional }));
  const messagesFor = (secret: unknown) => {
    check({ secret });
    return bodyIssues(check.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  };
  assert.deepEqual(messagesFor({ kind: "token", key: "x" }), [
    "/secret/token: `token` is missing.",
    "/secret/key: Unknown field `key`.",
  ]);
  assert.deepEqual(messagesFor({ token: "x" }), ["/secret/kind: `kind` is missing."]);
  assert.deepEqual(messagesFor({ kind: "tokn", token: "x" }), [
    "/secret/kind: `kind` must be one of none, token, key.",
  ]);
  assert.deepEqual(messagesFor(5), ["/secret: `secret` must be an object or null."]);
});

test("suggests both neighbors of a number between two steps", () => {
  const amount = Type.Object({ amount_micro: Type.Integer({ multipleOf: 10_000 }) });
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(amount);
  check({ amount_micro: 15_500 });
  assert.deepEqual(
    bodyIssues(check.errors ?? []).map(({ message }) => message),
    ["`amount_micro` must be a multiple of 10000: 10000 or 20000, not 15500."],
  );
});

test("identifies a member by its JSON pointer, whatever characters its name contains", () => {
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(
    Type.Object({}, { additionalProperties: false }),
  );
  check({ "a/b~c": 1 });
  assert.deepEqual(
    bodyIssues(check.errors ?? []).map(({ path, message }) => [path, message]),
    [["/a~1b~0c", "Unknown field `a/b~c`."]],
  );
});

test("names an entry with its list, and describes duplicates", () => {
  const scopes = Type.Object({ scopes: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }) });
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(scopes);
  const messagesFor = (scopes: readonly string[]) => {
    check({ scopes });
    return bodyIssues(check.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  };
  assert.deepEqual(messagesFor(["read", "read"]), ["/scopes/1: `scopes[1]` is a duplicate."]);
  assert.deepEqual(messagesFor(["read", ""]), ["/scopes/1: `scopes[1]` is empty."]);
});

test("reads each error of a body only a few times, however many there are", () => {
  const error = { keyword: "type", instancePath: "/a", schemaPath: "#/properties/a/type", params: { type: "string" } };
  let reads = 0;
  const errors = Array.from({ length: 20_000 }, () =>
    Object.defineProperty({ ...error }, "keyword", { get: () => (reads++, "type") }),
  );
  assert.equal(bodyIssues(errors).length, 100);
  assert.ok(reads < 10 * errors.length, String(reads));
});

test("handles the unions of neighboring entries separately", () => {
  const kind = (type: string, name: string) =>
    Type.Object({ type: Type.Literal(type), [name]: Type.String() }, { additionalProperties: false });
  const list = Type.Object({ list: Type.Array(Type.Union([kind("a", "one"), kind("b", "other")])) });
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(list);
  check({ list: [{ type: "a", other: "" }, { type: "c" }, { type: "b", one: "" }] });
  assert.deepEqual(
    bodyIssues(check.errors ?? []).map(({ path }) => path),
    ["/list/0/one", "/list/0/other", "/list/1/type", "/list/2/other", "/list/2/one"],
  );
});

test("without a discriminator, reports the branch that knows most of the fields", () => {
  const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
  const single = closed({ expert: Type.String(), route: Type.String() });
  const several = closed({ expert: Type.Optional(Type.String()), items: Type.Array(single) });
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(Type.Union([single, several]));
  const pathsFor = (body: unknown) => {
    check(body);
    return bodyIssues(check.errors ?? []).map(({ path }) => path);
  };
  assert.deepEqual(pathsFor({ route: 1 }), ["/expert", "/route"]);
  assert.deepEqual(pathsFor({ items: [{ expert: "x" }], colour: 1 }), ["/colour", "/items/0/route"]);
  assert.deepEqual(pathsFor({}), ["/expert", "/route"]);
});

test("if all entries of a list have the wrong type, reports the expected type once instead of per entry", () => {
  const options = Type.Union([Type.Array(Type.String()), Type.Record(Type.String(), Type.String())]);
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(Type.Object({ options }));
  const messagesFor = (sent: unknown) => {
    check({ options: sent });
    return bodyIssues(check.errors ?? []).map(({ message }) => message);
  };
  assert.deepEqual(messagesFor([{ name: "a" }, { name: "b" }]), ["`options` must be a list of texts or an object."]);
  assert.deepEqual(messagesFor(["a", { name: "b" }]), ["`options[1]` must be text."]);
});

test("asks for exactly one of two members", () => {
  const either = { oneOf: [{ required: ["state"] }, { required: ["messages"] }] };
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile({ type: "object", ...either });
  const messagesFor = (body: unknown) => {
    check(body);
    return bodyIssues(check.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  };
  assert.deepEqual(messagesFor({}), ["/state: `state` or `messages` is missing."]);
  assert.deepEqual(messagesFor({ state: 1, messages: 1 }), ["/messages: Send `state` or `messages`, not both."]);
  assert.deepEqual(messagesFor([]), [": The body must be an object."]);
});

test("identifies an invalid name in a map by its pointer", () => {
  const name = Type.String({ maxLength: 3 });
  const map = Type.Record(name, Type.Number(), { propertyNames: name, minProperties: 1, maxProperties: 2 });
  const check = new Ajv({ allErrors: true, strict: false, verbose: true }).compile(map);
  const messagesFor = (body: unknown) => {
    check(body);
    return bodyIssues(check.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
  };
  assert.deepEqual(messagesFor({ "a/bcd": 1 }), ["/a~1bcd: `a~1bcd` must have at most 3 characters."]);
  assert.deepEqual(messagesFor({}), [": The body must not be empty."]);
  assert.deepEqual(messagesFor({ a: 1, b: 1, c: 1 }), [": The body must have at most 2 entries."]);
});
