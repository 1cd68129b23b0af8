/** Screens use the words of GitHub and Stripe, without the words that confused testers. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const SOURCES = join(import.meta.dirname, "../../dashboard/src");
/** The form that adds a repository has its own tests. */
const LEFT_OUT = new Set(["screens/new-repo.tsx"]);
const REPLACED = [
  "handed out",
  "by hand",
  "by itself",
  "Needs you",
  "Under way",
  "Last results",
  "went well",
  "went wrong",
  "nothing to do",
  "to choose",
  "to accept",
  "not reached",
  "Command that",
  "Longest check",
  "can be mended",
  "Mend the",
  "cap on tokens",
  "Default pair",
  "beside the panel",
  "Forget",
  "Drain",
  "one more",
  "Keep it",
  "Keep the present",
  "typed yet",
  "Nothing was heard",
  "made a mistake",
  "however often",
  "leads nowhere",
  "stands in",
  "Colours",
  "icence",
  "--token:",
];

test("shows no replaced word on any screen", () => {
  const found = globSync("**/*.{ts,tsx}", { cwd: SOURCES })
    .filter((path) => !LEFT_OUT.has(path) && !path.startsWith("french/"))
    .flatMap((path) => {
      const text = withoutComments(readFileSync(join(SOURCES, path), "utf8"));
      return REPLACED.filter((term) => text.includes(term)).map((term) => `${path}: ${term}`);
    });
  assert.deepEqual(found, []);
});

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}
