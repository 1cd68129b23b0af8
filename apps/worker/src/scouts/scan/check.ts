/** What every check of the scan is given, and what it answers. One file for each check. */
import type { ScanCheck } from "@triptych/contracts";
import type { TriedCommand } from "../scratch-copies.ts";
import { fingerprintOf, type Finding } from "../finding.ts";
import type { Fetch } from "../reading/reach-address.ts";
import type { Tree } from "../reading/tree.ts";
import type { Registry } from "./registry.ts";

export interface ScanContext {
  readonly tree: Tree;
  /** Null where the repository has none. */
  readonly verifyCommand: string | null;
  readonly verifyTimeoutS: number;
  /** Runs the verify command twice at the base, a fresh copy for each; asked again, it answers the same. */
  readonly verifyTwice: () => Promise<readonly TriedCommand[]>;
  /** When the lines of a file were written last, ms since 1970, by their number. */
  readonly blame: (path: string, lines: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  readonly today: number;
  /** Throws a sentence where none is reached. */
  readonly registry: () => Promise<Registry>;
  /** Null where the settings keep the network closed. */
  readonly fetch: Fetch | null;
}

export interface Found {
  readonly findings: readonly Finding[];
  /** What it could not look at, and why. */
  readonly missed: readonly string[];
}

export interface Check {
  readonly name: ScanCheck;
  /** Throws where it cannot look at all: the sentence is told, and the scan goes on. */
  run(scanContext: ScanContext): Promise<Found>;
}

/** Of a check that asks how the repository proves itself. */
export const NO_COMMAND = "the repository has no verify command that could be run";

/** More of one kind would keep the others from being seen. */
export const FINDINGS_PER_CHECK_MAX = 20;
const GATE_S = 120;

export interface RawFinding extends Omit<Finding, "fingerprint" | "source" | "gate" | "score"> {
  /** What makes it this finding, besides the check. */
  readonly key: readonly string[];
  readonly gate: string;
  readonly gateTimeoutS?: number;
  readonly frozenPaths?: readonly string[];
}

/**
 * The best of a check first: `score` is that of its first finding, and each further one has a little less, so that the first of every
 * check stand before the tenth of one.
 */
export function foundBy(
  name: ScanCheck,
  score: number,
  roughs: readonly RawFinding[],
  missed: readonly string[] = [],
): Found {
  const included = roughs.slice(0, FINDINGS_PER_CHECK_MAX);
  const findings = included.map(({ key, gate, gateTimeoutS, frozenPaths, ...about }, index): Finding => ({
    ...about,
    source: "scan",
    score: Math.round((score - index * STEP) * 1000) / 1000,
    fingerprint: fingerprintOf("scan", name, ...key),
    gate: { command: gate, timeoutS: gateTimeoutS ?? GATE_S, frozenPaths: frozenPaths ?? [] },
  }));
  const more = roughs.length - included.length;
  return { findings, missed: more === 0 ? missed : [...missed, `${more} more are kept for the next time`] };
}

const STEP = 0.015;
