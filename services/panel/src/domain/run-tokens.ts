/** A worker's credential for one epoch of one run: it opens only that run's git proxy and uploads. */
export interface RunTokens {
  /** `rt_…`, valid until `expiresAt`. */
  mint(run: RunTokenScope, expiresAt: number): string;
  /** Null for an invalid or expired token. The caller verifies the epoch. */
  read(token: string, now: number): RunTokenScope | null;
}

export interface RunTokenScope {
  readonly owner: string;
  readonly runId: string;
  readonly epoch: number;
}
