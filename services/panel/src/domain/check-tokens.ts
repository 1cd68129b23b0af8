/** A worker's credential for one repo check: it opens only that check's git proxy. */
export interface CheckTokens {
  /** `ct_…`, valid until `expiresAt`. */
  mint(scope: CheckTokenScope, expiresAt: number): string;
  /** Null for an invalid or expired token. The caller verifies that the check still runs. */
  read(token: string, now: number): CheckTokenScope | null;
}

export interface CheckTokenScope {
  readonly owner: string;
  readonly repoId: string;
  readonly checkId: string;
}
