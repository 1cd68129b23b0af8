/** Sources that no test imports and no test is named after, the longest first. */
import { gateLine } from "../../gate-command/gate-words.ts";
import { cut } from "../finding.ts";
import { isWorthATest, readTests } from "../reading/tests.ts";
import { foundBy, type Check } from "./check.ts";

export const missingTest: Check = {
  name: "missing_test",
  async look({ tree, verifyCommand }) {
    const tests = await readTests(tree);
    const untested: { readonly path: string; readonly lines: number; readonly excerpt: string }[] = [];
    for (const path of tree.files.keys()) {
      if (!isWorthATest(path) || tests.areNamedAfter(path) || tests.areImporting(path)) continue;
      const text = (await tree.read(path)) ?? "";
      // A file that holds its own tests, as in Rust, needs no other.
      if (/#\[cfg\(test\)\]/.test(text)) continue;
      const lines = text.trimEnd().split("\n");
      if (lines.length > FEWEST_LINES)
        untested.push({ path, lines: lines.length, excerpt: cut(lines.find(Boolean) ?? "", 200) });
    }
    untested.sort((one, other) => other.lines - one.lines || (one.path < other.path ? -1 : 1));
    const proof = verifyCommand === null ? "" : ` \`${verifyCommand}\` runs it and succeeds.`;
    return foundBy(
      "missing_test",
      SCORE,
      untested.map(({ path, lines, excerpt }) => ({
        key: [path],
        title: cut(`${path} has no test`, 120),
        focus: `Write a test for ${path}, where the other tests of this repository are, or beside it. It imports that file itself and says what it should do, its edges too; the file stays as it is unless the test finds a fault.${proof}`,
        gate: gateLine("tested", path),
        category: "test" as const,
        rationale: `${lines} lines that no test imports, and no test is named after.`,
        effort: "m" as const,
        risk: "low" as const,
        evidence: [{ path, line: 1, excerpt }],
      })),
    );
  },
};

const SCORE = 0.6;
const FEWEST_LINES = 30;
