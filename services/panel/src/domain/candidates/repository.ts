import type { CandidateCategory, CandidateState } from "@triptych/contracts";
import type { CandidateRecord } from "../records.ts";

export interface CandidateFilter {
  readonly state: CandidateState | null;
  readonly category?: CandidateCategory | undefined;
}

export interface ScorePage {
  /** Starts after this entry; null starts at the highest score. */
  readonly below: { readonly score: number; readonly id: string } | null;
  readonly limit: number;
}

export interface CandidateCounts {
  readonly byState: Readonly<Record<CandidateState, number>>;
  readonly everSelected: number;
  readonly delivered: number;
  readonly suppressed: number;
  readonly droppedGreen: number;
}

export interface CandidateRepository {
  find(id: string): Promise<CandidateRecord | null>;
  withFingerprint(repoId: string, fingerprint: string): Promise<CandidateRecord | null>;
  /** Highest score first; newest first within a score. */
  list(repoId: string, filter: CandidateFilter, page: ScorePage): Promise<readonly CandidateRecord[]>;
  add(candidate: CandidateRecord): Promise<void>;
  save(candidate: CandidateRecord): Promise<void>;
  tally(repoId: string, more: Pick<CandidateCounts, "suppressed" | "droppedGreen">): Promise<void>;
  counts(repoId: string): Promise<CandidateCounts>;
}
