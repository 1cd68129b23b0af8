import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { normaliseText } from "../src/text/readable.ts";
import { dataFolder, hashOfText, readDataLock, type LockedFile } from "../training/data-folder.ts";
import { isHeldOut, readPhrasings } from "../training/phrasings.ts";
import { writeRows } from "./support/small-data.ts";

const folder = mkdtempSync(join(tmpdir(), "training-data-"));
after(() => rmSync(folder, { recursive: true }));

const TEXT = { texts: ["text"] } as const;

function locked(file: string, content: string, uses: LockedFile["uses"]): readonly [string, LockedFile] {
  writeFileSync(join(folder, file), content);
  return [file, { sha256: createHash("sha256").update(content).digest("hex"), licence: "CC0 1.0", uses }];
}

const lock = Object.fromEntries([
  locked("HELDOUT.sha256", `${hashOfText("A held-back text.")}\n`, ["evaluation"]),
  locked("a.jsonl", '{"text":"one"}\n{"text":"a HELD back  text"}\n{"text":"two"}\n', ["trunk"]),
  locked("b.jsonl", '{"text":"one"}\n{"label":"no text"}\n', ["trunk"]),
  locked("c.jsonl", '{"text":"three","label":"a_held_back_text"}\n', ["trunk"]),
]);
const data = dataFolder(`${folder}/`, lock);

test("skips and counts a row with a held-back text in any spelling", () => {
  assert.deepEqual(data.rows("a.jsonl", "trunk", TEXT), [{ text: "one" }, { text: "two" }]);
  assert.equal(data.dropped.get("a.jsonl"), 1);
});

test("skips a row that is only in the second list of held-back texts", () => {
  const second = locked("HELDOUT-2.sha256", `${hashOfText("Two!")}\n`, ["evaluation"]);
  const both = dataFolder(`${folder}/`, { ...lock, ...Object.fromEntries([second]) });
  assert.deepEqual(both.rows("a.jsonl", "trunk", TEXT), [{ text: "one" }]);
});

test("a label that equals a held-back text is allowed", () => {
  const labelled = { texts: ["text"], labels: ["label"] } as const;
  assert.equal(data.rows("c.jsonl", "trunk", labelled).length, 1);
});

test("rejects a file that is not locked, locked for another use, or modified", () => {
  writeFileSync(join(folder, "atis.jsonl"), '{"text":"flights from boston"}\n');
  assert.throws(() => data.rows("atis.jsonl", "trunk", TEXT), /not listed in data\.lock\.json/);
  assert.throws(() => data.rows("a.jsonl", "experts", TEXT), /cannot be used for experts/);
  const changed = { ...lock, "a.jsonl": { ...lock["a.jsonl"], sha256: "0".repeat(64) } };
  assert.throws(
    () => dataFolder(`${folder}/`, changed).rows("a.jsonl", "trunk", TEXT),
    /does not match data\.lock\.json/,
  );
});

test("the trainer rejects planted ATIS and HINT3 files, which are never locked", () => {
  const planted = join(folder, "planted");
  for (const set of ["ATIS", "HINT3", "HINT3/curekart"])
    writeRows(planted, `intents/${set}/train.jsonl`, [{ text: "flights from boston", label: "flight" }]);
  const lockFile = readDataLock();
  const heldOut = {
    sha256: writeRows(planted, "HELDOUT.sha256", []),
    licence: "CC0 1.0",
    uses: ["evaluation"] as const,
  };
  const real = dataFolder(`${planted}/`, {
    ...lockFile,
    "HELDOUT.sha256": heldOut,
    "HELDOUT-2.sha256": { ...heldOut, sha256: writeRows(planted, "HELDOUT-2.sha256", []) },
  });
  for (const use of ["trunk", "experts", "options", "signals", "evaluation"] as const)
    for (const set of ["ATIS", "HINT3", "HINT3/curekart"])
      assert.throws(
        () => real.rows(`intents/${set}/train.jsonl`, use, TEXT),
        /is not listed in data\.lock\.json and cannot be/,
      );
  assert.deepEqual(
    Object.keys(lockFile).filter((file) => /atis|hint3|sgd/i.test(file)),
    [],
  );
});

test("the trainer stops at a folder that differs from the lock, and writes nothing", async () => {
  const planted = join(folder, "slipped");
  writeRows(planted, "HELDOUT.sha256", []);
  writeRows(planted, "intents/BANKING77/train.jsonl", [{ text: "flights from boston", label: "flight" }]);
  const trainer = fileURLToPath(new URL("../training/train-trunk.ts", import.meta.url));
  const out = join(folder, "never.tptk");
  const child = spawn(process.execPath, [trainer, "--out", out], {
    env: { ...process.env, TRIPTYCH_ROUTING_DATA: planted },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = await once(child, "close");
  assert.equal(code, 1);
  assert.match(stderr, /HELDOUT\.sha256 does not match data\.lock\.json/);
  assert.ok(!existsSync(out));
});

test("reports a row without a required member by its line", () => {
  assert.throws(() => data.rows("b.jsonl", "trunk", TEXT), /b\.jsonl, line 2/);
});

for (const expert of ["tools", "helpdesk"] as const)
  test(`${expert} has at least 60 phrasings per route and language, none in two routes, a fifth held back by template`, () => {
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
      const share = [...templates.values()].filter(([first]) => isHeldOut(first)).length / templates.size;
      assert.ok(share > 0.15 && share < 0.25, String(share));
      assert.ok(texts.every(({ text }) => !/[{}]/.test(text)));
    }
  });
