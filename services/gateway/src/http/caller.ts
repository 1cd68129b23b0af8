/** Who calls, as the handlers see it. */
export interface Caller {
  /** Null where a path needs none and none was shown that the rail knows. */
  readonly wallet: ResolvedWallet | null;
  /** How long it took to know, milliseconds. */
  readonly walletMs: number;
}

export interface ResolvedWallet {
  readonly id: string;
  /** How the rail is told of it: the token itself goes nowhere. */
  readonly hash: string;
  /** As it was when the call came. */
  readonly balanceMicro: number;
}

/** Whom a router takes for the owner of heads. Nobody's name has the form of no wallet's id, so it owns nothing, on any router. */
export function ownerOf({ wallet }: Caller): string {
  return wallet?.id ?? "nobody";
}
