/** Reports a verify command that takes more than a minute. */
import { gateLine } from "../gate-command/gate-protocol.ts";
import { truncate } from "@triptych/util";
import { titleOf } from "../finding.ts";
import { foundBy, NO_COMMAND, type Check } from "./check.ts";

export const verifySlow: Check = {
  name: "verify_slow",
  async run(scanContext) {
    const { verifyCommand: command } = scanContext;
    if (command === null) throw new Error(NO_COMMAND);
    const runs = await scanContext.verifyTwice();
    if (runs.some(({ exitCode }) => exitCode !== 0)) return foundBy("verify_slow", SCORE, []);
    const medianS = runs.reduce((sum, { durationMs }) => sum + durationMs, 0) / runs.length / 1000;
    if (medianS <= LIMIT_S) return foundBy("verify_slow", SCORE, []);
    // Plain arguments stay separate; shell syntax becomes one argument.
    const args = /^[\w@%+=:,./ -]+$/.test(command) ? command.split(/\s+/) : [command];
    const seconds = Math.round(medianS);
    return foundBy("verify_slow", SCORE, [
      {
        key: [command],
        title: titleOf(
          `Make \`${command}\` faster than ${LIMIT_S} s`,
          `Make the test command faster than ${LIMIT_S} s`,
        ),
        focus: truncate(
          `Make \`${command}\` take less than ${LIMIT_S} s without removing coverage. It currently takes ${seconds} s.`,
          4_000,
        ),
        gate: gateLine("faster-than", String(LIMIT_S), "--", ...args),
        gateTimeoutS: 2 * LIMIT_S,
        category: "perf",
        rationale: `Two runs on a fresh copy took ${runs.map(({ durationMs }) => `${Math.round(durationMs / 1000)} s`).join(" and ")}.`,
        effort: "m",
        risk: "medium",
        evidence: [],
      },
    ]);
  },
};

const SCORE = 0.6;
const LIMIT_S = 60;
