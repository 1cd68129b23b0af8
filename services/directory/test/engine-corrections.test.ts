/** Words that are corrected, on small made-up catalogues. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSynonyms } from "../src/domain/search/synonyms.ts";
import { item, search } from "./support/made-up-items.ts";
import { slugOf } from "./support/stored-item.ts";

describe("a word that no item has", () => {
  it("is corrected to what occurs with the other words rather than with their synonyms", async () => {
    const items = [
      item("small", "Le petit verger"),
      ...["a", "b"].map((slug) => item(slug, `Un péril pour les fruits ${slug}`)),
    ];
    const page = await search(items, "perit verger", { synonyms: createSynonyms([["verger", "fruits"]]) });
    assert.deepEqual([page.hits.map(slugOf), page.corrected], [["small"], { perit: "petit" }]);
  });

  it("is corrected to a word that sounds alike, several letters away", async () => {
    const items = [item("inn", "Auberge du lac"), item("house", "La maison du lac"), item("phil", "Bibliothèque")];
    assert.deepEqual((await search(items, "oberje du lac")).corrected, { oberje: "auberge" });
    assert.deepEqual((await search(items, "meson lac")).corrected, { meson: "maison" });
    assert.deepEqual((await search(items, "biblioteke")).hits.map(slugOf), ["phil"]);
  });

  it("is corrected to what occurs with a general word too", async () => {
    const items = [item("coral", "Association du corail"), ...["a", "b"].map((slug) => item(slug, `Le coal ${slug}`))];
    assert.deepEqual((await search(items, "association du coail")).hits.map(slugOf), ["coral"]);
  });

  it("is corrected by one edit and its number rather than split", async () => {
    const items = [item("found", "Samouraïs"), item("samu", "Samu"), item("rai", "Rai")];
    const page = await search(items, "samurai");
    assert.deepEqual([page.hits.map(slugOf), page.corrected], [["found"], { samurai: "samourais" }]);
  });

  it("is corrected to a synonym of a word that items have", async () => {
    const items = [item("books", "Librairie", { commune: "Rennes" }), item("store", "Store", { commune: "Brest" })];
    const page = await search(items, "bookstroe rennes", { synonyms: createSynonyms([["librairie", "bookstore"]]) });
    assert.deepEqual([page.hits.map(slugOf), page.corrected], [["books"], { bookstroe: "bookstore" }]);
  });

  it("is part of a phrase with synonyms, once corrected", async () => {
    const items = [item("music", "Conservatoire", { commune: "Angers" }), item("other", "Une école, de la musique")];
    const synonyms = createSynonyms([["école de musique", "conservatoire"]]);
    const page = await search(items, "école de muszique angers", { synonyms });
    assert.deepEqual([page.hits.map(slugOf), page.corrected], [["music"], { muszique: "musique" }]);
  });

  it("is corrected to the commonest word that occurs with the others", async () => {
    const items = [
      ...["a", "b", "c"].map((slug) => item(slug, `Gare ${slug}`, { commune: "Vannes" })),
      item("film", "Cinéma", { commune: "Vannes" }),
      ...["d", "e"].map((slug) => item(slug, `Cinéma ${slug}`, { description: "Des annes" })),
    ];
    assert.deepEqual((await search(items, "cinema vnnes")).corrected, { vnnes: "vannes" });
  });

  it("is not split into a word and the stem of another", async () => {
    const page = await search([item("guer", "Bibliothèque de Guer"), item("nice", "Gare de Nice")], "guernica");
    assert.deepEqual([page.total, page.corrected], [0, null]);
  });
});

describe("a word of which items have only the stem", () => {
  const brette = item("brette", "Bibliothèque", { commune: "Brette-les-Pins" });
  const brest = Array.from({ length: 20 }, (_, at) => item(`brest-${at}`, "Bibliothèque", { commune: "Brest" }));

  it("is corrected to a far commoner word one letter away", async () => {
    const page = await search([brette, ...brest], "bibliothèque brets ");
    assert.deepEqual([page.total, page.corrected], [20, { brets: "brest" }]);
  });

  it("is not corrected to a word that is not far commoner", async () => {
    const page = await search([brette, ...brest.slice(1)], "bibliothèque brets ");
    assert.deepEqual([page.hits.map(slugOf), page.corrected], [["brette"], null]);
  });

  it("is not corrected when items have another form of it", async () => {
    const indre = Array.from({ length: 20 }, (_, at) => item(`indre-${at}`, "Plage de l'Indre"));
    const page = await search([item("ondres", "Plage", { commune: "Ondres" }), ...indre], "plage ondre ");
    assert.deepEqual([page.hits.map(slugOf), page.corrected], [["ondres"], null]);
  });
});
