/**
 * Each pitfall of real files is a folder of fixtures: a file, a mapping, the expected items and the expected report.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import { itemFaults } from "./item-errors.ts";
import { importAll, outlineCollection, outlinesOf, readJson, type ImportCase } from "./support.ts";

const Shape = Type.Object({ code: Type.String(), type: Type.String(), coordinates: Type.Unknown() });
const Case = Type.Object({
  says: Type.String(),
  file: Type.String(),
  mapping: Type.Unknown(),
  type: Type.Optional(Type.Enum(["actor", "place", "article"])),
  dropBadLocation: Type.Optional(Type.Boolean()),
  outlines: Type.Optional(Type.Array(Shape)),
  /** The relevant fields of each accepted row, in order. */
  items: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  /** Read, accepted, repaired, replaced, rejected. */
  counts: Type.Array(Type.Integer()),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const folder = new URL("../fixtures/import/", import.meta.url);
const traps = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

describe("pitfalls of real files", () => {
  for (const { name } of traps) {
    const trap = readCase(new URL(`${name}/`, folder));
    test(`${name}: ${trap.says}`, async () => {
      const imported = await importAll(importCase(trap, new URL(`${name}/`, folder)));

      const { read, accepted, repaired, replaced, rejected } = imported.report.totals;
      assert.deepEqual([read, accepted, repaired, replaced, rejected], trap.counts);
      assert.equal(imported.accepted.length, trap.items.length);
      for (const [index, expected] of trap.items.entries()) {
        const { item } = imported.accepted[index].item;
        const actual = Object.fromEntries(Object.entries(item).filter(([key]) => Object.hasOwn(expected, key)));
        assert.deepEqual(actual, expected);
        assert.deepEqual(itemFaults(item), []);
      }
      const labels = Object.fromEntries(imported.labels.map(({ slug, label }) => [slug, label]));
      assert.deepEqual({ ...labels, ...trap.labels }, labels);
      assert.deepEqual(imported.report, readJson(new URL(`${name}/report.json`, folder)));
    });

    test(`${name}: does not depend on chunk boundaries`, async () => {
      const testCase = importCase(trap, new URL(`${name}/`, folder));
      const whole = await importAll(testCase);
      for (const chunkSize of testCase.content.length > 10_000 ? [101] : [1, 7]) {
        const cut = await importAll({ ...testCase, chunkSize });
        assert.deepEqual(cut.outcomes, whole.outcomes);
        assert.deepEqual(cut.report, whole.report);
      }
    });
  }
});

function readCase(trap: URL): Static<typeof Case> {
  return Value.Parse(Case, readJson(new URL("case.json", trap)));
}

function importCase({ file, mapping, type, dropBadLocation, outlines }: Static<typeof Case>, trap: URL): ImportCase {
  return {
    path: file,
    content: readFileSync(new URL(file, trap)),
    mapping,
    ...(type !== undefined && { type }),
    ...(dropBadLocation !== undefined && { dropBadLocation }),
    ...(outlines !== undefined && { outlines: outlinesOf(outlineCollection(outlines)) }),
  };
}
