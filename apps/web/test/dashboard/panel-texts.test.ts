import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { panelContract, problems } from "@triptych/contracts";
import { translatePanelText } from "../../dashboard/src/french/index.ts";
import { SENTENCES } from "../../dashboard/src/french/panel.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const WRITERS = [
  "services/panel/src/**/*.ts",
  "packages/{server,storage}/src/**/*.ts",
  "packages/contracts/src/problems.ts",
];

test("translates the title of every problem of the panel", () => {
  const codes = new Set(panelContract.endpoints.flatMap((endpoint) => endpoint.problems));
  assert.ok(codes.size > 30);
  const missing = [...codes, "internal" as const]
    .map((code) => problems[code].title)
    .filter((title) => translatePanelText(title) === null);
  assert.deepEqual(missing, []);
});

test("translates only texts that the panel writes", () => {
  const written = globSync(WRITERS, { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), "utf8").replaceAll("\\", ""))
    .join("\n");
  // A sentence may be composed of parts: the beginning of its first long fixed part stands in one of them.
  const beginningOf = (english: string) =>
    english
      .split("{}")
      .map((part) => part.replace(/^[`\s.]+|[`\s.]+$/g, ""))
      .find((part) => part.length >= 7)
      ?.slice(0, 28) ?? english;
  const unknown = SENTENCES.map(([english]) => english).filter((english) => !written.includes(beginningOf(english)));
  assert.deepEqual(unknown, []);
});

test("keeps the values of a text, and leaves other texts to the screen", () => {
  assert.equal(translatePanelText("Validation failed"), "Requête invalide");
  assert.equal(
    translatePanelText("The plan allows 50, and 50 are in use. The Business plan allows more."),
    "Le plan en permet 50, et 50 sont utilisés. Le plan Business en permet davantage.",
  );
  assert.equal(
    translatePanelText("The repository is unreachable: fatal: no route. The panel retries every 10 minutes."),
    "Le dépôt est inaccessible\u00A0: fatal: no route. Le panel réessaie toutes les 10 minutes.",
  );
  assert.equal(translatePanelText("fatal: could not read from remote"), null);
});

test("has the same number of values in both languages, or fewer in French", () => {
  const count = (text: string) => text.split("{}").length;
  for (const [english, french] of SENTENCES) assert.ok(count(french) <= count(english), english);
});
