/**
 * The scout without a model: every check in its turn over one tree. The same tree on the same day gives the same findings in the same
 * order, registry and addresses of other places apart. What cannot look says why, and hinders no other.
 */
import type { ScanCheck } from "@triptych/contracts";
import { byScore, type Finding } from "../finding.ts";
import type { Check, Ground } from "./check.ts";
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
  /** Null: all of them. */
  readonly checks: readonly string[] | null;
  readonly signal: AbortSignal;
  /** Why a check did not look, or not at everything. */
  readonly tell: (check: ScanCheck, why: string) => void;
}

/** Best first. */
export async function scan(ground: Ground, { checks, signal, tell }: ScanOptions): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    if (checks !== null && !checks.includes(check.name)) continue;
    try {
      const found = await check.look(ground);
      findings.push(...found.findings);
      for (const why of found.missed) tell(check.name, why);
    } catch (error) {
      signal.throwIfAborted();
      tell(check.name, error instanceof Error ? error.message : String(error));
    }
  }
  return findings.toSorted(byScore);
}
