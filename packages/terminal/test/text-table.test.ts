/** The layout of tables on a terminal, and columns that are never truncated. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import stringWidth from "string-width";
import { clipStart, renderTable, wrapText } from "../src/index.ts";

const ID = "key_01m87hvh8nd1gaevcya9f6nq7w";

describe("a text table", () => {
  test("truncates a name before an ID", () => {
    const table = { heads: ["id", "name"], rows: [[ID, "Office de tourisme de la ville"]], shrink: ["name"] };
    const [, line] = renderTable(table, 50).split("\n");
    assert.equal(line, `${ID}  Office de tourism…`);
  });

  test("exceeds the terminal width rather than truncate an ID", () => {
    const table = { heads: ["id", "name"], rows: [[ID, "Office de tourisme"]], shrink: ["name"] };
    for (const width of [1, 20, 30]) assert.match(renderTable(table, width), new RegExp(`^${ID}  Office …$`, "m"));
  });

  test("does not truncate if no column may shrink", () => {
    assert.ok(renderTable({ heads: ["id"], rows: [[ID]] }, 10).endsWith(ID));
  });

  test("aligns combining accents, wide letters and emoji by their display width", () => {
    const names = ["Musée", "Muse\u0301e", "博物館", "🏛️ musée", "👨‍👩‍👧"];
    const lines = renderTable({ heads: ["name", "state"], rows: names.map((name) => [name, "valid"]) }, 80).split("\n");
    const columns = lines.slice(1).map((line) => stringWidth(line.slice(0, line.indexOf("valid"))));
    assert.deepEqual(new Set(columns), new Set([10]));
  });

  test("truncates between characters, never inside one", () => {
    const table = { heads: ["name"], rows: [["e\u0301".repeat(20)]], shrink: ["name"] };
    assert.equal(renderTable(table, 9).split("\n")[1], `${"e\u0301".repeat(8)}…`);
  });

  test("right-aligns numbers", () => {
    assert.equal(
      renderTable(
        {
          heads: ["n", "x"],
          rows: [
            [5, "a"],
            [12, "b"],
          ],
        },
        80,
      ),
      " n  x\n 5  a\n12  b",
    );
  });
});

test("keeps the end of a path, and truncates between characters", () => {
  assert.equal(clipStart("données/博物館.csv", 9), "…物館.csv");
  assert.equal(clipStart("a.csv", 9), "a.csv");
});

test("wraps text at spaces, and splits longer words by display width", () => {
  assert.deepEqual(wrapText("git 2.39 is installed", 10), ["git 2.39", "is", "installed"]);
  assert.deepEqual(wrapText("博物館博物館 ok", 5), ["博物", "館博", "物館", "ok"]);
});
