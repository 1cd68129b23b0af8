/** Test 4 of the contract for free text: every spelling of a name is found. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NO_FILTERS, type Catalogue, type NormalQuery, type StoredItem } from "../src/domain/catalogue.ts";
import { openInMemory } from "./support/open-in-memory.ts";
import { randomItems } from "./support/random-items.ts";
import { seeded } from "./support/random.ts";
import { slugOf } from "./support/stored-item.ts";

const TITLES: Readonly<Record<string, string>> = {
  eu: "Eu",
  y: "Y",
  us: "Us",
  les: "Les",
  sur: "Sur les flots",
  oeuvre: "L'Œuvre Notre-Dame",
  etienne: "Musée d’art moderne de Saint-Étienne",
  musees: "Réseau des musées",
  biblio: "Bibliothèque municipale",
  bibliotheques: "Les bibliothèques",
  chateau: "Château d'Ô",
  danse: "Danse",
  dans: "Dans la forêt",
  ile: "Île-d'Yeu",
  code: "Bureau 35000",
};

const catalogue = openInMemory(itemsOf(TITLES), [{ slug: "art", label: "Beaux-arts & métiers" }]);

describe("a text is found", () => {
  const table: readonly (readonly [rule: string, query: string, slugs: readonly string[]])[] = [
    ["a short name", "eu", ["eu"]],
    ["a name of one letter", "Y", ["y"]],
    ["a short name in capitals", "US", ["us"]],
    ["a name that is a stop word", "les", ["bibliotheques", "les", "sur"]],
    ["two stop words, both in the title", "sur les", ["sur"]],
    ["a stop word is not the stem of another word", "dans", ["dans"]],
    ["nor the other way round", "danse ", ["danse"]],
    ["a ligature written as two letters", "oeuvre", ["oeuvre"]],
    ["a ligature written as one", "ŒUVRES", ["oeuvre"]],
    ["without accents and hyphen", "saint etienne", ["etienne"]],
    ["with the other apostrophe", "d'art moderne", ["etienne"]],
    ["with a hyphen for a space", "saint-etienne", ["etienne"]],
    ["capitals with accents", "ÉTIENNE", ["etienne"]],
    ["plural for singular", "musées ", ["etienne", "musees"]],
    ["singular for plural", "bibliothèque ", ["biblio", "bibliotheques"]],
    ["words in any order", "moderne musee", ["etienne"]],
    ["elided article", "l'ile", ["ile"]],
    ["article ignored beside another word", "les le château", ["chateau"]],
    ["an unfinished word", "biblioth", ["biblio", "bibliotheques"]],
    ["a finished beginning is not a prefix", "biblioth ", []],
    ["two letters are not a prefix", "bi", []],
    ["an unfinished word behind a whole one", "musee mod", ["etienne"]],
    ["a number", "35000", ["code"]],
    ["the beginning of a number", "350", ["code"]],
    ["all words must occur", "bibliothèque château", []],
    ["the label of a tag", "metiers", Object.keys(TITLES).sort()],
    ["not the slug of a tag that has a label", "beaux inconnu", []],
  ];
  for (const [rule, query, slugs] of table) {
    it(`${rule}: "${query}"`, async () => assert.deepEqual(await found(query), { slugs, corrected: null }));
  }
});

describe("a typing error", () => {
  const table: readonly (readonly [
    rule: string,
    query: string,
    slugs: readonly string[],
    corrected: Record<string, string>,
  ])[] = [
    ["a letter left out", "chteau ", ["chateau"], { chteau: "chateau" }],
    ["a letter too many", "chaateau ", ["chateau"], { chaateau: "chateau" }],
    ["a wrong letter", "chadeau ", ["chateau"], { chadeau: "chateau" }],
    ["two letters exchanged", "chaetau ", ["chateau"], { chaetau: "chateau" }],
    ["the first letter wrong", "zhateau ", ["chateau"], { zhateau: "chateau" }],
    ["the beginning of a word, when finished", "châtea ", ["chateau"], { chatea: "chateau" }],
    [
      "the beginning of a word before another one",
      "bibliotheq municipale ",
      ["biblio"],
      { bibliotheq: "bibliotheque" },
    ],
    ["two letters wrong in a long word", "biblyoteque municipale ", ["biblio"], { biblyoteque: "bibliotheque" }],
    ["the neighbor that occurs with the other words", "muse réseaux ", ["musees"], { muse: "musee" }],
    ["a space left out", "chateaudanse ", [], { chateaudanse: "chateau danse" }],
    ["a space left out behind a stop word", "lesmusees ", ["etienne", "musees"], { lesmusees: "les musees" }],
    [
      "each mistyped word for itself",
      "biblithèque municpale ",
      ["biblio"],
      { biblitheque: "bibliotheque", municpale: "municipale" },
    ],
    ["a corrected word is unfinished as it was", "dansz", ["danse"], { dansz: "danse" }],
  ];
  for (const [rule, query, slugs, corrected] of table) {
    it(`${rule}: "${query}"`, async () => {
      assert.deepEqual(await found(query), {
        slugs,
        corrected: Object.keys(corrected).length === 0 ? null : corrected,
      });
    });
  }

  it("is not corrected with correct=false", async () => {
    const page = await (await catalogue).search({ ...question("chadeau "), correct: false });
    assert.deepEqual([page.total, page.corrected], [0, null]);
  });

  it("in three letters, in a number, or in an existing word is never corrected", async () => {
    for (const query of ["eus", "35001", "15000", "musees", "municipal"]) {
      assert.equal((await found(query)).corrected, null, query);
    }
  });
});

describe("relevance", () => {
  const ranked = async (items: readonly StoredItem[], text: string) => {
    const { hits } = await (await openInMemory(items, [])).search({ ...question(text), sort: "relevance" });
    return hits.map(slugOf);
  };

  it("ranks a word in the title above the same word in the description, in any title order", async () => {
    const [first, ...others] = itemsOf({ a: "Autre chose", b: "Pont", c: "Encore autre chose" });
    const described = { ...first, item: { ...first.item, description: "Un pont sur la rivière, non loin du centre" } };
    assert.deepEqual(await ranked([described, ...others], "pont "), ["b", "a"]);
  });

  it("ranks a whole word above a prefix match", async () => {
    assert.deepEqual(await ranked(itemsOf({ a: "Tourcoing", b: "Tour", c: "Autre" }), "tour"), ["b", "a"]);
  });

  it("orders equal scores by title, numbers by value", async () => {
    assert.deepEqual(await ranked(itemsOf({ a: "Musée 10", b: "Musée 9", c: "Autre" }), "musée"), ["b", "a"]);
  });
});

function itemsOf(titles: Readonly<Record<string, string>>): StoredItem[] {
  const [plain] = randomItems(seeded(1), 1);
  return Object.entries(titles)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([slug, title]) => {
      const empty = { slug, title, summary: "", description: null, commune: null, tags: ["art"], location: null };
      return { ...plain, sourceId: slug, item: { ...plain.item, ...empty } };
    });
}

function question(text: string): NormalQuery {
  return {
    ...NO_FILTERS,
    text,
    strict: true,
    sort: "title",
    offset: 0,
    limit: 100,
    variant: "summary",
  };
}

async function found(
  text: string,
): Promise<{ slugs: string[]; corrected: Awaited<ReturnType<Catalogue["search"]>>["corrected"] }> {
  const { hits, corrected } = await (await catalogue).search(question(text));
  return { slugs: hits.map(slugOf).sort(), corrected };
}
