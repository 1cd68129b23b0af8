/**
 * The scout without a model: runs every check over one tree. Deterministic for a tree and a day, except for registry and external
 * addresses.
 */
import type { ScanCheck } from "@triptych/contracts";
import { byScore, type Finding } from "../finding.ts";
import type { Check, ScanContext } from "./check.ts";
import { deadLink } from "./dead-link.ts";
import { depsOutdated } from "./deps-outdated.ts";
import { depsVulnerable } from "./deps-vulnerable.ts";
import { largeFile } from "./large-file.ts";
import { missingFile } from "./missing-file.ts";
import { missingTest } from "./missing-test.ts";
import { todo } from "./todo.ts";
import { verifyRed } from "./verify-red.ts";
import { verifySlow } from "./verify-slow.ts";

const CHECKS: readonly Check[] = [
  verifyRed,
  verifySlow,
  todo,
  missingTest,
  depsOutdated,
  depsVulnerable,
  deadLink,
  missingFile,
  largeFile,
];

export interface ScanOptions {
  readonly checks: readonly string[] | null;
  readonly signal: AbortSignal;
  /** Why a check was skipped, wholly or in part. */
  readonly onSkipped: (check: ScanCheck, why: string) => void;
}

export interface CheckOutcome {
  readonly name: ScanCheck;
  /** Why it could not run; null if it ran. */
  readonly skipped: string | null;
}

export interface Scanned {
  readonly findings: readonly Finding[];
  readonly checks: readonly CheckOutcome[];
}

export async function scan(scanContext: ScanContext, { checks, signal, onSkipped }: ScanOptions): Promise<Scanned> {
  const findings: Finding[] = [];
  const outcomes: CheckOutcome[] = [];
  for (const check of CHECKS) {
    if (checks !== null && !checks.includes(check.name)) continue;
    try {
      const found = await check.run(scanContext);
      findings.push(...found.findings);
      for (const why of found.missed) onSkipped(check.name, why);
      outcomes.push({ name: check.name, skipped: null });
    } catch (error) {
      signal.throwIfAborted();
      const skipped = error instanceof Error ? error.message : String(error);
      onSkipped(check.name, skipped);
      outcomes.push({ name: check.name, skipped });
    }
  }
  return { findings: findings.toSorted(byScore), checks: outcomes };
}
