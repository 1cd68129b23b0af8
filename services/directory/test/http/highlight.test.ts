/** `highlight=true`: which words are marked, and that marks never change the text. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { createHighlighter } from "../../src/http/highlight.ts";
import { createFixture } from "../support/create-fixture.ts";
import { WORDS } from "../support/random-items.ts";
import { runs } from "../support/runs.ts";

const mark = (query: string, text: string, corrected: Record<string, string> | null = null) =>
  createHighlighter(query, corrected)(text);

describe("marks", () => {
  it("surround equal, inflected, unfinished and corrected words", () => {
    assert.equal(mark("musee ", "Le Musée, les musées"), "Le <mark>Musée</mark>, les <mark>musées</mark>");
    assert.equal(mark("bibl", "Bibliothèque"), "<mark>Bibliothèque</mark>");
    assert.equal(mark("bibl ", "Bibliothèque"), "Bibliothèque");
    assert.equal(mark("musse", "le musée", { musse: "musee" }), "le <mark>musée</mark>");
    assert.equal(mark("l'œuvre", "L'Œuvre de l'oeuvre"), "L&#39;<mark>Œuvre</mark> de l&#39;<mark>oeuvre</mark>");
    assert.equal(mark("etienne", "Saint-E\u0301tienne"), "Saint-<mark>E\u0301tienne</mark>");
  });

  it("leave stop words and everything else, and escape HTML", () => {
    assert.equal(mark("musée de la mer", "la mer & <b>"), "la <mark>mer</mark> &amp; &lt;b&gt;");
    assert.equal(mark("amp", "a &amp; b"), "a &amp;<mark>amp</mark>; b");
    assert.equal(mark("mark", "<mark>x</mark>"), "&lt;<mark>mark</mark>&gt;x&lt;/<mark>mark</mark>&gt;");
  });

  it("give back the text when they are removed and entities decoded", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.string({ unit: "binary", maxLength: 60 }),
      fc
        .array(
          fc.oneof(
            fc.constantFrom(...WORDS),
            fc.constantFrom("&", "<mark>", "</mark>", "&amp;", "'", '"', "\u0301", " ", "-"),
          ),
          { maxLength: 20 },
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(fc.oneof(text, fc.constantFrom(...WORDS)), text, (query, original) => {
        const marked = mark(query, original);
        assert.match(marked.replaceAll(/<mark>([^<>]+)<\/mark>/g, "$1"), /^[^<>]*$/);
        assert.equal(unescape(marked.replaceAll(/<\/?mark>/g, "")), original);
        assert.doesNotMatch(marked.replaceAll(/&(amp|lt|gt|quot|#39);/g, ""), /&/);
      }),
      { numRuns: runs(2000) },
    );
  });
});

function unescape(text: string): string {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]);
}

describe("GET /api/items?highlight=true", () => {
  it("adds highlights to items, features and lines, for any selection of fields and every plan", async () => {
    await using fixture = await createFixture();
    const of = async (query: string, key = fixture.discovery) =>
      (await fixture.ask(`/api/items?q=rennes&type=place&highlight=true&limit=1${query}`, { key })).body;
    const expected = '"highlights":{"title":"<mark>Rennes</mark>","summary":';
    assert.ok((await of("")).includes(expected));
    assert.ok((await of("&format=geojson")).includes(expected));
    assert.ok((await of("&format=ndjson", fixture.pro)).includes(expected));
    const { items } = JSON.parse(await of("&fields=tags")) as { items: Record<string, unknown>[] };
    assert.deepEqual(Object.keys(items[0]), ["type", "slug", "tags", "highlights"]);
    const whole = (await of("&format=ndjson", fixture.pro)).trim();
    const streamed = await fixture.ask("/api/items?q=rennes&type=place&highlight=true&limit=all&format=ndjson", {
      key: fixture.pro,
    });
    assert.ok(streamed.body.startsWith(whole));
  });

  it("may be selected by name, and only there", async () => {
    await using fixture = await createFixture();
    const of = (query: string) => fixture.ask(`/api/items?q=rennes&limit=1${query}`, { key: fixture.discovery });
    const selected = (await of("&highlight=true&fields=title,highlights")).json<{ items: object[] }>();
    assert.deepEqual(Object.keys(selected.items[0]), ["type", "slug", "title", "highlights"]);
    for (const query of ["&fields=highlights", "&fields=highlights&highlight=false"]) {
      const refused = await of(query);
      assert.equal(refused.statusCode, 400);
      const [{ path, reason }] = refused.json<{ errors: { path: string; reason: string }[] }>().errors;
      assert.deepEqual([path, reason], ["?fields", "needs_highlight"]);
    }
  });

  it("does not share pages or ETags with requests without it", async () => {
    await using fixture = await createFixture();
    const plain = await fixture.ask("/api/items?q=rennes", { key: fixture.discovery });
    const marked = await fixture.ask("/api/items?q=rennes&highlight=true", { key: fixture.discovery });
    assert.notEqual(plain.headers["etag"], marked.headers["etag"]);
    assert.doesNotMatch(plain.body, /highlights/);
  });
});
