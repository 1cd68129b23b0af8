/** A scout's order and its outcome. */
import type { GateProof, Proposal } from "@triptych/contracts";
import type { RunCode, RunRequest } from "../../run/run-request.ts";
import type { UpdateSettings } from "../../scouts/scan/check.ts";
import type { CheckOutcome } from "../../scouts/scan/scan.ts";

export interface ExploreRequest extends RunRequest {
  readonly scouts: { readonly scan: boolean; readonly agent: boolean };
  /** The checks of the scan to run; null for all. */
  readonly checks: readonly string[] | null;
  /** Globs; findings outside of them are left out. */
  readonly areas: readonly string[];
  /** Maximum number of new findings. */
  readonly maxCandidates: number;
  readonly existingFindings: readonly ExistingFinding[];
  readonly deps: UpdateSettings;
}

/** A finding of an earlier explore run. */
export interface ExistingFinding {
  readonly fingerprint: string;
  /** Where to verify it again; null if it only serves deduplication. */
  readonly gate: { readonly command: string; readonly timeoutS: number } | null;
  readonly paths: readonly string[];
}

export interface ExploreReport {
  /** Each with its gate result, also where the gate passes. */
  readonly candidates: readonly Proposal[];
  readonly proofs: readonly FindingProof[];
  readonly repeated: readonly string[];
}

export interface FindingProof {
  readonly fingerprint: string;
  readonly proof: GateProof | null;
  readonly isEvidenceGone: boolean;
}

export interface ProveResult extends ExploreReport {
  /** Findings whose gate could not run, or contained a secret. */
  readonly unproved: number;
}

export interface Explored extends ProveResult {
  /** Results of the scan's checks; empty without a scan. */
  readonly checks: readonly CheckOutcome[];
}

export type ExploreOutcome =
  | { readonly kind: "found"; readonly found: Explored }
  | { readonly kind: "failed"; readonly code: RunCode; readonly message: string }
  | { readonly kind: "cancelled" };
