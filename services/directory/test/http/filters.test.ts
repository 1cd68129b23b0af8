/** Filters by commune, postal code, source, box and id, over a few items with namesakes and several spellings. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ItemFields, StoredItem } from "../../src/domain/catalogue.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { storedItem } from "../support/stored-item.ts";

const area = (code: string, slug: string, nom: string) => ({ code, slug, nom });

function item(
  id: string,
  fields: Partial<Pick<ItemFields, "commune" | "departement" | "address" | "sources" | "location">>,
) {
  const stored = storedItem({ id });
  return { ...stored, item: { ...stored.item, ...fields } } satisfies StoredItem;
}

const source = (name: string) => ({ name, url: null, licence: null, retrieved_at: null });
const postal = (code_postal: string) => ({ rue: null, code_postal });
const ITEMS = [
  item("ajaccio", {
    commune: { code: "2A004", nom: "Ajaccio" },
    address: postal("20000"),
    location: { lat: 41.926, lon: 8.738 },
  }),
  item("denis-93", {
    commune: { code: "93066", nom: "Saint-Denis" },
    departement: area("93", "seine-saint-denis", "Seine-Saint-Denis"),
    address: postal("93200"),
    location: { lat: 48.936, lon: 2.357 },
  }),
  item("denis-974", {
    commune: { code: "97411", nom: "SAINT DENIS" },
    departement: area("974", "la-reunion", "La Réunion"),
    address: postal("97400"),
    sources: [source("Base, locale"), source("Autre")],
    location: { lat: -20.879, lon: 55.448 },
  }),
  item("denis-sans-code", {
    commune: { code: null, nom: "St Denis" },
    departement: area("974", "la-reunion", "La Réunion"),
    address: postal("97490 CEDEX"),
    location: null,
  }),
  item("fidji", { commune: null, sources: [source("Autre")], location: { lat: -17.5, lon: -179.99 } }),
];

describe("GET /api/items with filters on communes, postal codes, sources, boxes and ids", () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture({ catalogue: await openInMemory(ITEMS, []) });
  });
  after(() => fixture[Symbol.asyncDispose]());

  const get = async (query: string, key = fixture.pro) => {
    fixture.pass(1000);
    const answer = await fixture.ask(`/api/items?${query}`, { key });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body:
        answer.headers["content-type"]?.toString().includes("json") && !query.includes("ndjson")
          ? answer.json()
          : answer.body,
    };
  };
  const slugs = async (query: string): Promise<string[]> =>
    (await get(query)).body.items.map(({ slug }: { slug: string }) => slug);

  test("finds a commune in every spelling of its name", async () => {
    for (const name of [
      "Saint-Denis",
      "saint denis",
      "SAINT-DENIS",
      "St Denis",
      "st-denis",
      "SaintDenis",
      "Saint’Denis",
    ])
      assert.deepEqual(
        await slugs(`commune=${encodeURIComponent(name)}`),
        ["denis-93", "denis-974", "denis-sans-code"],
        name,
      );
  });

  test("distinguishes communes of the same name by departement, and lists the matched codes", async () => {
    const both = await get("commune=St%20Denis");
    assert.deepEqual([both.body.query.commune, both.body.query.commune_codes], [["saint-denis"], ["93066", "97411"]]);
    const one = await get("commune=St%20Denis&departement=reunion");
    assert.deepEqual([one.body.total, one.body.query.commune_codes], [2, ["97411"]]);
    assert.equal((await get("commune=St%20Denis&departement=Ain")).body.total, 0);
  });

  test("rejects a commune without items with 400 and suggests names", async () => {
    const { status, body } = await get("commune=Sain%20Deni");
    assert.equal(status, 400);
    assert.deepEqual(body.errors[0].suggestions, ["SAINT DENIS"]);
    assert.match(body.errors[0].message, /Did you mean SAINT DENIS\?/);
  });

  test("finds communes by INSEE code and places by postal code or its first digits", async () => {
    assert.deepEqual(await slugs("insee=2a004,97411,00000"), ["ajaccio", "denis-974"]);
    assert.deepEqual(await slugs("code_postal=97400"), ["denis-974"]);
    assert.deepEqual(await slugs("code_postal=97,93200"), ["denis-93", "denis-974", "denis-sans-code"]);
    assert.deepEqual(await slugs("code_postal=97490"), ["denis-sans-code"]);
    const { body } = await get("insee=2a004&code_postal=20");
    assert.deepEqual([body.query.insee, body.query.code_postal], [["2A004"], ["20"]]);
  });

  test("includes and excludes sources by name or slug, with every item of an excluded source", async () => {
    assert.deepEqual(await slugs("source=base-locale"), ["denis-974"]);
    assert.deepEqual(await slugs("source=autre"), ["denis-974", "fidji"]);
    assert.deepEqual(await slugs("source=Autre,-base-locale"), ["fidji"]);
    assert.deepEqual(await slugs("source=-autre"), ["ajaccio", "denis-93", "denis-sans-code"]);
    const { body } = await get("source=-autre,base-locale");
    assert.deepEqual([body.total, body.query.source], [0, ["base-locale", "-autre"]]);
    assert.deepEqual((await get("source=-autr")).body.errors[0].suggestions, ["-autre"]);
  });

  test("each value of the facets commune and source, used as a filter, gives its count", async () => {
    const { body } = await get("limit=0&facets=source,commune");
    assert.deepEqual(body.facets, {
      commune: [
        { value: "saint-denis", label: "SAINT DENIS", count: 3 },
        { value: "ajaccio", label: "Ajaccio", count: 1 },
      ],
      source: [
        { value: "a", label: "a", count: 3 },
        { value: "autre", label: "Autre", count: 2 },
        { value: "base-locale", label: "Base, locale", count: 1 },
      ],
    });
    for (const name of ["commune", "source"] as const)
      for (const { value, count } of body.facets[name]) assert.equal((await get(`${name}=${value}`)).body.total, count);
  });

  test("finds items in a box with its borders, across the antimeridian, and with near", async () => {
    assert.deepEqual(await slugs("bbox=2.357,41,8.738,48.936"), ["ajaccio", "denis-93"]);
    assert.deepEqual(await slugs("bbox=2.357001,41,8.738,48.936"), ["ajaccio"]);
    assert.deepEqual(await slugs("bbox=170,-20,-170,-10"), ["fidji"]);
    assert.deepEqual(await slugs("bbox=-170,-20,170,-10"), []);
    assert.equal((await get("bbox=-180,-90,180,90")).body.total, 4);
    assert.deepEqual(await slugs("bbox=0,40,10,50&near=48.9,2.3"), ["denis-93"]);
    assert.deepEqual((await get("bbox=0,40,10,50.1234567")).body.query.bbox, [0, 40, 10, 50.123457]);
  });

  test("suggests the box in France when it is given with latitudes first", async () => {
    const { status, body } = await get("bbox=47.9,-2.2,48.3,-1.4");
    assert.equal(status, 400);
    assert.deepEqual(body.errors[0].suggestions, ["-2.2,47.9,-1.4,48.3"]);
  });

  test("rejects bbox on Discovery with 403, and reveals neither total nor facets", async () => {
    for (const query of [
      "bbox=0,40,10,50",
      "bbox=0,40,10,50&limit=0&facets=commune",
      "bbox=0,40,10,50&ids=place/fidji",
    ]) {
      const { status, body } = await get(query, fixture.discovery);
      if (query.includes("ids")) assert.equal(status, 400);
      else assert.deepEqual([status, body.code, body.feature, body.total], [403, "plan_required", "geo", undefined]);
    }
    assert.equal((await get("bbox=0,50,10,40", fixture.discovery)).status, 400);
  });

  test("returns ids in their order, each once, and lists unknown ones as missing", async () => {
    const { status, body } = await get("ids=place/fidji,place/no-such,place/ajaccio,place/fidji,actor/fidji");
    assert.equal(status, 200);
    assert.deepEqual(
      body.items.map(({ slug }: { slug: string }) => slug),
      ["fidji", "ajaccio"],
    );
    assert.deepEqual([body.total, body.limit, body.missing], [2, 4, ["place/no-such", "actor/fidji"]]);
    assert.deepEqual(body.query, { ids: ["place/fidji", "place/no-such", "place/ajaccio", "actor/fidji"] });
  });

  test("pages through ids by limit and offset, and rejects other parameters beside them", async () => {
    const first = await get("ids=place/fidji,place/ajaccio&limit=1");
    assert.match(first.body.links.next, /offset=1/);
    assert.deepEqual(await slugs("ids=place/fidji,place/ajaccio&limit=1&offset=1"), ["ajaccio"]);
    const { status, body } = await get("ids=place/fidji&q=a&type=place&limit=all&format=csv");
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map(({ path, reason }: { path: string; reason: string }) => `${path} ${reason}`).sort(),
      ["?limit not_with_ids", "?q not_with_ids", "?type not_with_ids"],
    );
  });

  test("returns ids in every format", async () => {
    const query = "ids=place/fidji,place/no-such,place/ajaccio";
    const csv = await get(`${query}&format=csv&fields=title`);
    assert.equal(csv.body, "type,slug,title\r\nplace,fidji,fidji\r\nplace,ajaccio,ajaccio\r\n");
    assert.deepEqual([csv.headers["x-total-count"], csv.headers["x-missing-count"]], ["2", "1"]);
    const ndjson = await get(`${query}&format=ndjson&fields=title`);
    assert.equal(ndjson.headers["x-missing-count"], "1");
    const geojson = await get(`${query}&format=geojson`);
    assert.deepEqual(geojson.body.missing, ["place/no-such"]);
    assert.deepEqual(
      geojson.body.features.map(({ id }: { id: string }) => id),
      ["place/fidji", "place/ajaccio"],
    );
  });

  test("counts the returned ids against the quota and truncates the page", async () => {
    const { secret } = await fixture.createKey({ plan: "pro", dailyItems: 3 });
    const first = await get("ids=place/fidji,place/no-such,place/ajaccio", secret);
    assert.equal(first.headers["x-quota-remaining"], "1");
    const second = await get("ids=place/fidji,place/ajaccio", secret);
    assert.deepEqual([second.body.items.length, second.body.quota_truncated], [1, true]);
    assert.match(second.body.links.next, /offset=1/);
    assert.equal((await get("ids=place/fidji", secret)).status, 429);
    assert.equal((await get("ids=place/no-such", secret)).status, 429);
  });

  test("filters exports, and links keep the filters", async () => {
    const csv = await get("commune=St%20Denis&source=-autre&limit=all&format=csv&fields=commune,address,sources");
    assert.equal(
      csv.body,
      "type,slug,commune_code,commune_nom,address_rue,address_code_postal,sources\r\n" +
        "place,denis-93,93066,Saint-Denis,,93200,\r\nplace,denis-sans-code,,St Denis,,97490 CEDEX,\r\n",
    );
    const { body, headers } = await get("commune=St%20Denis&code_postal=97,93&limit=1");
    assert.match(body.links.next, /commune=St%20Denis&code_postal=97,93&limit=1&offset=1/);
    assert.match(String(headers["link"]), /rel="next"/);
  });

  test("pages with different filters have different ETags", async () => {
    const queries = [
      "commune=ajaccio",
      "insee=2A004",
      "code_postal=20000",
      "source=a",
      "source=-a",
      "bbox=8,41,9,42",
      "ids=place/ajaccio",
    ];
    const tags = await Promise.all(queries.map(async (query) => (await get(query)).headers["etag"]));
    assert.equal(new Set(tags).size, queries.length);
  });
});
