/** Single items and metadata of the memory engine: JSON, URLs, suggestions, statistics. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allFieldNames, ITEM_TYPES, SUMMARY_FIELD_NAMES } from "@triptych/contracts";
import { sourceSlug } from "../src/domain/filter-keys.ts";
import { withOrigin } from "../src/domain/index/item-json.ts";
import { openInMemory } from "./support/open-in-memory.ts";
import { randomItems, SOURCES, TAG_LABELS } from "./support/random-items.ts";
import { seeded } from "./support/random.ts";

const items = randomItems(seeded(41), 300);
const text = (json: Uint8Array | null) => Buffer.from(json ?? []).toString();

describe("the JSON of an item", () => {
  it("has exactly the keys of its variant and type, in the order of the contract", async () => {
    const catalogue = await openInMemory(items, TAG_LABELS);
    for (const { item } of items) {
      const summary: unknown = JSON.parse(text(await catalogue.get(item.type, item.slug, "summary")));
      const all: unknown = JSON.parse(text(await catalogue.get(item.type, item.slug, "all")));
      assert.ok(typeof summary === "object" && summary !== null && typeof all === "object" && all !== null);
      assert.deepEqual(Object.keys(summary), SUMMARY_FIELD_NAMES);
      assert.deepEqual(Object.keys(all), allFieldNames(item.type));
      assert.deepEqual(all, { ...item, url: `/api/item/${item.type}/${item.slug}` });
    }
  });

  it("gets the origin in its URL and the distance as last key, for any text", async () => {
    const [first] = items;
    const odd = { ...first, item: { ...first.item, title: 'œ "quoted" 🎭 \\ "url":"', summary: "é\n" } };
    const catalogue = await openInMemory([odd], []);
    for (const variant of ["summary", "all"] as const) {
      const json = await catalogue.get(odd.item.type, odd.item.slug, variant);
      assert.ok(json !== null);
      const bare: Record<string, unknown> = JSON.parse(text(json));
      const path = `/api/item/${odd.item.type}/${odd.item.slug}`;
      for (const origin of ["http://127.0.0.1:7002", "https://annuaire-é.example", ""]) {
        const near = withOrigin({ json, distanceKm: 12.005 }, origin);
        assert.deepEqual(JSON.parse(text(near)), { ...bare, url: origin + path, distance_km: 12.005 });
        const far = withOrigin({ json, distanceKm: null }, origin);
        assert.deepEqual(JSON.parse(text(far)), { ...bare, url: origin + path });
      }
    }
  });

  it("is null for an unknown slug", async () => {
    const catalogue = await openInMemory(items, TAG_LABELS);
    for (const slug of ["", "absent", `${items[0].item.slug}x`, "zzzz", "0"]) {
      for (const type of ITEM_TYPES) assert.equal(await catalogue.get(type, slug, "all"), null);
    }
    const other = ITEM_TYPES.find((type) => type !== items[0].item.type) ?? "actor";
    assert.equal(await catalogue.get(other, items[0].item.slug, "all"), null);
  });
});

describe("suggestions for a slug", () => {
  it("start with the item of that type one edit away, and respect the limit", async () => {
    const catalogue = await openInMemory(items, TAG_LABELS);
    const { type, slug } = items[150].item;
    for (const wrong of [slug.slice(1), `${slug}x`, slug.replace(/.$/, "q"), `${slug[1]}${slug[0]}${slug.slice(2)}`]) {
      const suggested = await catalogue.nearestSlugs(type, wrong, 3);
      assert.ok(suggested.length <= 3);
      assert.ok(suggested.includes(slug), `${wrong} -> ${suggested.join(", ")}, not ${slug}`);
    }
  });

  it("are empty without near slugs and without items", async () => {
    const catalogue = await openInMemory(items, TAG_LABELS);
    assert.deepEqual(await catalogue.nearestSlugs("place", "quite-another-thing-altogether", 3), []);
    assert.deepEqual(await (await openInMemory([], [])).nearestSlugs("place", "x", 3), []);
  });
});

describe("the statistics", () => {
  it("equal those of a full scan", async () => {
    const meta = await (await openInMemory(items, TAG_LABELS)).meta();
    const located = items.flatMap(({ item }) => item.location ?? []);
    assert.equal(meta.totals.all, 300);
    assert.equal(meta.totals.located, located.length);
    for (const type of ITEM_TYPES)
      assert.equal(meta.totals[type], items.filter(({ item }) => item.type === type).length);
    assert.equal(meta.updatedAt, Math.max(...items.map(({ item }) => Date.parse(item.updated_at))));
    const lons = located.map(({ lon }) => lon);
    const lats = located.map(({ lat }) => lat);
    assert.deepEqual(meta.bbox, [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)]);
    for (const [code, count] of Object.entries(meta.departements)) {
      assert.equal(count, items.filter(({ item }) => item.departement?.code === code).length);
    }
    for (const { slug, label, count } of meta.tags) {
      assert.equal(count, items.filter(({ item }) => item.tags.includes(slug)).length);
      assert.equal(label, TAG_LABELS.find((tag) => tag.slug === slug)?.label ?? slug);
    }
    const falling = meta.tags.map(({ count }) => count);
    assert.deepEqual(
      falling,
      falling.toSorted((a, b) => b - a),
    );
    assert.deepEqual(meta.licences, ["CC0-1.0", "etalab-2.0"]);
    assert.deepEqual(
      meta.attribution,
      SOURCES.map((name) => `${name} (etalab-2.0)`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    for (const { slug, count } of meta.sources)
      assert.equal(
        count,
        items.filter(({ item }) => item.sources.some(({ name }) => sourceSlug(name) === slug)).length,
      );
  });

  it("of an empty data set are zero, without a bounding box", async () => {
    const meta = await (await openInMemory([], [])).meta();
    assert.deepEqual(meta.totals, { all: 0, located: 0, actor: 0, place: 0, article: 0 });
    assert.equal(meta.bbox, null);
    assert.equal(meta.updatedAt, 0);
  });
});
