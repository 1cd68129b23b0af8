import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { builtWebSite } from "../build/sites.ts";
import { chooseLanguage, createTranslator, ENGLISH, FRENCH } from "../map/src/i18n.ts";

const MAP = new URL("../map/", import.meta.url);
const SOURCES = new URL("src/", MAP);
const page = readFileSync(new URL("index.html", MAP), "utf8");
const scripts = readdirSync(SOURCES)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(new URL(name, SOURCES), "utf8") }));

test("builds once, within 300 KiB with MapLibre and its worker, compressed, without inline or external resources", async () => {
  const folder = await builtWebSite("map");
  assert.equal(await builtWebSite("map"), folder);
  const shell = await readFile(join(folder, "index.html"), "utf8");
  assert.doesNotMatch(shell, /<script>|<style|style="|https?:|\son\w+=/);
  assert.match(shell, /<script type="module"[^>]* src="\/carte\/key\.js"/);
  const names = await readdir(join(folder, "assets"));
  assert.ok(
    names.every((name) => /-[\w-]{8}\.(js|css)(\.br|\.gz)?$/.test(name)),
    names.join(" "),
  );
  const gzip = await Promise.all(
    names.filter((name) => name.endsWith(".gz")).map((name) => readFile(join(folder, "assets", name))),
  );
  const kib = gzip.reduce((sum, body) => sum + body.length, 0) / 1024;
  assert.ok(kib > 200 && kib <= 300, `${kib} KiB`);
});

test("no script of the map refers to another origin, sets markup from text, or evaluates text", () => {
  for (const { name, text } of scripts) {
    const code = text.replaceAll("http://www.w3.org/2000/svg", "");
    assert.doesNotMatch(
      code,
      /https?:\/\/|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      name,
    );
  }
});

test("the map page has no input that a form could put into a URL", () => {
  assert.doesNotMatch(page, /<(input|select)[^>]*\sname=/);
});

test("the served page already has the French text of each element that a script fills", () => {
  const french: Readonly<Record<string, string>> = FRENCH;
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  for (const [, key = "", text] of page.matchAll(/data-word="(\w+)">([^<]+)</g))
    assert.equal(text, escaped(french[key] ?? text), key);
});

test("every text of the map page is used and exists in both languages", () => {
  const scripted = scripts.filter(({ name }) => name !== "i18n.ts").map(({ text }) => text);
  const served = [...page.matchAll(/data-word(?:-[a-z-]+)?="(\w+)"/g)].map(([, key = ""]) => key);
  for (const key of Object.keys(FRENCH))
    assert.match(scripted.join("\n"), new RegExp(`"${key}"|ENGLISH\\.${key}\\b`), key);
  const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted();
  const english: Readonly<Record<string, string>> = ENGLISH;
  for (const [key, text] of Object.entries(FRENCH)) assert.deepEqual(blanks(text), blanks(english[key] ?? ""), key);
  assert.deepEqual(new Set([...Object.keys(FRENCH), ...served]), new Set(Object.keys(ENGLISH)));
});

test("selects the requested language, else French for French browsers, else English", () => {
  assert.equal(chooseLanguage("en", ["fr-FR"]), "en");
  assert.equal(chooseLanguage(null, ["en-GB", "fr-CA"]), "fr");
  assert.equal(chooseLanguage("de", ["de-DE"]), "en");
  assert.equal(createTranslator("fr").say("total", { count: 12_345 }).replaceAll(/\s/g, " "), "12 345 résultats");
  assert.equal(createTranslator("en").say("total", { count: 12_345 }), "12,345 results");
});
