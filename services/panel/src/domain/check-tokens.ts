/** The credential that a worker gets for one check of a repo: it opens the git relay of that check, and nothing else. */
export interface CheckTokens {
  /** `ct_…`, good until `expiresAt`. */
  mint(scope: CheckTokenScope, expiresAt: number): string;
  /** Null where it is not ours, or has expired. Whether the check still runs is for the caller to see. */
  read(token: string, now: number): CheckTokenScope | null;
}

export interface CheckTokenScope {
  readonly owner: string;
  readonly repoId: string;
  readonly checkId: string;
}
