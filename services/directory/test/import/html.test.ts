/** Uses a second HTML parser, parse5, as reference: imported texts contain no markup, alone or inside a page. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseFragment, type DefaultTreeAdapterTypes } from "parse5";
import { notesOf } from "../../src/domain/import/rules.ts";
import { cleanLine, cleanText, type Cell } from "../../src/domain/import/text.ts";
import { importAll } from "./support.ts";
import { seeded } from "../support/random.ts";

const cell = (): Cell => ({ column: "c", notes: notesOf(1) });
const DOCUMENTS = process.env["TEST_LONG"] === undefined ? 1_000 : 40_000;

/** Names of non-text nodes. */
function markupIn(html: string): string[] {
  const names: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.ChildNode): void => {
    if (node.nodeName !== "#text") names.push(node.nodeName);
    if ("childNodes" in node) for (const child of node.childNodes) visit(child);
  };
  for (const child of parseFragment(html).childNodes) visit(child);
  return names;
}

function assertInert(text: string, source: string): void {
  assert.deepEqual(markupIn(text), [], `${JSON.stringify(source)} became ${JSON.stringify(text)}`);
  assert.deepEqual(markupIn(`<h1>${text}</h1>`), ["h1"], `${JSON.stringify(source)} in a heading`);
  assert.deepEqual(markupIn(`<p>${text}<em>x</em></p>`), ["p", "em"], `${JSON.stringify(source)} before a tag`);
}

