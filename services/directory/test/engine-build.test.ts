/** The index build uses little memory and is deterministic. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proFields, summaryFields, typeFields } from "@triptych/contracts";
import { compileMapping } from "../src/domain/import/map-row.ts";
import { notesOf } from "../src/domain/import/rules.ts";
import { collectFacts } from "../src/domain/index/build-facts.ts";
import { collectTerms } from "../src/domain/index/build-words.ts";
import { buildIndex, memorySink, renderItem } from "../src/domain/index/index.ts";
import { itemTextOf } from "../src/domain/index/item-json.ts";
import { textsOf } from "../src/domain/index/item-text.ts";
import { isPieces, type SectionArray } from "../src/domain/index/snapshot.ts";
import type { ItemFields } from "../src/domain/catalogue.ts";
import { randomItems, TAG_LABELS } from "./support/random-items.ts";
import { seeded } from "./support/random.ts";

const items = randomItems(seeded(24), 300);

/** With keys in contract order, as from an import. */
function sortKeys(item: ItemFields): ItemFields {
  const keys = [summaryFields, proFields, typeFields[item.type]].flatMap((fields) => Object.keys(fields));
  const values: Record<string, unknown> = { ...item };
  const ordered = keys.filter((key) => key !== "url").map((key) => [key, values[key]]);
  return Object.fromEntries(ordered) as ItemFields;
}

function bytesOf({ buffer, byteOffset, byteLength }: SectionArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

describe("an item's JSON", () => {
  it("is the same from the item and from its stored JSON, in any key order", () => {
    for (const [number, { item }] of items.entries()) {
      const hard = {
        ...item,
        title: `${item.title}","description":"`,
        extra: { description: `"${number}"`, url: "x" },
      };
      for (const candidate of [item, hard, sortKeys(hard)]) {
        const { summary, rest } = itemTextOf(candidate, JSON.stringify(candidate));
        const { json, summaryLength } = renderItem(candidate);
        assert.equal(summary + rest, json.toString());
        assert.equal(Buffer.byteLength(summary), summaryLength);
      }
    }
  });

  it("reuses the JSON that an import stored", () => {
    const map = compileMapping(
      { id: "id", title: "title" },
      {
        columns: ["id", "title"],
        type: "place",
        source: { name: "a", url: null, licence: null, retrieved_at: null },
        now: "2026-11-21T00:00:00.000Z",
        dropBadLocation: false,
        outlines: null,
      },
    );
    const mapped = map({ line: 1, cells: ["1", "Musée"] }, notesOf(1));
    assert.ok(mapped !== null);
    const { rest } = itemTextOf(mapped.fields, JSON.stringify(mapped.fields).replace("}", "} "));
    assert.match(rest, /\} /);
  });
});

describe("the index builder", () => {
  it("produces the same bytes with and without stored JSON", async () => {
    const [plain, stored] = [memorySink(), memorySink()];
    const ordered = items.map(({ item }) => ({ item: sortKeys(item) }));
    await buildIndex({ items: ordered, tagLabels: TAG_LABELS }, plain);
    const withText = ordered.map(({ item }) => ({ item, stored: JSON.stringify(item) }));
    await buildIndex({ items: withText, tagLabels: TAG_LABELS }, stored);
    assert.deepEqual(stored.bytes(), plain.bytes());
  });

  it("produces the same bytes for any stretch length", () => {
    const facts = collectFacts();
    const terms = collectTerms();
    for (const { item } of items) {
      facts.add(item);
      terms.add(textsOf(item, () => undefined));
    }
    const order = facts.titleOrder();
    const read = (stretch?: number) => {
      let pieceCount = 0;
      const sections = Array.from(terms.sections(order, stretch), ([name, content]): [string, Buffer] => {
        const pieces = isPieces(content) ? [...content] : [content];
        pieceCount += pieces.length;
        return [name, Buffer.concat(pieces.map(bytesOf))];
      });
      return { sections, pieceCount };
    };
    const whole = read();
    for (const stretch of [1, 7, 100, 1_000_000]) {
      const { sections, pieceCount } = read(stretch);
      assert.deepEqual(sections, whole.sections);
      assert.ok(stretch > 100 || pieceCount > whole.pieceCount + 10);
    }
  });
});
