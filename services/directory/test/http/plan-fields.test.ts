import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApiDocument } from "@triptych/server";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import {
  directoryContract,
  getItem,
  getItems,
  ITEM_TYPES,
  SUMMARY_FIELD_NAMES,
  allFieldNames,
} from "@triptych/contracts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

describe("the fields of a plan, in every format", () => {
  let fixture: Fixture;
  before(async () => (fixture = await createFixture()));
  after(() => fixture[Symbol.asyncDispose]());

  const slugs = { actor: "prefecture-de-l-ain", place: "bourg-en-bresse", article: "bretagne" };

  for (const type of ITEM_TYPES) {
    test(`JSON of a ${type} has exactly the plan's keys, in lists and alone`, async () => {
      for (const { key, names } of [
        { key: fixture.discovery, names: SUMMARY_FIELD_NAMES },
        { key: fixture.pro, names: allFieldNames(type) },
      ]) {
        const alone = (await fixture.ask(`/api/item/${type}/${slugs[type]}`, { key })).json();
        assert.deepEqual(Object.keys(alone), names);
        const listed = (await fixture.ask(`/api/items?type=${type}&limit=3`, { key })).json().items;
        for (const item of listed) assert.deepEqual(Object.keys(item), names);
        assert.equal(alone.url, `http://directory.test/api/item/${type}/${slugs[type]}`);
      }
    });

    test(`GeoJSON and JSON-LD of a ${type} contain no Pro fields on Discovery`, async () => {
      const pro = (await fixture.ask(`/api/item/${type}/${slugs[type]}`, { key: fixture.pro })).json();
      for (const format of ["json", "geojson", "ld%2Bjson"]) {
        const { body } = await fixture.ask(`/api/item/${type}/${slugs[type]}?format=${format}`, {
          key: fixture.discovery,
        });
        assert.ok(!body.includes(String(pro.description).slice(0, 30)), format);
        if (pro.location)
          assert.ok(!body.includes(String(pro.location.lat)) && !body.includes(String(pro.location.lon)), format);
        for (const word of ["latitude", "longitude", "coordinates"])
          assert.ok(!body.includes(word), `${format} ${word}`);
      }
      const feature = (
        await fixture.ask(`/api/item/${type}/${slugs[type]}?format=geojson`, { key: fixture.discovery })
      ).json();
      assert.equal(feature.geometry, null);
      assert.deepEqual(Object.keys(feature.properties), SUMMARY_FIELD_NAMES);
    });
  }

  test("GeoJSON and JSON-LD responses match the OpenAPI document", async () => {
    const list = getItems.answers[200].schemas["application/geo+json"];
    const { "application/geo+json": feature, "application/ld+json": jsonLd } = getItem.answers[200].schemas;
    const assertForm = (schema: TSchema, value: unknown, of: string) =>
      assert.deepEqual([...Value.Errors(schema, value)].slice(0, 3), [], of);
    for (const key of [fixture.discovery, fixture.pro]) {
      for (const query of ["limit=100", "limit=2&type=article", "fields=title", "limit=0"])
        assertForm(list, (await fixture.ask(`/api/items?format=geojson&${query}`, { key })).json(), query);
      for (const type of ITEM_TYPES) {
        const path = `/api/item/${type}/${slugs[type]}`;
        assertForm(feature, (await fixture.ask(`${path}?format=geojson`, { key })).json(), `feature of a ${type}`);
        assertForm(jsonLd, (await fixture.ask(`${path}?format=ld%2Bjson`, { key })).json(), `JSON-LD of a ${type}`);
      }
    }
    for (const query of ["near=48.11,-1.68&radius=80", "limit=all"])
      assertForm(list, (await fixture.ask(`/api/items?format=geojson&${query}`, { key: fixture.pro })).json(), query);
    assert.ok(
      !Value.Check(feature, { type: "Feature", id: "place/x", geometry: null }),
      "a feature without properties",
    );
    const document = JSON.stringify(openApiDocument(directoryContract, { url: "http://directory.test" }));
    for (const media of ["geo+json", "ld+json"]) assert.ok(!document.includes(`"application/${media}":{}`), media);
  });

  test("lists in GeoJSON, CSV and NDJSON have exactly the plan's keys", async () => {
    const summaryColumns =
      "type,slug,url,title,summary,commune_code,commune_nom,departement_code,departement_slug,departement_nom,region_code,region_slug,region_nom,tags,updated_at";
    const discovery = await fixture.ask("/api/items?format=csv", { key: fixture.discovery });
    assert.equal(discovery.body.split("\r\n")[0], summaryColumns);
    const pro = await fixture.ask("/api/items?format=csv", { key: fixture.pro });
    assert.equal(
      pro.body.split("\r\n")[0],
      `${summaryColumns},lat,lon,description,address_rue,address_code_postal,website,email,phone,images,links,same_as,sources,licence,created_at,extra,siret,legal_form,founded,opening_hours,access,managed_by,author,published_at,mentions`,
    );
    const lines = (await fixture.ask("/api/items?format=ndjson", { key: fixture.discovery })).body.trim().split("\n");
    for (const line of lines) assert.deepEqual(Object.keys(JSON.parse(line)), SUMMARY_FIELD_NAMES);
    const collection = (await fixture.ask("/api/items?format=geojson", { key: fixture.pro })).json();
    for (const { properties } of collection.features) {
      assert.deepEqual(
        Object.keys(properties),
        allFieldNames(properties.type).filter((name) => name !== "location"),
      );
    }
    assert.deepEqual(Object.keys(collection), [
      "type",
      "numberMatched",
      "numberReturned",
      "timeStamp",
      "links",
      "attribution",
      "licence",
      "version",
      "features",
    ]);
  });

  test("no response on Discovery contains coordinates or texts of Pro fields, in any format, facet or error", async () => {
    const { secret: key } = await fixture.createKey({ dailyItems: 2000 });
    const pro = (await fixture.ask("/api/items?limit=100&type=place", { key: fixture.pro })).json().items;
    const queries = [
      "limit=100",
      "format=geojson&limit=100",
      "format=csv&limit=100",
      "format=ndjson&limit=100",
      "facets=type,tag",
      "fields=title",
    ];
    for (const query of [
      ...queries,
      "fields=location",
      "near=48,2",
      "limit=all&format=csv",
      "q=prefecture&sort=relevance&limit=100",
    ]) {
      const { body } = await fixture.ask(`/api/items?type=place&${query}`, { key });
      for (const { location, slug } of pro) {
        assert.ok(!body.includes(String(location.lat)) && !body.includes(String(location.lon)), `${query}: ${slug}`);
      }
      for (const word of ["CC0-1.0", "coordinates", "distance_km", "description"]) {
        const isHead = word === "CC0-1.0" && query.includes("geojson");
        assert.ok(isHead || !body.includes(word), `${query}: ${word}`);
      }
    }
  });
});
