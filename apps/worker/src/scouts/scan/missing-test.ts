/** Sources that no test reaches and no test is named after, longest first. */
import { gateLine } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
import { requiredAssertions } from "../reading/coverage.ts";
import { readJsModule } from "../reading/js-module.ts";
import { readPythonModule } from "../reading/python-module.ts";
import { findUntested, isGenerated } from "../reading/tests.ts";
import type { Tree } from "../reading/tree.ts";
import { missingMessage } from "../../process/missing-tool.ts";
import { foundBy, FINDINGS_PER_CHECK_MAX, NO_COMMAND, type Check, type ScanContext, type RawFinding } from "./check.ts";

interface Untested {
  readonly path: string;
  readonly lines: number;
  readonly excerpt: string;
}

export const missingTest: Check = {
  name: "missing_test",
  async run(scanContext) {
    const { tree, verifyCommand } = scanContext;
    const untested = await longSources(tree, await findUntested(tree));
    const rawFindings: RawFinding[] = [];
    let examined = 0;
    for (const source of untested) {
      if (rawFindings.length === FINDINGS_PER_CHECK_MAX) break;
      examined++;
      const exported = exportedBy(source.path, (await tree.read(source.path)) ?? "");
      if (exported !== null) rawFindings.push(toRawFinding(source, exported, verifyCommand));
    }
    if (rawFindings.length > 0) await requireTests(scanContext);
    const left = untested.length - examined;
    return foundBy("missing_test", SCORE, rawFindings, left === 0 ? [] : [`${left} more sources were not examined`]);
  },
};

/** Throws if new tests could not run, because their result would be unknown. */
async function requireTests({ verifyCommand, verifyTwice }: ScanContext): Promise<void> {
  if (verifyCommand === null) throw new Error(NO_COMMAND);
  const broken = (await verifyTwice()).find(({ missing }) => missing !== null);
  if (broken?.missing != null) throw new Error(missingMessage("verify command", broken.missing, broken.exitCode));
}

const SCORE = 0.6;
const LINES_MIN = 30;

async function longSources(tree: Tree, paths: readonly string[]): Promise<readonly Untested[]> {
  const found: Untested[] = [];
  for (const path of paths) {
    const text = (await tree.read(path)) ?? "";
    const lines = text.trimEnd().split("\n");
    // A file with inline tests, as in Rust and vitest, needs no other.
    if (lines.length <= LINES_MIN || /#\[cfg\(test\)\]|import\.meta\.vitest/.test(text) || isGenerated(text)) continue;
    found.push({ path, lines: lines.length, excerpt: truncate(lines.find(Boolean) ?? "", 200) });
  }
  return found.toSorted((one, other) => other.lines - one.lines || (one.path < other.path ? -1 : 1));
}

/** Null if there is nothing to assert: only types, only re-exports, a program, or an unparseable file. */
function exportedBy(path: string, text: string): readonly string[] | null {
  if (path.endsWith(".py")) {
    const { own } = readPythonModule(text);
    return own.size === 0 ? null : [...own];
  }
  if (!/\.[cm]?[jt]sx?$/.test(path)) return [];
  const module = readJsModule(path, text);
  return module === null || !module.hasCode || module.own.size === 0 ? null : [...module.own];
}

function toRawFinding(
  { path, lines, excerpt }: Untested,
  exported: readonly string[],
  verify: ScanContext["verifyCommand"],
): RawFinding {
  const fewest = requiredAssertions(exported);
  const names = exported.slice(0, 20).join(", ") + (exported.length > 20 ? ", …" : "");
  const requirement =
    exported.length === 0
      ? ""
      : ` Assertions use at least ${fewest} of the ${exported.length} names that it exports (${names}).`;
  return {
    key: [path],
    title: titleOf(`Add tests for ${path}`, "Add tests for a source that has none"),
    focus: truncate(
      `Write tests for ${path}, in the test folder of this repository, or next to the source. The tests import it, directly or through the file that re-exports it, and assert its behavior, including edge cases.${requirement} Change ${path} only where a test reveals a bug.${verify === null ? "" : ` \`${verify}\` runs the tests and succeeds.`}`,
      4_000,
    ),
    gate: gateLine("tested", path),
    category: "test",
    rationale: `${lines} lines without a test that imports them or is named after them.`,
    effort: "m",
    risk: "low",
    evidence: [{ path, line: 1, excerpt }],
  };
}
