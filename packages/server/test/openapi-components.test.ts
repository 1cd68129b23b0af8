import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type } from "typebox";
import { createComponents } from "../src/openapi-components.ts";

const Pet = Type.Object({ kind: Type.Enum(["cat", "dog"]), title: Type.String() }, { title: "Pet" });

describe("published schemas", () => {
  test("a titled schema becomes a component and is referenced wherever it occurs", () => {
    const components = createComponents();
    const list = components.publish(Type.Object({ items: Type.Array(Pet), best: Type.Union([Pet, Type.Null()]) }));
    const reference = { $ref: "#/components/schemas/Pet" };
    assert.deepEqual(list["properties"], {
      items: { type: "array", items: reference },
      best: { anyOf: [reference, { type: "null" }] },
    });
    assert.deepEqual(Object.keys(components.schemas()), ["Pet"]);
  });

  test("a property named `title` or `enum` is not mistaken for the keyword", () => {
    const components = createComponents();
    const published = components.publish(Type.Object({ title: Type.String(), enum: Type.String() }));
    assert.deepEqual(published["properties"], { title: { type: "string" }, enum: { type: "string" } });
  });

  test("a body is named by its title, or by its operation if it has none", () => {
    const components = createComponents();
    components.publish(Type.Object({ name: Type.String() }), "CreatePetRequest");
    components.publish(Pet, "CreatePetResponse");
    assert.deepEqual(Object.keys(components.schemas()), ["CreatePetRequest", "Pet"]);
  });

  test("enumerations and constants have a type", () => {
    const { publish } = createComponents();
    assert.deepEqual(publish(Type.Enum(["a", "b"])), { type: "string", enum: ["a", "b"] });
    assert.deepEqual(publish(Type.Enum([200, 201])), { type: "integer", enum: [200, 201] });
    assert.deepEqual(publish({ enum: ["a", null] }), { type: ["string", "null"], enum: ["a", null] });
    assert.deepEqual(publish({ const: 1.5 }), { type: "number", const: 1.5 });
  });

  test("publishes a map with the schema of its values as additionalProperties", () => {
    const { publish } = createComponents();
    const count = { type: "integer" };
    assert.deepEqual(publish(Type.Record(Type.String(), Type.Integer())), {
      type: "object",
      additionalProperties: count,
    });
    const names = Type.String({ pattern: "^a" });
    const limited = publish(Type.Record(names, Type.Integer(), { propertyNames: names }));
    assert.deepEqual([limited["additionalProperties"], limited["patternProperties"]], [count, undefined]);
    const open = publish(Type.Record(names, Type.Integer()));
    assert.deepEqual(open["patternProperties"], { "^a": count });
  });

  test("rejects two different schemas with the same title", () => {
    const components = createComponents();
    components.publish(Pet);
    assert.throws(() => components.publish(Type.Object({}, { title: "Pet" })), /Two different schemas .* Pet/);
  });

  test("does not modify the schemas of the contract", () => {
    const before = JSON.stringify(Pet);
    createComponents().publish(Pet);
    assert.equal(JSON.stringify(Pet), before);
  });
});
