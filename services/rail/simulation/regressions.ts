/** Shrunk runs that once failed. `npm run sim` adds runs to the file; every test run repeats them. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Scenario } from "./scenario.ts";

export interface Regression {
  /** What the bug was, or what breaks if its fix is reverted. */
  readonly why: string;
  readonly scenario: Scenario;
}

const FILE = new URL("../test/sim/regressions.json", import.meta.url);

export function readRegressions(): readonly Regression[] {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

export function keepRegression(regression: Regression): void {
  const all = [...readRegressions(), regression];
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}
