import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

describe("the formats of the directory", () => {
  let fixture: Fixture;
  before(async () => (fixture = await createFixture()));
  after(() => fixture[Symbol.asyncDispose]());

  const slugs = { actor: "prefecture-de-l-ain", place: "bourg-en-bresse", article: "bretagne" };

  test("CSV is RFC 4180: an independent parser reads back the JSON values", async () => {
    const query = "type=place&limit=100&sort=title";
    const items = (await fixture.ask(`/api/items?${query}`, { key: fixture.pro })).json().items;
    const answer = await fixture.ask(`/api/items?${query}&format=csv`, { key: fixture.pro });
    assert.equal(answer.headers["content-type"], "text/csv; header=present; charset=utf-8");
    const rows: Record<string, string>[] = parse(answer.body, { columns: true, record_delimiter: "\r\n" });
    assert.equal(rows.length, items.length);
    for (const [index, row] of rows.entries()) {
      const item = items[index];
      assert.equal(row["title"], item.title);
      assert.equal(row["description"], item.description);
      assert.equal(row["lat"], String(item.location.lat));
      assert.equal(row["commune_code"], item.commune.code);
      assert.equal(row["tags"], item.tags.join("|"));
      assert.deepEqual(JSON.parse(row["extra"]), item.extra);
    }
    assert.equal(answer.headers["x-total-count"], "101");
    assert.equal(answer.headers["x-offset"], "0");
    assert.match(String(answer.headers["link"]), /<http:\/\/directory\.test\/api\/items\?[^>]*offset=100>; rel="next"/);
  });

  test("GeoJSON positions are longitude, latitude, and agree with JSON", async () => {
    const items = (await fixture.ask("/api/items?near=48.1,-1.7&radius=100", { key: fixture.pro })).json().items;
    const { features, numberMatched, numberReturned } = (
      await fixture.ask("/api/items?near=48.1,-1.7&radius=100&format=geojson", { key: fixture.pro })
    ).json();
    assert.equal(numberReturned, features.length);
    assert.ok(numberMatched >= numberReturned);
    for (const [index, feature] of features.entries()) {
      assert.equal(feature.id, `${items[index].type}/${items[index].slug}`);
      assert.deepEqual(feature.geometry, {
        type: "Point",
        coordinates: [items[index].location.lon, items[index].location.lat],
      });
      assert.equal(feature.properties.distance_km, items[index].distance_km);
    }
  });

  test("each item has distance_km with near, in every format, and only then", async () => {
    const query = "near=45.76,4.84&radius=120";
    const items = (await fixture.ask(`/api/items?${query}`, { key: fixture.pro })).json().items;
    assert.ok(items.length > 1);
    assert.deepEqual(Object.keys(items[0]).at(-1), "distance_km");
    const csv = parse((await fixture.ask(`/api/items?${query}&format=csv`, { key: fixture.pro })).body, {
      columns: true,
    }) as Record<string, string>[];
    assert.deepEqual(
      csv.map((row) => Number(row["distance_km"])),
      items.map((item: { distance_km: number }) => item.distance_km),
    );
    const narrowed = (await fixture.ask(`/api/items?${query}&fields=title`, { key: fixture.pro })).json().items;
    assert.deepEqual(Object.keys(narrowed[0]), ["type", "slug", "title", "distance_km"]);
  });

  test("fields accepts distance_km only with near", async () => {
    const near = "/api/items?near=48.117,-1.678&fields=distance_km";
    const { items } = (await fixture.ask(near, { key: fixture.pro })).json();
    assert.deepEqual(Object.keys(items[0]), ["type", "slug", "distance_km"]);
    assert.equal((await fixture.ask(near, { key: fixture.discovery })).json().code, "plan_required");
    const { errors } = (await fixture.ask("/api/items?fields=distance_km", { key: fixture.pro })).json();
    assert.deepEqual([errors.length, errors[0].path, errors[0].reason], [1, "?fields", "needs_near"]);
  });

  test("lists have the media types of the contract, with a charset only where defined", async () => {
    for (const [format, type] of [
      ["geojson", "application/geo+json"],
      ["ndjson", "application/x-ndjson"],
      ["csv", "text/csv; header=present; charset=utf-8"],
    ])
      for (const limit of ["2", "all"]) {
        const answer = await fixture.ask(`/api/items?limit=${limit}&format=${format}`, { key: fixture.pro });
        assert.equal(answer.headers["content-type"], type);
      }
  });

  test("fields selects those keys, plus type and slug", async () => {
    const { items } = (await fixture.ask("/api/items?fields=tags,title&limit=2", { key: fixture.discovery })).json();
    for (const item of items) assert.deepEqual(Object.keys(item), ["type", "slug", "title", "tags"]);
    const item = (await fixture.ask("/api/item/place/rennes?fields=location", { key: fixture.pro })).json();
    assert.deepEqual(Object.keys(item), ["type", "slug", "location"]);
    const csv = await fixture.ask("/api/items?fields=location,title&format=csv&limit=1", { key: fixture.pro });
    assert.equal(csv.body.split("\r\n")[0], "type,slug,title,lat,lon");
  });

  test("limit=all streams every match in each format that streams", async () => {
    const count = {
      csv: (body: string) => body.trim().split("\r\n").length - 1,
      ndjson: (body: string) => body.trim().split("\n").length,
      geojson: (body: string) => JSON.parse(body).features.length,
    };
    for (const format of ["csv", "ndjson", "geojson"] as const) {
      const answer = await fixture.ask(`/api/items?limit=all&offset=20&format=${format}`, { key: fixture.pro });
      assert.equal(answer.statusCode, 200);
      assert.equal(count[format](answer.body), 200, format);
      assert.equal(answer.headers["x-total-count"], "220");
    }
    const refused = await fixture.ask("/api/items?limit=all&format=csv", { key: fixture.discovery });
    assert.deepEqual([refused.statusCode, refused.json().feature], [403, "export"]);
  });

  test("reads an unescaped plus as a plus", async () => {
    const answer = await fixture.ask("/api/item/place/rennes?format=ld+json", { key: fixture.pro });
    assert.equal(answer.headers["content-type"], "application/ld+json");
  });

  test("JSON-LD has the schema.org type of the item", async () => {
    for (const [type, expected] of [
      ["actor", "Organization"],
      ["place", "Place"],
      ["article", "Article"],
    ] as const) {
      const answer = await fixture.ask(`/api/item/${type}/${slugs[type]}`, {
        key: fixture.pro,
        headers: { accept: "application/ld+json" },
      });
      assert.equal(answer.headers["content-type"], "application/ld+json");
      const body = answer.json();
      assert.equal(body["@context"], "https://schema.org");
      assert.equal(body["@type"], expected);
      assert.ok(Object.values(body).every((value) => value !== null));
    }
  });

  test("Accept selects the format, format= overrides it, and an unsupported type is 406", async () => {
    const type = async (accept: string, query = "") =>
      String(
        (await fixture.ask(`/api/items?limit=1${query}`, { key: fixture.pro, headers: { accept } })).headers[
          "content-type"
        ],
      ).split(";")[0];
    assert.equal(await type("*/*"), "application/json");
    assert.equal(await type("text/csv"), "text/csv");
    assert.equal(await type("application/json;q=0.5, application/geo+json"), "application/geo+json");
    assert.equal(await type("application/x-ndjson, */*;q=0.1"), "application/x-ndjson");
    assert.equal(await type("text/html", "&format=csv"), "text/csv");
    assert.equal(await type(""), "application/json");
    assert.equal(await type("text/csv; header=present"), "text/csv");
    assert.equal(await type("application/json; charset=UTF-8"), "application/json");
    for (const accept of ["text/html", "text/csv; header=absent"])
      assert.equal(
        (await fixture.ask("/api/items", { key: fixture.pro, headers: { accept } })).statusCode,
        406,
        accept,
      );
    const refused = await fixture.ask("/api/items", { key: fixture.pro, headers: { accept: "text/html" } });
    assert.equal(refused.json().code, "not_acceptable");
    assert.equal(
      (await fixture.ask("/api/item/place/rennes", { key: fixture.pro, headers: { accept: "text/csv" } })).statusCode,
      406,
    );
  });

  test("gzip by Accept-Encoding decodes to the same bytes", async () => {
    const plain = await fixture.ask("/api/items?limit=50", { key: fixture.pro });
    const packed = await fixture.ask("/api/items?limit=50", {
      key: fixture.pro,
      headers: { "accept-encoding": "gzip" },
    });
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.ok(packed.rawPayload.length < plain.rawPayload.length / 2);
    assert.deepEqual(gunzipSync(packed.rawPayload), plain.rawPayload);
    const brotli = await fixture.ask("/api/items?limit=50", { key: fixture.pro, headers: { "accept-encoding": "br" } });
    assert.equal(brotli.headers["content-encoding"], "br");
  });

  test("sends lists other than JSON as attachments with the format's extension", async () => {
    const { secret } = await fixture.createKey({ plan: "pro" });
    const disposition = async (query: string) =>
      (await fixture.ask(`/api/items?${query}`, { key: secret })).headers["content-disposition"];
    for (const format of ["csv", "ndjson", "geojson"])
      for (const limit of ["3", "all"])
        assert.equal(await disposition(`limit=${limit}&format=${format}`), `attachment; filename="items.${format}"`);
    assert.equal(await disposition("limit=3"), undefined);
    assert.equal(await disposition("limit=3&format=json"), undefined);
  });
});
