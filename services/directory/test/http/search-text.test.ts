/** Phrases, exclusions, synonyms and the looser second step of `q`, through HTTP. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StoredItem } from "../../src/domain/catalogue.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { createFixture } from "../support/create-fixture.ts";
import { randomItems } from "../support/random-items.ts";
import { seeded } from "../support/random.ts";

interface Answer {
  readonly items: readonly { slug: string }[];
  readonly total: number;
  readonly query: Readonly<Record<string, unknown>>;
}

type Listed = readonly (readonly [slug: string, title: string, commune: string])[];

const ITEMS: Listed = [
  ["a-bretagne", "Amis du musée, Bretagne", "Rennes"],
  ["b-bretagne", "Musée de Bretagne", "Rennes"],
  ["c-etienne", "Gare de Saint-Étienne", "Saint-Étienne"],
  ["d-mairie", "Mairie", "Brest"],
  ["e-brest", "Piscine", "Brest"],
  ["f-quimper", "Bibliothèque", "Quimper"],
  ["g-brest", "Brest", "Brest"],
];

function items(listed: Listed): StoredItem[] {
  const [plain] = randomItems(seeded(1), 1);
  const empty = { summary: "", description: null, tags: [], location: null, address: null };
  const area = { departement: { code: "29", slug: "finistere", nom: "Finistère" }, region: null };
  return listed.map(([slug, title, nom]) => ({
    ...plain,
    sourceId: slug,
    item: { ...plain.item, ...empty, ...area, slug, title, commune: { code: null, nom } },
  }));
}

async function search(listed: Listed): Promise<(query: string) => Promise<Answer>> {
  const catalogue = await openInMemory(items(listed), []);
  return async (query) => {
    await using fixture = await createFixture({ catalogue });
    const response = await fixture.ask(`/api/items?${query}`, { key: fixture.pro });
    assert.equal(response.statusCode, 200, response.body);
    return response.json();
  };
}

const slugs = ({ items: found }: Answer) => found.map(({ slug }) => slug);

describe("GET /api/items?q with names of communes", async () => {
  const find = await search([
    ["a-louvres", "Bibliothèque", "Louvres"],
    ["b-louvre", "Musée du Louvre", "Paris"],
    ["c-orient", "Musée d'Orient", "Paris"],
    ["d-lorient", "Arsenal", "Lorient"],
    ["e-malo", "Gare", "Saint-Malo"],
    ["f-paris", "Rue du 5e", "Lorient"],
  ]);

  test("ranks a name as written above the commune of a similar word", async () => {
    assert.deepEqual(slugs(await find("q=louvre")), ["b-louvre", "a-louvres"]);
    assert.deepEqual(slugs(await find("q=louvres")), ["a-louvres", "b-louvre"]);
    assert.deepEqual(slugs(await find("q=st%20malo")), ["e-malo"]);
  });

  test("does not widen the name of a commune to a similar word", async () => {
    const { items: found, query } = await find("q=musee%20lorient");
    assert.deepEqual(query["relaxed"], { dropped: ["musee"], corrected: {} });
    assert.ok(found.every(({ slug }) => slug !== "c-orient"));
  });

  test("drops the number of an arrondissement first", async () => {
    const { items: found, query } = await find("q=musee%20paris%205e");
    assert.deepEqual(query["relaxed"], { dropped: ["5e"], corrected: {} });
    assert.equal(found.length, 2);
  });
});

describe("GET /api/items?q", async () => {
  const find = await search(ITEMS);

  test("finds a quoted phrase only side by side, ignoring stop words", async () => {
    assert.deepEqual(slugs(await find("q=%22mus%C3%A9e%20de%20bretagne%22")), ["b-bretagne", "a-bretagne"]);
    assert.deepEqual(slugs(await find("q=%22bretagne%20musee%22")), []);
  });

  test("excludes a word behind a space and hyphen, not within a name", async () => {
    assert.deepEqual(slugs(await find("q=brest%20-piscine")).sort(), ["d-mairie", "g-brest"]);
    assert.deepEqual(slugs(await find("q=saint-etienne")), ["c-etienne"]);
    assert.equal((await find("q=-brest")).total, 4);
  });

  test("reads St as Saint", async () => {
    assert.deepEqual(slugs(await find("q=gare%20st%20etienne&strict=true")), ["c-etienne"]);
  });

  test("finds synonyms, unless synonyms=false", async () => {
    assert.deepEqual(slugs(await find("q=town%20hall%20brest")), ["d-mairie"]);
    assert.equal((await find("q=town%20hall%20brest&synonyms=false&strict=true")).total, 0);
  });

  test("drops words when all together match nothing, and says so", async () => {
    const answer = await find("q=o%C3%B9%20trouver%20une%20piscine%20olympique%20%C3%A0%20brest");
    assert.deepEqual(slugs(answer), ["e-brest"]);
    assert.deepEqual(answer.query["relaxed"], { dropped: ["trouver", "olympique"], corrected: {} });
    assert.equal((await find("q=piscine%20olympique&strict=true")).total, 0);
  });

  test("keeps the name of a commune rather than two other words", async () => {
    const answer = await find("q=musee%20bretagne%20quimper");
    assert.deepEqual(slugs(answer), ["f-quimper"]);
    assert.deepEqual(answer.query["relaxed"], { dropped: ["musee", "bretagne"], corrected: {} });
  });

  test("reports a word that was widened and then dropped as dropped only", async () => {
    const answer = await find("q=biblioth%20piscine%20brest");
    assert.deepEqual(slugs(answer), ["e-brest"]);
    assert.deepEqual(answer.query["relaxed"], { dropped: ["biblioth"], corrected: {} });
  });

  test("corrects a word of ten items or fewer, and drops one of more", async () => {
    const list = (count: number): Listed => [
      ["maire", "Maire", "Quimper"],
      ...Array.from({ length: count }, (_, at) => [`mare-${at + 10}`, "Mare", "Brest"] as const),
    ];
    const few = await (await search(list(10)))("q=mare%20quimper");
    assert.deepEqual(slugs(few), ["maire"]);
    assert.deepEqual(few.query["relaxed"], { dropped: [], corrected: { mare: "maire" } });
    const many = await (await search(list(11)))("q=mare%20quimper");
    assert.deepEqual(many.query["relaxed"], { dropped: ["mare"], corrected: {} });
  });

  test("ranks the whole title first", async () => {
    assert.equal(slugs(await find("q=brest"))[0], "g-brest");
  });

  test("finds the département by its name, its code and a postal code", async () => {
    assert.deepEqual(slugs(await find("q=bibliotheque%20finistere")), ["f-quimper"]);
    assert.deepEqual(slugs(await find("q=bibliotheque%2029")), ["f-quimper"]);
    const answer = await find("q=bibliotheque%2029000");
    assert.deepEqual(slugs(answer), ["f-quimper"]);
    assert.deepEqual(answer.query["relaxed"], { dropped: [], corrected: { "29000": "29" } });
  });
});
