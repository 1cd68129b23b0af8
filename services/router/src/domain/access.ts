export interface Access {
  /** Without a configured token, the router accepts every caller. */
  readonly needsToken: boolean;
  /** Reachable from other hosts without a token: callers may decide but not change anything. */
  readonly isReadOnly: boolean;
  isCaller(token: string): boolean;
  /** True for a gateway, which may name the owner of heads. */
  isService(token: string): boolean;
  /** Counts a decision; null for no limit. */
  enter(owner: string): Admission | null;
}

/** `retryAfter`: seconds until the next decision is accepted; null when this one was. */
export interface Admission {
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfter: number | null;
}
