/** Cell texts to field values: a table of examples each, and properties for any text. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { cleanDate, cleanTime } from "../../src/domain/import/dates.ts";
import { cleanPhone } from "../../src/domain/import/phone.ts";
import { notesOf } from "../../src/domain/import/rules.ts";
import { isSiret } from "../../src/domain/import/siret.ts";
import { slugify } from "../../src/domain/slug.ts";
import { cleanLine, cleanText, type Cell } from "../../src/domain/import/text.ts";
import { cleanEmail, cleanUrl } from "../../src/domain/import/web.ts";
import { importAll } from "./support.ts";
import { runs } from "../support/runs.ts";

const cell = (): Cell => ({ column: "c", notes: notesOf(1) });
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom("<", ">", "&", ";", "b", "/", " ", "\n", "\u00A0", "é", "!", "-", "script"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});

/** Each starts a tag that the next one does not end. */
const BROKEN_TAGS = ['<a ="', "<a/=x", "<a =<a ='", "<![CDATA[", "<sc<b>ript>", '<a b="<i>" '];

describe("text", () => {
  for (const [html, text] of [
    ["<p title='a > b'>un</p><a href=\"x?a<b\">lien</a>", "un lien"],
    ['a <img src=x onerror="1<2||alert(1)"> b', "a b"],
    ["a <img src=x onerror=1<alert(1)> b", "a b"],
    ["<svg/onload=alert(1)>a", "a"],
    [`a <img ${"a=1 ".repeat(30)} onerror=alert(1)> b`, null],
    ["<Script>alert(1)</Script>a<STYLE>p{}</Style>b", "ab"],
    ["<\u200Bscript>alert(1)</script>a", "a"],
    ["&lt;\u00ADimg src=x&gt;a &lt;b&shy;r&gt;", "a"],
    ["<im<b>g src=x>a", "g src=x>a"],
    ["<!DOCTYPE html><?xml version='1.0'?><![CDATA[<b>a</b> & b]]>", "a & b"],
    ["<o:p>a</o:p>", "a"],
  ] as const) {
    test(`contains nothing that a browser parses as a tag: ${html.slice(0, 40)}`, () => {
      const line = cleanLine(html, cell());
      if (text === null) assert.doesNotMatch(line, /<[a-z]/);
      else assert.equal(line, text);
    });
  }

  for (const text of ["pression < 3 bar, > 2", "I <3 Paris"])
    test(`keeps a bracket that does not start a tag: ${text}`, () => assert.equal(cleanLine(text, cell()), text));

  test("contains no tags, control characters or double spaces, for any input", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = cleanLine(text, cell());
        assert.doesNotMatch(line, /[\u0000-\u001F\u007F\u0080-\u009F]|<\/?[a-z][a-z0-9-]*>|^ | $| {2}/i);
        assert.doesNotMatch(cleanText(text, cell()), /[\u0000-\u0009\u000B-\u001F]|\n{3}| \n|\n /);
      }),
      { seed: 3, numRuns: runs(2000) },
    );
  });

  test("a megabyte of broken HTML is fast", () => {
    for (const piece of [
      "<script>",
      "<!--",
      "<a href='",
      "<<<<",
      "&#x",
      "< b",
      "<style ",
      "<b>",
      "&amp;",
      "<a@b",
      ...BROKEN_TAGS,
    ]) {
      const start = performance.now();
      cleanLine(piece.repeat(2 ** 20 / piece.length), cell());
      assert.ok(performance.now() - start < 2000, `${piece}: ${Math.round(performance.now() - start)} ms`);
    }
  });
});

describe("slug", () => {
  test("is lower case, folded and hyphenated", () => {
    assert.equal(slugify("  L'Œuvre — d’Été à Saint-Cœur! "), "l-oeuvre-d-ete-a-saint-coeur");
    assert.equal(slugify("ÎLE-D'AIX"), "ile-d-aix");
    assert.equal(slugify("ﬁn № 5"), "fin-no-5");
    assert.equal(slugify("Ελλάδα"), "");
  });

  test("of any text is empty or valid, and the slug of a slug is itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        const slug = slugify(text);
        assert.match(slug, /^([a-z0-9]+(-[a-z0-9]+)*)?$/);
        assert.ok(slug.length <= 120);
        assert.equal(slugify(slug), slug);
      }),
      { seed: 5, numRuns: runs(1000) },
    );
  });
});