describe("imported HTML", () => {
  for (const payload of [
    "Musée <a_b autofocus tabindex=1 onfocus=alert(1)>de l'école",
    "<x. onclick=alert(1)>a",
    "<x! onclick=alert(1)>a",
    "<a:b:c onclick=alert(1)>a",
    '<x"y onclick=alert(1)>a',
    "<b@c onclick=alert(1)>a",
    "<b@c>a",
    "<img src=x onerror=alert(1) ",
    "<img src=x onerror=alert(1)//",
    "<svg/onload=alert(1)>a",
    "<im<b>g src=x onerror=alert(1)>a",
    "<scr<script>x</script>ipt>alert(1)</scr</script>ipt>",
    "&lt;img src=x onerror=alert(1)&gt;",
    "&amp;lt;img src=x onerror=alert(1)&amp;gt;",
    "&amp;amp;amp;lt;img src=x onerror=alert(1)&amp;amp;amp;gt;",
    `${"&amp;".repeat(12)}lt;img src=x onerror=alert(1)&gt;`.replaceAll("&amp;&", "&amp;amp;"),
    "&#60;img src=x onerror=alert(1)&#x3e;",
    "&lt&shy;img src=x onerror=alert(1)&gt",
    "<&#x0;img src=x onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!-- <img src=x onerror=alert(1)>",
    "<!DOCTYPE html><?xml version='1.0'?>",
    "</h1><img src=x onerror=alert(1)>",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<<img src=x onerror=alert(1)>>",
    "<textarea></textarea><title><img src=x onerror=alert(1)></title>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=x onerror=alert(1)>'>",
    "<me@example.org><img src=x onerror=alert(1)>",
    "<a@b<img src=x onerror=alert(1)>",
  ])
    test(`contains no markup: ${payload.slice(0, 50)}`, () => {
      assertInert(cleanLine(payload, cell()), payload);
      assertInert(cleanText(payload, cell()), payload);
    });

  for (const [source, text] of [
    ["a < b", "a < b"],
    ["5 <6", "5 <6"],
    ["« <3 »", "« <3 »"],
    ["l'école & co", "l'école & co"],
    ["L’Haÿ-les-Roses, Œuvre d’été à Nîmes", "L’Haÿ-les-Roses, Œuvre d’été à Nîmes"],
    ["R&D, AT&T & fils", "R&D, AT&T & fils"],
    ["caf&eacute; et th&eacute", "café et thé"],
    ["a &notin; b &check; &lbrace;", "a ∉ b ✓ {"],
    ["voir https://exemple.fr/?a=1&copy=2&amp;b=3", "voir https://exemple.fr/?a=1&copy=2&b=3"],
    ["moi <me@example.org>", "moi me@example.org"],
    ["<https://exemple.fr/>", "https://exemple.fr/"],
    ["pression <b", "pression b"],
    ["&lt;b&gt;gras&lt;/b&gt;", "gras"],
    ["&amp;lt;b&amp;gt;gras&amp;lt;/b&amp;gt;", "gras"],
    ["un<br>deux<script>alert(1)</script>", "un deux"],
  ] as const)
    test(`keeps its text: ${source}`, () => {
      assert.equal(cleanLine(source, cell()), text);
      assert.equal(cleanLine(text, cell()), text);
    });

  test("contains no markup in any field of an item, keys of extra included", async () => {
    const tag = "<img src=x onerror=alert(1)>";
    const columns = ["id", "nom", "tel", "horaires", "theme", `${tag}annee`];
    const mapping = { id: "id", title: "nom", phone: "tel", opening_hours: "horaires", tags: { from: "theme" } };
    const { accepted, labels } = await importAll({
      path: "places.csv",
      content: `${columns.join(";")}\n1;${Array.from({ length: 5 }, (_, index) => `${tag}v${index}`).join(";")}\n`,
      mapping: { ...mapping, extra: [`${tag}annee`] },
    });
    const { item } = accepted[0].item;
    assertInert(JSON.stringify({ item, labels }), tag);
    assert.deepEqual(item.extra, { annee: "v4" });
  });

  test("reports the result of a payload", () => {
    const one = cell();
    cleanLine("Musée <a_b autofocus onfocus=alert(1)>de l'école", one);
    assert.deepEqual(
      one.notes.events.map((event) => [event.rule, event.result]),
      [["html_stripped", "Musée de l'école"]],
    );
  });

  test(`contains no markup for parse5, in ${DOCUMENTS} generated documents`, () => {
    const random = seeded(27);
    const name = (): string =>
      random.chance(0.7)
        ? random.pick(NAMES)
        : Array.from({ length: 1 + random.below(4) }, () => random.pick(NAME_SIGNS)).join("");
    const attribute = (): string =>
      `${random.pick(SPACES)}${name()}${random.pick(["", "=", " = "])}${random.pick(VALUES)}`;
    const piece = (): string => {
      const kind = random.below(10);
      if (kind < 5) return `<${random.pick(["", "", "/", "!", "?"])}${name()}${attribute()}${random.pick(ENDS)}`;
      if (kind < 7) return random.pick(SIGNS);
      return random.pick(TEXTS);
    };
    const escaped = (html: string): string =>
      html.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt");
    for (let index = 0; index < DOCUMENTS; index++) {
      let html = Array.from({ length: 1 + random.below(8) }, piece).join("");
      for (let times = random.below(3); times > 0; times--) html = escaped(html);
      if (random.chance(0.3)) html += piece();
      assertInert(cleanLine(html, cell()), html);
      assertInert(cleanText(html, cell()), html);
    }
  });
});

const NAMES =
  "a b p br img svg math style script title textarea plaintext template table td select option iframe noscript form a_b o:p h1 x- b@c CDATA[".split(
    " ",
  );
const NAME_SIGNS = "abzAZ09-_.:!?@\"'`=&;<\u0000\u00AD\u200Bé[]".split("");
const SPACES = [" ", "\n", "\t", "/", "\f", "\u00A0", ""];
const VALUES = ["", "x", "'>'", '"<b>"', "'<!--", '"', "'", "alert(1)", "&lt;i&gt;", "-->", "1<2"];
const ENDS = [">", ">", ">", "/>", "", " ", "<", "-->", "]]>", "--!>", "?>"];
const SIGNS = [
  "<",
  ">",
  "<<",
  "&lt",
  "&lt;",
  "&#60",
  "&#x3c;",
  "&amp;lt;",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "</",
  "<!",
  "<?",
  "&",
  "&#",
  '"',
];
const TEXTS = [
  "musée",
  "a < b",
  "5 <6",
  "<3",
  "me@example.org",
  "<me@example.org>",
  "l'école & co",
  "caf&eacute",
  "\u00AD",
  "\n",
  "\u200B",
];
