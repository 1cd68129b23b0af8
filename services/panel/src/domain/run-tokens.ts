/** The credential that a worker gets for one epoch of one run: it opens that run's git relay and uploads, and nothing else. */
export interface RunTokens {
  /** `rt_…`, good until `expiresAt`. */
  mint(run: RunTokenScope, expiresAt: number): string;
  /** Null where it is not ours, or over. Whether the epoch is still the run's is for the caller to see. */
  read(token: string, now: number): RunTokenScope | null;
}

export interface RunTokenScope {
  readonly owner: string;
  readonly runId: string;
  readonly epoch: number;
}