describe("addresses", () => {
  test("of pages are http or https; a bare host gets a scheme", () => {
    const table: [string, string | null][] = [
      ["https://exemple.fr", "https://exemple.fr"],
      ["HTTP://Exemple.FR/Chemin", "http://exemple.fr/Chemin"],
      ["www.exemple.fr", "http://www.exemple.fr"],
      ["exemple.fr:8080/a?b=c", "http://exemple.fr:8080/a?b=c"],
      ["//exemple.fr/a", "http://exemple.fr/a"],
      ["musée.fr", "http://xn--muse-dpa.fr"],
      ["ladombes.free.fr/Les musees/x.htm", "http://ladombes.free.fr/Les%20musees/x.htm"],
      ["www.lisieux.com/Sites,1,14,0.html", "http://www.lisieux.com/Sites,1,14,0.html"],
      ["www.a.fr ou www.b.fr", "http://www.a.fr"],
      ["www.a.fr;www.b.fr", "http://www.a.fr"],
      ["", null],
      ["en cours", null],
      ["javascript:alert(1)", null],
      ["JaVaScRiPt\n:alert(1)", null],
      ["data:text/html,<b>", null],
      ["file:///etc/passwd", null],
      ["ftp://exemple.fr", null],
      ["http://localhost", null],
      ["https://user:secret@exemple.fr/", null],
      ["quelqu.un@exemple.fr", null],
      [`https://exemple.fr/${"a".repeat(3000)}`, null],
    ];
    for (const [raw, url] of table) assert.equal(cleanUrl(raw, cell()), url, raw);
  });

  test("of pages never have a scheme that runs code, for any input", () => {
    const prefix = fc.constantFrom(
      "javascript:",
      "java\tscript:",
      "vbscript:",
      "data:",
      "",
      "http://",
      " \u0000javascript:",
    );
    fc.assert(
      fc.property(prefix, fc.string(), (prefix, rest) => {
        const url = cleanUrl(prefix + rest, cell());
        assert.ok(url === null || /^https?:\/\//.test(url), String(url));
      }),
      { seed: 13, numRuns: runs(1000) },
    );
  });

  test("of people are validated and never appear in a report", () => {
    const at = cell();
    assert.equal(cleanEmail("mailto:Prenom.Nom@Exemple.FR", at), "Prenom.Nom@exemple.fr");
    assert.equal(cleanEmail("prenom.nom chez exemple.fr", at), null);
    assert.equal(cleanEmail("<a@b.fr>", at), null);
    assert.equal(cleanUrl("prenom@exemple.fr", at), null);
    assert.doesNotMatch(JSON.stringify(at.notes.events), /prenom|exemple|a@b/);
  });
});

test("converts unambiguous telephone numbers to E.164, including overseas codes", () => {
  const table: [string, string | null][] = [
    ["01 71 05 77 92", "+33171057792"],
    ["0171057792", "+33171057792"],
    ["+33 (0)1.71.05.77.92", "+33171057792"],
    ["0033 1 71 05 77 92", "+33171057792"],
    ["171057792", "+33171057792"],
    ["0 594 30 89 31", "+594594308931"],
    ["02 62 55 64 10", "+262262556410"],
    ["0596 60 00 00", "+596596600000"],
    ["Tél. : 02 98 29 39 39", "+33298293939"],
    ["+32 2 123 45 67", "+3221234567"],
    ["33 1 23 45 67 89", "+33123456789"],
    ["33123456789", "+33123456789"],
    ["+33 262 55 64 10", "+262262556410"],
    ["02 98 29 39 39 (accueil)", "+33298293939"],
    ["0269 61 12 34", "+262269611234"],
    ["0800 12 34 56", "+33800123456"],
    ["0639 12 34 56", "+262639123456"],
    ["Accueil (mairie)", "Accueil (mairie)"],
    ["05 56 01 51 00/02", "05 56 01 51 00/02"],
    ["3615 MUSEE", "3615 MUSEE"],
    ["", null],
  ];
  for (const [raw, phone] of table) assert.equal(cleanPhone(raw, cell()), phone, raw);
});

test("resolves telephone numbers of shared overseas blocks by the item's département", () => {
  for (const [raw, departement, phone] of [
    ["0976 12 34 56", "971", "+590976123456"],
    ["0976 12 34 56", "973", "+594976123456"],
    ["0709 12 34 56", "972", "+596709123456"],
    ["0709 30 12 34", "973", "+594709301234"],
    ["02 62 55 64 10", "974", "+262262556410"],
    ["0269 61 12 34", "976", "+262269611234"],
    ["01 71 05 77 92", "974", "+33171057792"],
    ["0800 12 34 56", "971", "+33800123456"],
    ["02 98 29 39 39", "29", "+33298293939"],
  ] as const)
    assert.equal(cleanPhone(raw, cell(), departement), phone, `${raw} in ${departement}`);
});

test("parses a row's telephone number with its département", async () => {
  const { accepted } = await importAll({
    path: "a.csv",
    content: "id;nom;tel;insee\n1;Mairie;0976 12 34 56;97105\n2;Mairie;0976 12 34 56;97302\n",
    mapping: { id: "id", title: "nom", phone: "tel", commune: { from: "insee", by: "code" } },
  });
  assert.deepEqual(
    accepted.map(({ item }) => item.item.phone),
    ["+590976123456", "+594976123456"],
  );
});

test("a SIRET passes Luhn's check, or La Poste's own", () => {
  assert.ok(isSiret("73282932000074"));
  assert.ok(isSiret("35600000000048"), "La Poste's head office");
  assert.ok(isSiret("35600000049837"), "an establishment of La Poste that only its own rule accepts");
  assert.ok(
    !isSiret("73282932000075") && !isSiret("00000000000000") && !isSiret("7328293200007") && !isSiret("35600000049838"),
  );
});

test("formats dates as their field requires and drops dates that do not exist", () => {
  assert.equal(cleanDate("14/07/1789", cell()), "1789-07-14");
  assert.equal(cleanDate("1789-7", cell()), "1789-07");
  assert.equal(cleanDate("07/1789", cell()), "1789-07");
  assert.equal(cleanDate("2020-02-29T10:00:00Z", cell()), "2020-02-29");
  assert.equal(cleanDate("2021-02-29", cell()), null);
  assert.equal(cleanDate("13/13/2021", cell()), null);
  assert.equal(cleanTime("2021-03", cell()), "2021-03-01T00:00:00.000Z");
  assert.equal(cleanTime("29/02/2024 à 9h05", cell()), "2024-02-29T09:05:00.000Z");
  assert.equal(cleanTime("2024-02-29T23:30:00-05:00", cell()), "2024-03-01T04:30:00.000Z");
  assert.equal(cleanTime("2024-02-29T25:00", cell()), null);
});
