/** The pages of items for visitors and search engines. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { proFields } from "@triptych/contracts";
import type { StoredItem } from "../../src/domain/catalogue.ts";
import { createChangeLog } from "../../src/store/change-log.ts";
import { createFormerAddresses } from "../../src/store/former-addresses.ts";
import { createFixture } from "../support/create-fixture.ts";
import { openDirectory } from "../support/open-directory.ts";
import { openInMemory } from "../support/open-in-memory.ts";
import { storedItem } from "../support/stored-item.ts";

describe("GET /fiche/{type}/{slug}", () => {
  it("shows an item in French, with its canonical address, Open Graph title and JSON-LD", async () => {
    await using fixture = await createFixture();
    const response = await fixture.ask("/fiche/place/rennes");
    assert.equal(response.statusCode, 200);
    assert.match(String(response.headers["content-type"]), /^text\/html/);
    assert.match(String(response.headers["content-security-policy"]), /^default-src 'none'; script-src 'self'/);
    assert.equal(response.headers["content-language"], "fr");
    assert.match(String(response.headers["vary"]), /Accept-Language/);
    assert.match(response.body, /<html lang="fr">/);
    assert.match(response.body, /<h1>Rennes<\/h1>/);
    const canonical = "http://directory.test/fiche/place/rennes";
    assert.ok(response.body.includes(`<link rel="canonical" href="${canonical}"`));
    assert.match(response.body, /<meta property="og:title" content="Rennes"/);
    const [, data = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(response.body) ?? [];
    const jsonLd = JSON.parse(data) as Record<string, unknown>;
    assert.deepEqual([jsonLd["@type"], jsonLd["@id"], jsonLd["name"]], ["Place", canonical, "Rennes"]);
    assert.match(response.body, /href="\/carte\?q=Rennes&amp;type=place&amp;departements=ille-et-vilaine"/);
    assert.match(response.body, /href="\/carte\?commune=Rennes&amp;departements=ille-et-vilaine"/);
  });

  it("answers in English by Accept-Language, with another ETag", async () => {
    await using fixture = await createFixture();
    const french = await fixture.ask("/fiche/place/rennes");
    const english = await fixture.ask("/fiche/place/rennes", { headers: { "accept-language": "en-GB,en;q=0.9" } });
    assert.match(english.body, /<html lang="en">.*Show on the map/s);
    assert.equal(english.headers["content-language"], "en");
    assert.notEqual(english.headers["etag"], french.headers["etag"]);
    const again = await fixture.ask("/fiche/place/rennes", {
      headers: { "if-none-match": String(french.headers["etag"]) },
    });
    assert.equal(again.statusCode, 304);
  });

  it("contains only fields of the free plan", async () => {
    const secret = {
      description: "DESCRIPTION-X",
      address: { rue: "RUE-X", code_postal: "35999" },
      location: { lat: 12.3456, lon: 65.4321 },
      phone: "+33999999999",
      website: "https://website-x.example/",
      extra: { a: "EXTRA-X" },
    };
    const item = storedItem({ id: "a" });
    const full: StoredItem = { ...item, item: { ...item.item, ...secret } };
    await using fixture = await createFixture({ catalogue: await openInMemory([full], []) });
    const { body } = await fixture.ask("/fiche/place/a");
    assert.match(body, /<h1>a<\/h1>/);
    for (const value of ["DESCRIPTION-X", "RUE-X", "35999", "12.3456", "65.4321", "33999", "website-x", "EXTRA-X"])
      assert.ok(!body.includes(value), value);
    assert.ok(Object.keys(proFields).length > 0);
  });

  it("escapes text of items", async () => {
    const item = storedItem({ id: "a", title: `</script><img src=x onerror="x">` });
    await using fixture = await createFixture({ catalogue: await openInMemory([item], []) });
    const { body } = await fixture.ask("/fiche/place/a");
    assert.doesNotMatch(body, /<img/);
    assert.equal(body.match(/<\/script>/g)?.length, body.match(/<script/g)?.length);
  });

  it("answers 404 with a page for an unknown address", async () => {
    await using fixture = await createFixture();
    for (const path of [
      "/fiche/place/inconnu",
      "/fiche/lieu/rennes",
      "/fiche/place/%3Cb%3E",
      `/fiche/place/${"a".repeat(121)}`,
    ]) {
      const response = await fixture.ask(path);
      assert.equal(response.statusCode, 404, path);
      assert.match(response.body, /Fiche introuvable/);
    }
  });

  it("redirects a moved address, and answers 410 for a removed one", async () => {
    await using directory = await openDirectory();
    const source = await directory.store.openSource();
    await using fixture = await createFixture({
      catalogue: () => source.current(),
      changes: createChangeLog(directory.database.db),
      formerAddress: createFormerAddresses(directory.database.db),
    });
    await directory.publishItems([storedItem({ id: "a" }), storedItem({ id: "b" })]);
    await directory.publishItems([storedItem({ id: "a", type: "actor" })], { alone: true });
    await source.refresh();
    const moved = await fixture.ask("/fiche/place/a");
    assert.deepEqual([moved.statusCode, moved.headers["location"]], [308, "/fiche/actor/a"]);
    const gone = await fixture.ask("/fiche/place/b");
    assert.equal(gone.statusCode, 410);
    assert.match(gone.body, /Fiche supprimée/);
    for (let round = 0; round < 6; round++) await directory.publishItems([storedItem({ id: `c${round}` })]);
    await source.refresh();
    assert.equal((await fixture.ask("/fiche/place/a")).statusCode, 404, "unknown after its version was removed");
    assert.equal((await fixture.ask("/fiche/place/b")).statusCode, 410, "still known after its version was removed");
    await source.close();
  });
});

describe("documents for search engines", () => {
  it("list every item page in the sitemap, which robots.txt names", async () => {
    await using fixture = await createFixture();
    const robots = await fixture.ask("/robots.txt");
    assert.match(robots.body, /^Sitemap: http:\/\/directory\.test\/sitemap\.xml$/m);
    const sitemap = await fixture.ask("/sitemap.xml");
    assert.match(String(sitemap.headers["content-type"]), /^application\/xml/);
    const pages = [...sitemap.body.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url);
    assert.equal(new Set(pages).size, 220);
    assert.ok(pages.includes("http://directory.test/fiche/place/rennes"));
    assert.equal((await fixture.ask("/sitemap/2.xml")).statusCode, 404);
    assert.equal((await fixture.ask("/sitemap/x")).statusCode, 404);
  });

  it("are split above 10,000 items", async () => {
    const items = Array.from({ length: 10_001 }, (_, at) => storedItem({ id: String(at).padStart(5, "0") }));
    await using fixture = await createFixture({ catalogue: await openInMemory(items, []) });
    const index = await fixture.ask("/sitemap.xml");
    assert.match(index.body, /<sitemapindex/);
    assert.deepEqual(
      [...index.body.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url),
      ["http://directory.test/sitemap/1.xml", "http://directory.test/sitemap/2.xml"],
    );
    const [first, second] = await Promise.all([1, 2].map((page) => fixture.ask(`/sitemap/${page}.xml`)));
    assert.equal(first.body.match(/<url>/g)?.length, 10_000);
    assert.equal(second.body.match(/<url>/g)?.length, 1);
  });

  it("include an icon", async () => {
    await using fixture = await createFixture();
    const icon = await fixture.ask("/favicon.ico");
    assert.equal(icon.headers["content-type"], "image/x-icon");
    assert.deepEqual([...icon.rawPayload.subarray(0, 4)], [0, 0, 1, 0]);
  });
});
