/** Who may ask this router, and how often. */

export interface Access {
  /** Without a token of its own the router is open to whoever reaches it. */
  readonly needsToken: boolean;
  /** Strangers may reach it without a token: they may decide, and change nothing. */
  readonly isReadOnly: boolean;
  isCaller(token: string): boolean;
  /** A gateway, which may name the owner of heads. */
  isService(token: string): boolean;
  /** Counts a decision; null where there is no limit. */
  enter(owner: string): Admission | null;
}

/** `retryAfter`: seconds after which a decision is accepted, null where this one was. */
export interface Admission {
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfter: number | null;
}
