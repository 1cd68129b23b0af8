/** Slugs of imported rows: unique, valid, and stable over imports. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { createSlugRegistry, EMPTY_SLUG_STORE, type SlugRequest } from "../../src/domain/import/slug-registry.ts";
import type { Addresses } from "../../src/domain/published-versions.ts";
import { slugStoreOf, importAll } from "./support.ts";
import { runs } from "../support/runs.ts";

const MAPPING = { id: "id", title: "nom", commune: { from: "ville", by: "name" }, source: { name: "essai" } };
const slugRequest = (sourceId: string, title: string, more: Partial<SlugRequest> = {}): SlugRequest => ({
  type: "place",
  sourceName: "s",
  sourceId,
  title,
  commune: null,
  ...more,
});
const slugsOf = async (rows: string, store: Addresses = EMPTY_SLUG_STORE): Promise<string[]> => {
  const { accepted } = await importAll({
    path: "a.csv",
    content: `id,nom,ville\n${rows}`,
    mapping: MAPPING,
    slugs: store,
  });
  return accepted.map(({ item }) => item.item.slug);
};

describe("slugs", () => {
  test("stay after publication for a source and ID, for any later rows and order", async () => {
    const first = await importAll({
      path: "a.csv",
      content: "id,nom,ville\n1,Mairie,Lyon\n2,Mairie,Bron\n3,Mairie,Bron\n",
      mapping: MAPPING,
    });
    const store = slugStoreOf(first.accepted);
    assert.deepEqual(
      first.accepted.map(({ item }) => item.item.slug),
      ["mairie", "mairie-bron", "mairie-bron-2"],
    );
    assert.deepEqual(await slugsOf("3,Mairie,Bron\n2,Hôtel de ville,Bron\n1,Mairie,Lyon\n", store), [
      "mairie-bron-2",
      "mairie-bron",
      "mairie",
    ]);
    assert.deepEqual(
      await slugsOf("4,Mairie,Bron\n", store),
      ["mairie-bron-3"],
      "a newcomer does not take the slug of a row that is not in this file",
    );
  });

  test("are unique within a type only", async () => {
    const assigned = await createSlugRegistry(EMPTY_SLUG_STORE).give([
      slugRequest("1", "A"),
      slugRequest("2", "A", { type: "actor" }),
      slugRequest("1", "A", { sourceName: "t" }),
    ]);
    assert.deepEqual(
      assigned.map(({ slug }) => slug),
      ["a", "a", "a-2"],
    );
  });

  test("of a row that changes its type are new, and the row keeps its identity", async () => {
    const assigned = await createSlugRegistry(EMPTY_SLUG_STORE).give([
      slugRequest("1", "A"),
      slugRequest("1", "B", { type: "actor" }),
      slugRequest("1", "C"),
    ]);
    assert.deepEqual(
      assigned.map(({ slug, repeated }) => [slug, repeated]),
      [
        ["a", false],
        ["b", true],
        ["c", true],
      ],
    );
  });

  test("that now belong to another row stay with it", async () => {
    const store: Addresses = {
      slugsOf: async () => new Map([["1", { type: "place", slug: "old" }]]),
      ownersOf: async (_type, slugs) =>
        new Map(slugs.includes("old") ? [["old", { sourceName: "s", sourceId: "9" }]] : []),
    };
    assert.deepEqual(
      (await createSlugRegistry(store).give([slugRequest("1", "New")])).map(({ slug }) => slug),
      ["new"],
    );
  });

  test("of a thousand equal titles are found without trying all numbers for each", async () => {
    let queryCount = 0;
    const store: Addresses = {
      ...EMPTY_SLUG_STORE,
      ownersOf: async (_type, slugs) => ((queryCount += slugs.length), new Map()),
    };
    const assigned = await createSlugRegistry(store).give(
      Array.from({ length: 1000 }, (_, id) => slugRequest(String(id), "Parking")),
    );
    assert.equal(assigned.at(-1)?.slug, "parking-1000");
    assert.ok(queryCount < 20_000, String(queryCount));
  });

  test("are valid, unique, and do not depend on how rows are batched", async () => {
    const title = fc.oneof(
      fc.constantFrom("Mairie", "mairie", "Mairie 2", "Γ", "mairie-bron", "x".repeat(130)),
      fc.string({ maxLength: 5 }),
    );
    const requests = fc.array(
      fc.record({
        sourceId: fc.integer({ min: 0, max: 12 }).map(String),
        title,
        commune: fc.constantFrom(null, "Bron", "Lyon"),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(requests, fc.integer({ min: 1, max: 7 }), async (rows, size) => {
        const all = rows.map(({ sourceId, title, commune }) => slugRequest(sourceId, title, { commune }));
        const together = await createSlugRegistry(EMPTY_SLUG_STORE).give(all);
        const registry = createSlugRegistry(EMPTY_SLUG_STORE);
        const apart = [];
        for (let start = 0; start < all.length; start += size)
          apart.push(...(await registry.give(all.slice(start, start + size))));
        assert.deepEqual(apart, together);

        const bySlug = new Map(together.map(({ slug }, index) => [slug, all[index].sourceId]));
        for (const [index, { slug, repeated }] of together.entries()) {
          assert.match(slug, /^(?=.{1,120}$)[a-z0-9]+(-[a-z0-9]+)*$/);
          assert.equal(bySlug.get(slug), all[index].sourceId);
          assert.equal(
            repeated,
            all.slice(0, index).some(({ sourceId }) => sourceId === all[index].sourceId),
          );
        }
      }),
      { seed: 19, numRuns: runs(200) },
    );
  });
});
