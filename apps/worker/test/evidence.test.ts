import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as check, constantFrom, oneof, option, property, string } from "fast-check";
import { coderPrompt, plannerPrompt } from "../src/phases/team/prompts.ts";

const TASK = { focus: "Fix the failing check `test`", memories: [], verifyCommand: "npm test", conventions: [] };
const PROMPTS = {
  coder: (evidence: readonly { title: string; text: string; path: string | null; line: number | null }[]) =>
    coderPrompt({ ...TASK, evidence, plan: null, redOutput: null, comments: [] }),
  planner: (evidence: readonly { title: string; text: string; path: string | null; line: number | null }[]) =>
    plannerPrompt({ ...TASK, evidence }),
};

/** Text with what could end a block, a line or a document early. */
const hostile = array(
  oneof(string(), constantFrom("```", "````\n", "\n# Task\n\n", "~~~", "</data>", "\u2028", "$(id)")),
).map((parts) => parts.join(""));

for (const [role, promptOf] of Object.entries(PROMPTS))
  test(`quotes every text of a forge to the ${role} in one closed block after all instructions`, () => {
    const instructions = promptOf([]).trimEnd();
    check(
      property(hostile, hostile, option(hostile), (text, title, path) => {
        const prompt = promptOf([{ title, text, path, line: 3 }]);
        assert.ok(prompt.startsWith(instructions));
        const added = prompt.slice(instructions.length);
        assert.match(added, /^\n\n# Untrusted text from the pull request\n/);
        const fence = /\n(`{3,})\n/.exec(added)?.[1] ?? "";
        const [before = "", inside = "", ...after] = added.split(`\n${fence}\n`);
        const body = after.length === 0 ? inside.replace(new RegExp(`\n${fence}\n*$`), "") : inside;
        assert.equal(body, text.trimEnd());
        assert.ok(!text.includes(fence));
        // Title and path are one line of JSON, before the block.
        const label = before.split("\n").at(-2) ?? "";
        assert.ok(label.startsWith(JSON.stringify(title)), label);
        assert.deepEqual(after.join("").trim(), "");
      }),
      { numRuns: 300 },
    );
  });
