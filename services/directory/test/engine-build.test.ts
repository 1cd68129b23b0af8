/** The index build uses little memory and is deterministic. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proFields, summaryFields, typeFields } from "@triptych/contracts";
import { titleOrder } from "../src/domain/index/build-facts.ts";
import { collectTerms } from "../src/domain/index/build-words.ts";
import { buildIndex } from "../src/domain/index/build.ts";
import { renderItem } from "../src/domain/index/item-json.ts";
import { textsOf } from "../src/domain/index/impact-scores.ts";
import { isPieces, type SectionArray } from "../src/domain/index/snapshot.ts";
import type { ItemFields } from "../src/domain/catalogue.ts";
import { memorySink } from "./support/open-in-memory.ts";
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
  it("is the same in any key order, its summary first", () => {
    for (const [number, { item }] of items.entries()) {
      const hard = {
        ...item,
        title: `${item.title}","description":"`,
        extra: { description: `"${number}"`, url: "x" },
      };
      const { json, summaryLength } = renderItem(hard);
      assert.deepEqual(renderItem(sortKeys(hard)).json, json);
      const whole = JSON.parse(json.toString()) as Record<string, unknown>;
      const summary = JSON.parse(`${json.subarray(0, summaryLength).toString()}}`) as Record<string, unknown>;
      assert.deepEqual(Object.keys(summary), Object.keys(summaryFields));
      for (const key of Object.keys(summary)) assert.deepEqual(summary[key], whole[key]);
    }
  });
});

describe("the index builder", () => {
  it("produces the same bytes for items with keys in any order", async () => {
    const [plain, ordered] = [memorySink(), memorySink()];
    await buildIndex({ items, tagLabels: TAG_LABELS }, plain);
    await buildIndex(
      { items: items.map(({ item, fromVersion }) => ({ item: sortKeys(item), fromVersion })), tagLabels: TAG_LABELS },
      ordered,
    );
    assert.deepEqual(ordered.bytes(), plain.bytes());
  });

  it("produces the same bytes for any stretch length", () => {
    const terms = collectTerms();
    for (const { item } of items) terms.add(textsOf(item, () => undefined));
    const order = titleOrder(items.map(({ item }) => item.title));
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
