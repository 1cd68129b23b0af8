import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadPageAssets, withoutComments } from "@triptych/server";
import { mapPage } from "../../src/pages/map-page.ts";
import { pageAssets } from "../../src/pages/page-assets.ts";
import { SERVED_MESSAGES, chooseLanguage, createTranslator } from "../../src/pages/browser/i18n.js";

const assets = pageAssets().map((asset) => ({ ...asset, text: readFileSync(asset.file, "utf8") }));
const scripts = assets.filter((asset) => asset.path.endsWith(".js"));

test("every file of the pages is served, and every served file exists", () => {
  const files = readdirSync(new URL("../../src/pages/browser/", import.meta.url)).filter((name) =>
    /\.(js|css)$/.test(name),
  );
  assert.deepEqual(new Set(assets.map((asset) => asset.file.pathname.split("/").at(-1))), new Set(files));
});

test("every import of a script finds a served file beside it", () => {
  for (const { path, text } of scripts) {
    for (const [, specifier = ""] of text.matchAll(/^(?:import|\} from) .*?"(\.[^"]+)";$/gm)) {
      const address = join(dirname(path), specifier);
      assert.ok(
        assets.some((asset) => asset.path === address),
        `${path} imports ${address}`,
      );
    }
  }
});

test("no asset refers to another origin, sets markup from text, or evaluates text", () => {
  for (const { path, text } of assets) {
    assert.doesNotMatch(
      text,
      /https?:\/\/|@import|\burl\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      path,
    );
  }
});

test("the map page has no inline script or style, and no input that a form could put into a URL", () => {
  const page = mapPage();
  assert.doesNotMatch(page, /<style|style="|\son[a-z]+="|<script(?![^>]*src=)/);
  assert.doesNotMatch(page, /<(input|select)[^>]*\sname=/);
});

test("every text of the map page is used and translated", () => {
  const used = `${mapPage()}${scripts
    .filter((asset) => !asset.path.endsWith("i18n.js"))
    .map((asset) => asset.text)
    .join("\n")}`;
  const [french, english] = [createTranslator("fr"), createTranslator("en")];
  for (const key of Object.keys(SERVED_MESSAGES) as (keyof typeof SERVED_MESSAGES)[]) {
    assert.match(used, new RegExp(`"${key}"`), key);
    const blanks = (text: string) =>
      [...text.matchAll(/\{\w+\}/g)].map(String).toSorted((one, other) => (one < other ? -1 : 1));
    assert.deepEqual(blanks(french.say(key, {})), blanks(english.say(key, {})), key);
  }
});

test("selects the requested language, else French for French browsers, else English", () => {
  assert.equal(chooseLanguage("en", ["fr-FR"]), "en");
  assert.equal(chooseLanguage(null, ["en-GB", "fr-CA"]), "fr");
  assert.equal(chooseLanguage("de", ["de-DE"]), "en");
  assert.equal(createTranslator("fr").say("total", { count: 12_345 }).replaceAll(/\s/g, " "), "12 345 résultats");
  assert.equal(createTranslator("en").say("total", { count: 12_345 }), "12,345 results");
});

test("removes comments and nothing else", () => {
  const script = `/** What it is. */
import { a } from "./a.js";

/** @param {string} x */
export function f(/** @type {string} */ x) {
  // why
  return "https://example.test//x" + x; // kept: it does not stand alone
}
`;
  assert.equal(
    withoutComments(script),
    `import { a } from "./a.js";

export function f(x) {
  return "https://example.test//x" + x; // kept: it does not stand alone
}
`,
  );
});

test("the scripts of the map take at most 40 KiB on the wire", async () => {
  const loaded = (await loadPageAssets(pageAssets())).filter((asset) => asset.path.endsWith(".js"));
  const weight = loaded.reduce((sum, { body }) => sum + gzipSync(body).length, 0) / 1024;
  assert.ok(weight <= 40, `${weight} KiB`);
});
