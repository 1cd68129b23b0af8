/** Suggestions of the memory engine against a scan of all titles, communes and tags. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import type { StoredItem, TagLabel } from "../src/domain/catalogue.ts";
import { compareBytes } from "../src/domain/index/string-table.ts";
import { suggestWords, type Suggestion } from "../src/domain/suggestions.ts";
import { openInMemory } from "./support/open-in-memory.ts";
import { expectedSuggestions } from "./support/suggest-oracle.ts";
import { randomItems, TAG_LABELS, WORDS } from "./support/random-items.ts";
import { seeded } from "./support/random.ts";
import { storedItem } from "./support/stored-item.ts";
import { runs } from "./support/runs.ts";

interface Sketch {
  readonly title: string;
  readonly commune?: string;
  readonly tags?: readonly string[];
  readonly type?: ItemType;
}

async function suggest(sketches: readonly Sketch[], text: string, types: readonly ItemType[] = [], limit = 10) {
  const items = sketches.map(({ title, commune, tags = [], type = "place" }, number): StoredItem => {
    const item = storedItem({ id: `i${number}`, title, tags, type });
    const withCommune = { ...item.item, commune: commune === undefined ? null : { code: null, nom: commune } };
    return { ...item, item: withCommune };
  });
  items.sort((a, b) => compareBytes(a.item.type, b.item.type) || compareBytes(a.item.slug, b.item.slug));
  const catalogue = await openInMemory(items, LABELS);
  return catalogue.suggest({ text, types, limit });
}

const LABELS: readonly TagLabel[] = [
  { slug: "musee", label: "Musée" },
  { slug: "theatre", label: "Théâtre" },
];
const textsOf = (suggestions: readonly Suggestion[]) => suggestions.map(({ text }) => text);

describe("suggestions", () => {
  it("complete titles, communes and tags, with type, slug and count", async () => {
    const found = await suggest(
      [
        { title: "Musée de Bretagne", commune: "Rennes", tags: ["musee"] },
        { title: "Musée de Bretagne", commune: "Rennes", tags: ["musee"] },
        { title: "Musée du Louvre", commune: "Paris", tags: ["musee"] },
      ],
      "mus",
    );
    assert.deepEqual(found, [
      { kind: "tag", text: "Musée", slug: "musee", count: 3 },
      { kind: "title", text: "Musée de Bretagne", type: "place", count: 2 },
      { kind: "title", text: "Musée du Louvre", type: "place", slug: "i2" },
    ]);
  });

  it("ignore accents, case, hyphens and apostrophes", async () => {
    const items = [{ title: "L'Œuvre-Noire", commune: "Saint-Étienne" }];
    for (const text of ["l'oeu", "L OEUVRE N", "l’œuvre-n"])
      assert.deepEqual(textsOf(await suggest(items, text)), ["L'Œuvre-Noire"], text);
    for (const text of ["saint etien", "SAINT-ÉTI", "st etienne", "St-E"])
      assert.deepEqual(textsOf(await suggest(items, text)), ["Saint-Étienne"], text);
  });

  it("read an unfinished `st` as Saint and as the beginning of a word", async () => {
    const items = [{ title: "Stade vélodrome", commune: "Saint-Malo" }, { title: "St Martin" }];
    assert.deepEqual(textsOf(await suggest(items, "st")).sort(), ["Saint-Malo", "St Martin", "Stade vélodrome"]);
    assert.deepEqual(textsOf(await suggest(items, "st m")).sort(), ["Saint-Malo", "St Martin"]);
  });

  it("order equal texts before beginnings, these before words inside, and these before typos", async () => {
    const items = [
      { title: "Lyonnais" },
      { title: "Gare de Lyon" },
      { title: "Lyon" },
      { title: "Gare de Lyon Perrache" },
    ];
    assert.deepEqual(textsOf(await suggest(items, "lyon")), [
      "Lyon",
      "Lyonnais",
      "Gare de Lyon",
      "Gare de Lyon Perrache",
    ]);
    assert.deepEqual(textsOf(await suggest(items, "lyom")), [
      "Lyon",
      "Lyonnais",
      "Gare de Lyon",
      "Gare de Lyon Perrache",
    ]);
    assert.deepEqual(textsOf(await suggest(items, "gare lyom per")), ["Gare de Lyon Perrache"]);
    assert.deepEqual(textsOf(await suggest(items, "perrache gare")), ["Gare de Lyon Perrache"]);
  });

  it("ignore spaces left out or typed within a word, before typos", async () => {
    const items = [
      { title: "a", commune: "La Rochelle" },
      { title: "b", commune: "La Roche-sur-Yon" },
      { title: "Larochette" },
    ];
    assert.deepEqual(textsOf(await suggest(items, "larochelle")), ["La Rochelle"]);
    assert.deepEqual(textsOf(await suggest(items, "larochesury")), ["La Roche-sur-Yon"]);
    assert.deepEqual(textsOf(await suggest(items, "la ro chette")), ["Larochette"]);
    assert.deepEqual(textsOf(await suggest(items, "laro")), ["Larochette", "La Rochelle", "La Roche-sur-Yon"]);
  });

  it("order communes and tags by the number of items", async () => {
    const items = [
      { title: "a", commune: "Reims" },
      { title: "b", commune: "Rennes" },
      { title: "c", commune: "RENNES" },
    ];
    const found = await suggest(items, "re");
    assert.deepEqual(found, [
      { kind: "commune", text: "Rennes", count: 2 },
      { kind: "commune", text: "Reims", count: 1 },
    ]);
  });

  it("restrict titles, communes, tags and counts to types", async () => {
    const items: Sketch[] = [
      { title: "Théâtre", type: "actor", commune: "Tours", tags: ["theatre"] },
      { title: "Théâtre", type: "place", commune: "Toulon", tags: ["theatre"] },
      { title: "T", type: "place", commune: "Tours" },
    ];
    assert.deepEqual(await suggest(items, "t", ["actor"]), [
      { kind: "commune", text: "Tours", count: 1 },
      { kind: "tag", text: "Théâtre", slug: "theatre", count: 1 },
      { kind: "title", text: "Théâtre", type: "actor", slug: "i0" },
    ]);
  });

  it("return at most `limit`, and nothing for texts that nothing begins with", async () => {
    const items = WORDS.map((title) => ({ title }));
    assert.equal((await suggest(items, "m", [], 3)).length, 3);
    assert.deepEqual(await suggest(items, "xylophone"), []);
    assert.deepEqual(await suggest(items, "🎭"), []);
  });

  it("equal a scan for random beginnings", async () => {
    const random = seeded(21);
    const items = randomItems(random, 400);
    const catalogue = await openInMemory(items, TAG_LABELS);
    const words = items.flatMap(({ item }) => suggestWords(`${item.title} ${item.commune?.nom ?? ""}`));
    let total = 0;
    for (let round = 0; round < runs(4000); round++) {
      const text = Array.from({ length: 1 + random.below(3) }, () => random.pick(words)).join(" ");
      const spaced = random.chance(0.2) ? text.replaceAll(" ", "") : text;
      const typed = spaced.slice(0, 1 + random.below(spaced.length));
      const query = { text: typed, types: random.some(ITEM_TYPES, 2).sort(), limit: 1 + random.below(20) };
      const { certain, isComplete } = expectedSuggestions(items, TAG_LABELS, query);
      const found = await catalogue.suggest(query);
      total += certain.length;
      assert.deepEqual(found.slice(0, certain.length), certain, JSON.stringify(query));
      if (isComplete) assert.equal(found.length, certain.length, JSON.stringify(query));
    }
    assert.ok(total > runs(4000));
  });
});
