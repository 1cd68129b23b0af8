/** The interface of the scan's checks. One file per check. */
import type { ScanCheck } from "@triptych/contracts";
import { fingerprintOf, type Finding } from "../finding.ts";
import type { Fetch } from "../reading/reach-address.ts";
import type { Tree } from "../reading/tree.ts";
import type { ScanTools } from "./pin-releases.ts";
import type { Registry } from "./registry.ts";

/** A command of the repository, run in a copy of the tree. */
export interface TriedCommand {
  /** Null if a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly ending: string;
  readonly durationMs: number;
  readonly output: string;
  /** The missing program, if the command could not run. */
  readonly missing: string | null;
}

export interface ScanContext {
  readonly tree: Tree;
  readonly verifyCommand: string | null;
  readonly verifyTimeoutS: number;
  /** Runs the verify command twice at the base, in fresh copies; the result is cached. */
  readonly verifyTwice: () => Promise<readonly TriedCommand[]>;
  /** Last change of each line of a file, in ms since 1970, by line number. */
  readonly blame: (path: string, lines: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  readonly today: number;
  /** Throws a message if none is reachable. */
  readonly registry: () => Promise<Registry>;
  readonly fetch: Fetch | null;
  readonly deps: UpdateSettings;
  readonly tools: ScanTools;
  /** Whether the file is protected, so that runs may not change it. */
  readonly isProtected: (path: string) => boolean;
}

/** The setting `deps` of the repository. */
export interface UpdateSettings {
  readonly minReleaseAgeDays: number;
  /** One candidate per manifest for compatible updates (`minor`), for all updates, or none such. */
  readonly group: "none" | "minor" | "all";
}

export interface Found {
  readonly findings: readonly Finding[];
  /** Skipped parts, and why. */
  readonly missed: readonly string[];
}

export interface Check {
  readonly name: ScanCheck;
  /** Throws if the check cannot run: its message is reported, and the scan continues. */
  run(scanContext: ScanContext): Promise<Found>;
}

/** Reason for skipping a check that needs the repository's verify command. */
export const NO_COMMAND = "the repository has no runnable verify command";

/** A maximum per kind, so that one kind does not hide the others. */
export const FINDINGS_PER_CHECK_MAX = 20;
const GATE_S = 120;

export interface RawFinding extends Omit<Finding, "fingerprint" | "source" | "gate" | "score"> {
  /** Identity of the finding within its check. */
  readonly key: readonly string[];
  readonly gate: string;
  readonly gateTimeoutS?: number;
  readonly frozenPaths?: readonly string[];
}

/** Best first: `score` is that of the first finding, and each further one scores slightly less, so that checks interleave. */
export function foundBy(
  name: ScanCheck,
  score: number,
  rawFindings: readonly RawFinding[],
  missed: readonly string[] = [],
): Found {
  const included = rawFindings.slice(0, FINDINGS_PER_CHECK_MAX);
  const findings = included.map(({ key, gate, gateTimeoutS, frozenPaths, ...about }, index): Finding => ({
    ...about,
    source: "scan",
    score: Math.round((score - index * STEP) * 1000) / 1000,
    fingerprint: fingerprintOf("scan", name, ...key),
    gate: { command: gate, timeoutS: gateTimeoutS ?? GATE_S, frozenPaths: frozenPaths ?? [] },
  }));
  const more = rawFindings.length - included.length;
  return { findings, missed: more === 0 ? missed : [...missed, `${more} more will be reported by the next scan`] };
}

const STEP = 0.015;
