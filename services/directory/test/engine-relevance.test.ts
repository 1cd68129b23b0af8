/** What people type and expect to find first, on small made-up catalogues. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSynonyms } from "../src/domain/search/synonyms.ts";
import { item, ranked, search } from "./support/made-up-items.ts";
import { slugOf } from "./support/stored-item.ts";

const LONG = "Un texte assez long, avec beaucoup de mots, pour que chacun y compte peu. ".repeat(6);

describe("a name as written", () => {
  it("ranks above a shorter item with another form of the word", async () => {
    const items = [item("armes", "Musée des armes"), item("armee", "Musée de l'Armée", { description: LONG })];
    assert.deepEqual(await ranked(items, "musée armée"), ["armee", "armes"]);
  });

  it("ranks above the commune of a similar name", async () => {
    const items = [
      item("louvres", "Monument - Louvres", { commune: "Louvres" }),
      item("louvre", "Musée du Louvre", { commune: "Paris", description: LONG }),
    ];
    assert.deepEqual(await ranked(items, "louvre"), ["louvre", "louvres"]);
  });
});

describe("a phrase with synonyms", () => {
  it("ranks above titles with one of its words", async () => {
    const items = [
      item("aire", "Espace vert - Aire", { commune: "Aire", description: "Un espace au grand air" }),
      item("air", "Musée de l'Air et de l'Espace", { commune: "Le Bourget", description: LONG }),
    ];
    assert.deepEqual(await ranked(items, "air et espace"), ["air", "aire"]);
  });
});

describe("a title", () => {
  it("without further words than its kind ranks above one with others", async () => {
    const items = [
      item("short", "Musée des Arts et Métiers", {
        tags: ["musee"],
        description: "Des machines, des outils, des horloges et des instruments de mesure.",
      }),
      item("long", "Musée des arts et métiers traditionnels", { tags: ["musee"], description: "Arts et métiers" }),
      item("other", "Musée des jouets", { tags: ["musee"] }),
    ];
    assert.deepEqual(await ranked(items, "arts et métiers"), ["short", "long"]);
  });
});

describe("a plural whose stem differs from its singular", () => {
  for (const [text, title] of [
    ["essai ", "Terrain d'essais"],
    ["essais ", "Terrain d'essai"],
    ["quai ", "Les quais"],
    ["lieux ", "Un lieu"],
  ])
    it(`is found: "${text.trim()}" in "${title}"`, async () => {
      assert.deepEqual(await ranked([item("found", title), item("other", "Autre")], text), ["found"]);
    });

  for (const [text, title] of [
    ["foyer ", "Les foyers ruraux"],
    ["vélos ", "Un vélo rouge"],
    ["petits ", "Un petit jardin"],
  ])
    it(`is found after the word as written: "${text.trim()}", "${title}"`, async () => {
      assert.deepEqual(await ranked([item("other", title), item("own", text)], text), ["own", "other"]);
    });

  it("is not looked for in the name of a town", async () => {
    const items = [item("town", "Gare", { commune: "Paris" }), item("bet", "Un pari")];
    assert.deepEqual(await ranked(items, "paris "), ["town"]);
  });
});

describe("a town", () => {
  const mention = item("mention", "Musée des bains", {
    commune: "Quimper",
    description: `Une piscine vue à Rennes. ${LONG}`,
  });
  const parking = item("parking", "Parking du stade", { commune: "Rennes", tags: ["parking"] });
  const museum = item("museum", "Musée des jouets", { commune: "Rennes", tags: ["musee"] });

  it("is searched without the other words when they are only in texts about other towns", async () => {
    const page = await search([mention, parking, museum], "piscine rennes");
    assert.deepEqual(page.hits.map(slugOf), ["museum", "parking", "mention"]);
    assert.deepEqual(page.relaxed, { dropped: ["piscine"], corrected: {} });
  });

  it("keeps a kind rather than a word of texts", async () => {
    const visited = { ...mention, item: { ...mention.item, description: "Musée et piscine à Rennes" } };
    const page = await search([visited, parking, museum], "musée piscine rennes");
    assert.deepEqual(page.hits.map(slugOf), ["museum", "mention"]);
    assert.deepEqual(page.relaxed, { dropped: ["piscine"], corrected: {} });
  });

  it("does not replace items of the town that match", async () => {
    const pool = item("pool", "Piscine", { commune: "Rennes" });
    const page = await search([mention, parking, pool], "piscine rennes");
    assert.deepEqual([page.total, page.relaxed], [2, null]);
  });

  it("of several words is searched without the other words too", async () => {
    const texts = item("mention", "Musée des bains", { commune: "Quimper", description: "Une piscine à Saint-Malo" });
    const port = item("port", "Gare maritime", { commune: "Saint-Malo" });
    const page = await search([texts, port], "piscine st malo");
    assert.deepEqual(page.hits.map(slugOf), ["port", "mention"]);
    assert.deepEqual(page.relaxed, { dropped: ["piscine"], corrected: {} });
  });

  it("of several words is dropped as a whole or not at all", async () => {
    const items = [
      item("port", "Gare maritime", { commune: "Saint-Malo" }),
      item("name", "Piscine Malo", { commune: "Quimper" }),
      ...["paul", "jean", "luc"].map((name) => item(name, `Église Saint-${name}`)),
    ];
    const page = await search(items, "piscine saint malo");
    assert.deepEqual(page.hits.map(slugOf), ["port"]);
    assert.deepEqual(page.relaxed, { dropped: ["piscine"], corrected: {} });
  });

  it("is no word in the name of a département", async () => {
    const items = [
      item("space", "Espace de travail", { commune: "Mâcon", departement: "71" }),
      item("bank", "Agence", { commune: "Saône", departement: "25" }),
    ];
    assert.deepEqual(await ranked(items, "espace saone et loire"), ["space"]);
  });

  it("does not replace items that are about the other words", async () => {
    const about = item("about", "Piscine", { commune: "Quimper", description: "À une heure de Rennes" });
    const page = await search([about, parking], "piscine rennes");
    assert.deepEqual([page.hits.map(slugOf), page.relaxed], [["about"], null]);
  });

  it("is left to the texts with `strict`", async () => {
    const page = await search([mention, parking, museum], "piscine rennes", { strict: true });
    assert.deepEqual([page.total, page.relaxed], [1, null]);
  });
});

describe("a word of questions", () => {
  const chess = item("chess", "Cercle d'échecs", { commune: "Lyon" });
  const mention = item("mention", "Musée", { commune: "Lyon", description: "Pour jouer aux échecs" });

  it("is dropped when the items found have it only in their texts", async () => {
    const page = await search([chess, mention], "où jouer aux échecs à Lyon");
    assert.deepEqual(page.hits.map(slugOf), ["chess", "mention"]);
    assert.deepEqual(page.relaxed, { dropped: ["jouer"], corrected: {} });
  });

  it("is dropped before the town is looked for", async () => {
    const texts = item("texts", "Musée", { commune: "Quimper", description: "Pour les enfants, près de Lyon" });
    const page = await search([texts, chess], "que faire avec des enfants à Lyon");
    assert.deepEqual(page.hits.map(slugOf), ["chess", "texts"]);
    assert.deepEqual(page.relaxed, { dropped: ["que", "faire", "enfants"], corrected: {} });
  });

  it("stays when an item has all words in its title", async () => {
    const page = await search([chess, item("play", "Jouer aux échecs")], "jouer aux échecs");
    assert.deepEqual([page.hits.map(slugOf), page.relaxed], [["play"], null]);
  });

  it("is also `club`, which not every club has in its name", async () => {
    const texts = item("texts", "École de Lyon", { description: "Un club d'échecs" });
    assert.deepEqual(await ranked([chess, texts], "club d'échecs lyon"), ["chess", "texts"]);
  });
});

describe("words that match nothing together", () => {
  it("are kept by the rarity of a word with all its synonyms", async () => {
    const theaters = ["a", "b"].map((slug) => item(slug, `Théâtre ${slug}`, { commune: "Lyon" }));
    const children = ["c", "d", "e"].map((slug) => item(slug, `Enfants ${slug}`, { commune: "Lyon" }));
    const items = [...theaters, ...children, item("kids", "Kids", { commune: "Quimper" })];
    const synonyms = createSynonyms([["enfants", "kids"]]);
    const page = await search(items, "théâtre enfants lyon", { synonyms });
    assert.deepEqual(page.relaxed, { dropped: ["enfants"], corrected: {} });
  });
});

describe("a kind", () => {
  const museum = item("museum", "Musée des jouets", { tags: ["musee"] });

  it("is dropped rather than a rarer word of a title", async () => {
    const dinosaurs = item("dinosaurs", "Les dinosaures");
    const page = await search([museum, item("other", "Musée", { tags: ["musee"] }), dinosaurs], "musée dinosaures");
    assert.deepEqual([page.hits.map(slugOf), page.relaxed], [["dinosaurs"], { dropped: ["musee"], corrected: {} }]);
  });

  it("is kept rather than a rarer word of texts", async () => {
    const texts = item("texts", "Parc", { description: "Des dinosaures" });
    const page = await search([museum, texts], "musée dinosaures");
    assert.deepEqual([page.hits.map(slugOf), page.relaxed], [["museum"], { dropped: ["dinosaures"], corrected: {} }]);
  });
});

describe("a phrase with synonyms that match nothing", () => {
  it("loses one word rather than all", async () => {
    const items = [
      item("women", "Femmes et territoires", { commune: "Grenoble" }),
      item("shelter", "Refuge pour femmes battues", { commune: "Lyon" }),
      item("town", "Gare", { commune: "Grenoble" }),
    ];
    const synonyms = createSynonyms([["femmes battues", "violences conjugales"]]);
    const page = await search(items, "femmes battues grenoble", { synonyms });
    assert.deepEqual([page.hits.map(slugOf), page.relaxed], [["women"], { dropped: ["battues"], corrected: {} }]);
  });
});

describe("the number of an arrondissement", () => {
  it("is dropped before other words", async () => {
    const items = [item("school", "Lycée", { commune: "Paris" }), item("number", "Les 13", { commune: "Paris" })];
    const page = await search(items, "lycée paris 13");
    assert.deepEqual([page.hits.map(slugOf), page.relaxed], [["school"], { dropped: ["13e"], corrected: {} }]);
  });
});
