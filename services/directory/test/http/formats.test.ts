import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { openApiDocument } from "@triptych/server";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import {
  directoryContract,
  getDiscovery,
  getItem,
  getItems,
  ITEM_TYPES,
  SUMMARY_FIELD_NAMES,
  allFieldNames,
} from "@triptych/contracts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

describe("the formats of the directory", () => {
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

  test("the ETag changes with plan, format, fields, query and applied limit, and with nothing else", async () => {
    const tag = async (query: string, key = fixture.pro) =>
      String((await fixture.ask(`/api/items?${query}`, { key })).headers["etag"]);
    const base = await tag("type=place&limit=5");
    assert.match(base, /^W\/"1-[0-9a-f]{12}-[\w-]{22}"$/);
    assert.equal(await tag("limit=5&type=place"), base);
    const others = await Promise.all([
      tag("type=place&limit=6"),
      tag("type=place&limit=5", fixture.discovery),
      tag("type=place&limit=5&format=csv"),
      tag("type=place&limit=5&fields=title"),
      tag("type=actor&limit=5"),
      tag("type=-place&limit=5"),
      tag("tag=prefecture&limit=5"),
      tag("tag=-prefecture&limit=5"),
      tag("type=place&limit=5&offset=5"),
      tag("type=place&limit=5&facets=tag"),
      tag("type=place&limit=5&q=pre"),
      tag("type=place&limit=5&q=pre%20"),
    ]);
    assert.equal(new Set([base, ...others]).size, others.length + 1);
    const { secret } = await fixture.createKey({ plan: "pro", dailyItems: 3 });
    assert.notEqual(await tag("type=place&limit=5", secret), base);
  });

  test("HEAD returns the headers of GET", async () => {
    for (const url of [
      "/api/items?limit=3",
      "/api/items?limit=3&format=csv",
      "/api/items?limit=3&format=ndjson",
      "/api/items?type=place&limit=all&format=csv",
      "/api/item/place/rennes",
    ]) {
      const page = await fixture.ask(url, { key: fixture.pro });
      const head = await fixture.ask(url, { key: fixture.pro, method: "HEAD" });
      assert.deepEqual([head.statusCode, head.body], [200, ""], url);
      for (const name of [
        "etag",
        "link",
        "content-type",
        "content-length",
        "x-total-count",
        "x-offset",
        "content-disposition",
      ])
        assert.equal(head.headers[name], page.headers[name], `${name} of ${url}`);
    }
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

  test("labels facet types in the client's language, French by default", async () => {
    const url = "/api/items?limit=0&facets=type";
    const labels = { fr: ["Acteur", "Lieu", "Article"], en: ["Actor", "Place", "Article"] };
    const languages = { "": "fr", fr: "fr", "fr-FR": "fr", "fr;q=0.8, en": "en", "en-GB, en;q=0.9": "en", de: "fr" };
    const { secret: key } = await fixture.createKey({ plan: "pro" });
    const seen = new Map<string, unknown>();
    // Twice: the second response comes from the page cache.
    for (const [header, language] of [...Object.entries(languages), ...Object.entries(languages)]) {
      const answer = await fixture.ask(url, { key, headers: { "accept-language": header } });
      const found = answer.json().facets.type.map((one: { label: string }) => one.label);
      assert.deepEqual(found.toSorted(), labels[language === "en" ? "en" : "fr"].toSorted(), header);
      assert.match(String(answer.headers["vary"]), /\bAccept-Language\b/);
      seen.set(language, answer.headers["etag"]);
    }
    assert.notEqual(seen.get("fr"), seen.get("en"));
    const headers = { "accept-language": "en", "if-none-match": String(seen.get("fr")) };
    assert.equal((await fixture.ask(url, { key, headers })).statusCode, 200);
    const plain = await fixture.ask("/api/items?limit=1", { key });
    assert.doesNotMatch(String(plain.headers["vary"]), /Accept-Language/);
  });

  test("If-None-Match returns 304 without a body, by weak comparison", async () => {
    const first = await fixture.ask("/api/items?limit=4", { key: fixture.pro });
    const etag = String(first.headers["etag"]);
    for (const header of [etag, etag.slice(2), `"x", ${etag}`, "*"]) {
      const answer = await fixture.ask("/api/items?limit=4", {
        key: fixture.pro,
        headers: { "if-none-match": header },
      });
      assert.equal(answer.statusCode, 304, header);
      assert.equal(answer.body, "");
    }
    assert.equal(first.headers["vary"]?.toString().includes("X-API-Key"), true);
    assert.ok(first.headers["last-modified"]);
  });

  test("responses, with and without fields=, match the OpenAPI document", async () => {
    const narrowings = ["", "&fields=title", "&fields=title,extra,mentions", "&fields=distance_km&near=48.11,-1.68"];
    for (const key of [fixture.discovery, fixture.pro]) {
      for (const narrowing of narrowings) {
        if (key === fixture.discovery && /extra|near/.test(narrowing)) continue;
        const page = (await fixture.ask(`/api/items?q=rennes&facets=type${narrowing}`, { key })).json();
        assert.deepEqual(Value.Errors(getItems.answers[200].schema, page), []);
        assert.ok(page.items.length > 0);
        if (narrowing.includes("near")) continue;
        const item = (await fixture.ask(`/api/item/place/rennes?${narrowing}`, { key })).json();
        assert.deepEqual(Value.Errors(getItem.answers[200].schema, item), []);
      }
    }
  });

  test("facets are exact under all filters, by descending count", async () => {
    const { facets, total } = (
      await fixture.ask("/api/items?region=bretagne&facets=type,departement,region,tag&limit=0", {
        key: fixture.discovery,
      })
    ).json();
    const sum = (values: { count: number }[]) => values.reduce((all, entry) => all + entry.count, 0);
    assert.equal(sum(facets.type), total);
    assert.deepEqual(
      facets.region.map((entry: { value: string }) => entry.value),
      ["bretagne"],
    );
    assert.ok(facets.departement.length === 4);
    for (const values of Object.values<{ count: number; value: string }[]>(facets)) {
      const sorted = values.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
      assert.deepEqual(values, sorted);
    }
  });

  test("OPTIONS returns 204 with CORS headers on every path of the API", async () => {
    for (const url of ["/api", "/api/items", "/api/item/place/rennes", "/api/meta", "/api/usage"]) {
      const answer = await fixture.ask(url, { method: "OPTIONS" });
      assert.equal(answer.statusCode, 204);
      assert.equal(answer.headers["allow"], "GET, HEAD, OPTIONS");
      assert.equal(answer.headers["access-control-allow-origin"], "*");
      assert.equal(answer.headers["api-version"], "1");
    }
  });

  test("the discovery document is generated from the contract, and its examples work", async () => {
    const body = (await fixture.ask("/api")).json();
    assert.deepEqual(
      body.plans.map((plan: { id: string; items_per_day: number }) => [plan.id, plan.items_per_day]),
      [
        ["discovery", 2000],
        ["pro", 50_000],
      ],
    );
    assert.equal(body.authentication.length, 3);
    for (const endpoint of body.endpoints) {
      const answer = await fixture.ask(endpoint.example.replace("http://directory.test", ""), { key: fixture.pro });
      assert.equal(answer.statusCode, 200, endpoint.example);
    }
  });

  /** Headers that an endpoint's contract may define. */
  const SPOKEN_OF = /^(?:x-quota-|x-data-version|x-total|x-offset|ratelimit|etag|last-modified|link)/;

  test("responses have the headers and media type documented by their endpoint", async () => {
    for (const { answers, examples = [], id } of directoryContract.endpoints)
      for (const url of examples) {
        fixture.pass(10_000);
        const full = await fixture.ask(url, { key: fixture.pro });
        const tag = full.headers["etag"] ?? "none";
        for (const answer of [full, await fixture.ask(url, { key: fixture.pro, headers: { "if-none-match": tag } })]) {
          const { headers = {}, media = ["application/json"] } = answers[answer.statusCode] ?? {};
          // Formats other than JSON carry the envelope's counts and the file name in headers.
          const named = Object.keys(headers).map((name) => name.toLowerCase());
          assert.deepEqual(
            Object.keys(answer.headers)
              .filter((name) => SPOKEN_OF.test(name))
              .toSorted(),
            named.filter((name) => !/^(?:x-(?:total|offset|missing)|content-disposition)/.test(name)).toSorted(),
            `${id}: ${answer.statusCode}`,
          );
          const type = (answer.headers["content-type"] ?? media[0]).split(";")[0];
          assert.ok(media.includes(type), type);
        }
      }
    assert.ok(getDiscovery.answers[200].media.includes("text/html"));
  });

  test("/api returns the documentation page to browsers", async () => {
    const page = await fixture.ask("/api", { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.match(page.body, /<h1/);
    assert.equal(
      (await fixture.ask("/api", { headers: { accept: "*/*" } })).headers["content-type"],
      "application/json; charset=utf-8",
    );
  });

  test("meta lists every département and région, and its counts add up", async () => {
    const meta = (await fixture.ask("/api/meta", { key: fixture.discovery })).json();
    assert.deepEqual([meta.departements.length, meta.regions.length], [101, 18]);
    assert.deepEqual(meta.totals, { all: 220, actor: 101, place: 101, article: 18, located: meta.totals.located });
    const [west, south, east, north] = meta.bbox;
    assert.ok(west < -60 && east > 55 && south < -20 && north > 50);
  });
});
