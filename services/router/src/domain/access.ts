export interface Access {
  /** Without a configured token, the router accepts every caller. */
  readonly needsToken: boolean;
  /** The router can be reached from other hosts without a token: callers may decide, but not change anything. */
  readonly isReadOnly: boolean;
  isCaller(token: string): boolean;
  /** True for a gateway, which may name the owner of heads. */
  isService(token: string): boolean;
  /** Counts a decision; null for no limit. */
  enter(owner: string): Admission | null;
}

/** `retryAfter` is the number of seconds until the next decision is accepted; null if this one was accepted. */
export interface Admission {
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfter: number | null;
}
