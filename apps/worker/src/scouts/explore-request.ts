/** What a scout is asked to do, and what becomes of it. */
import type { GateProof, Proposal } from "@triptych/contracts";
import type { RunCode, RunRequest } from "../run-request.ts";
import type { CheckOutcome } from "./scan/scan.ts";

export interface ExploreRequest extends RunRequest {
  readonly scouts: { readonly scan: boolean; readonly agent: boolean };
  /** Null: all checks of the scan. */
  readonly checks: readonly string[] | null;
  /** Globs: what is found elsewhere is left out. */
  readonly areas: readonly string[];
  /** Of what nobody knew before. */
  readonly maxCandidates: number;
  readonly existingFindings: readonly ExistingFinding[];
}

/** Of an earlier scout. */
export interface ExistingFinding {
  readonly fingerprint: string;
  /** Where it is to be proved again; null where it is known and that is all. */
  readonly gate: { readonly command: string; readonly timeoutS: number } | null;
  readonly paths: readonly string[];
}

export interface ExploreReport {
  /** Each with its proof, those that turned out green too. */
  readonly candidates: readonly Proposal[];
  readonly proofs: readonly Proved[];
  readonly repeated: readonly string[];
}

export interface Proved {
  readonly fingerprint: string;
  /** Null where its gate could not be run. */
  readonly proof: GateProof | null;
  readonly isEvidenceGone: boolean;
}

export interface ProveResult extends ExploreReport {
  /** Findings whose gate could not be run, or held a secret. */
  readonly unproved: number;
}

export interface Explored extends ProveResult {
  /** Of the scan; empty where there was none. */
  readonly checks: readonly CheckOutcome[];
}

export type ExploreOutcome =
  | { readonly kind: "found"; readonly found: Explored }
  | { readonly kind: "failed"; readonly code: RunCode; readonly message: string }
  | { readonly kind: "cancelled" };
