/** The repository's verify command fails at the base. */
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
import { missingMessage } from "../../process/missing-tool.ts";
import { isTest } from "../reading/tests.ts";
import { foundBy, NO_COMMAND, type Check } from "./check.ts";

export const verifyRed: Check = {
  name: "verify_red",
  async run(scanContext) {
    const { verifyCommand: command, verifyTimeoutS: gateTimeoutS, tree } = scanContext;
    if (command === null) throw new Error(NO_COMMAND);
    const runs = await scanContext.verifyTwice();
    // A command that fails once and passes once is flaky, and not a gate.
    if (runs.some(({ exitCode }) => exitCode === 0)) return foundBy("verify_red", SCORE, []);
    const broken = runs.find(({ missing }) => missing !== null);
    if (broken?.missing != null) throw new Error(missingMessage("verify command", broken.missing, broken.exitCode));
    // A limit or a signal ended it: its result is unknown.
    if (runs.some(({ exitCode }) => exitCode === null))
      return foundBy("verify_red", SCORE, [], [`${command} timed out after ${gateTimeoutS} s`]);
    const output = runs[0]?.output ?? "";
    const tests = [...tree.files.keys()].filter(isTest);
    return foundBy("verify_red", SCORE, [
      {
        key: [command],
        title: titleOf(`Make \`${command}\` pass`, "Make the test command pass"),
        // Leaves out the output, because times and folders in it vary.
        focus: truncate(
          `Make \`${command}\` succeed: run it and fix the sources. Do not change existing tests.`,
          4_000,
        ),
        gate: command,
        gateTimeoutS,
        // Freezes the tests, or their usual folders if there are too many to list.
        frozenPaths: tests.length <= FROZEN_PATHS_MAX ? tests : USUAL_TESTS,
        category: "bug",
        rationale: "The verify command failed twice on a fresh copy. Until it passes, no change can be verified.",
        effort: "m",
        risk: "medium",
        evidence: tests
          .filter((path) => output.includes(path))
          .slice(0, 3)
          .map((path) => ({ path, line: null, excerpt: "" })),
      },
    ]);
  },
};

const SCORE = 0.95;
const FROZEN_PATHS_MAX = 50;
const USUAL_TESTS = [
  "**/test/**",
  "**/tests/**",
  "**/__tests__/**",
  "**/*.test.*",
  "**/*.spec.*",
  "**/*_test.*",
  "**/test_*.py",
];
