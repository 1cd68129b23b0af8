import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { normaliseText } from "../src/text/normalise.ts";
import { dataFolder, hashOfText, type LockedFile } from "../training/data-folder.ts";
import { isHeldBack, readPhrasings } from "../training/phrasings.ts";

const folder = mkdtempSync(join(tmpdir(), "training-data-"));
after(() => rmSync(folder, { recursive: true }));

const TEXT = { texts: ["text"] } as const;

function put(file: string, content: string, uses: LockedFile["uses"]): readonly [string, LockedFile] {
  writeFileSync(join(folder, file), content);
  return [file, { sha256: createHash("sha256").update(content).digest("hex"), licence: "CC0 1.0", uses }];
}

const lock = Object.fromEntries([
  put("HELDOUT.sha256", `${hashOfText("A held-back text.")}\n`, ["evaluation"]),
  put("a.jsonl", '{"text":"one"}\n{"text":"a HELD back  text"}\n{"text":"two"}\n', ["trunk"]),
  put("b.jsonl", '{"text":"one"}\n{"label":"no text"}\n', ["trunk"]),
  put("c.jsonl", '{"text":"three","label":"a_held_back_text"}\n', ["trunk"]),
]);
const data = dataFolder(`${folder}/`, lock);

test("a row whose text is held back is left out and counted, however it is written", () => {
  assert.deepEqual(data.rows("a.jsonl", "trunk", TEXT), [{ text: "one" }, { text: "two" }]);
  assert.equal(data.dropped.get("a.jsonl"), 1);
});

test("a label that reads like a held-back text is none", () => {
  const labelled = { texts: ["text"], labels: ["label"] } as const;
  assert.equal(data.rows("c.jsonl", "trunk", labelled).length, 1);
});

test("a file that is not locked, is locked for something else, or has changed is refused", () => {
  writeFileSync(join(folder, "atis.jsonl"), '{"text":"flights from boston"}\n');
  assert.throws(() => data.rows("atis.jsonl", "trunk", TEXT), /not in data\.lock\.json/);
  assert.throws(() => data.rows("a.jsonl", "experts", TEXT), /may not be used for experts/);
  const changed = { ...lock, "a.jsonl": { ...lock["a.jsonl"], sha256: "0".repeat(64) } };
  assert.throws(() => dataFolder(`${folder}/`, changed).rows("a.jsonl", "trunk", TEXT), /is not the file/);
});

test("a row without the member that is asked for is named by its line", () => {
  assert.throws(() => data.rows("b.jsonl", "trunk", TEXT), /b\.jsonl, line 2/);
});

for (const expert of ["tools", "helpdesk"] as const)
  test(`the phrasings of ${expert} are at least 60 a route and language, none in two routes, a fifth held back by template`, () => {
    for (const language of ["en", "fr"] as const) {
      const texts = readPhrasings(expert, language);
      const templates = Map.groupBy(texts, ({ template }) => template);
      const ofRoute = Map.groupBy(
        [...templates.values()].map(([first]) => first),
        ({ route }) => route,
      );
      assert.equal(ofRoute.size, expert === "tools" ? 16 : 14);
      for (const [route, members] of ofRoute) assert.ok(members.length >= 60, `${route}: ${members.length}`);
      const routesOf = Map.groupBy(texts, ({ template }) => normaliseText(template.slice(3)));
      for (const [template, members] of routesOf)
        assert.equal(new Set(members.map(({ route }) => route)).size, 1, template);
      const held = [...templates.values()].filter(([first]) => isHeldBack(first)).length / templates.size;
      assert.ok(held > 0.15 && held < 0.25, String(held));
      assert.ok(texts.every(({ text }) => !/[{}]/.test(text)));
    }
  });
