/**
 * Stores responses that are too large for the rail's encrypted copy. Several attempts of one key may be stored; the
 * receipt selects the valid one.
 */
export interface AnswerStore {
  /** Resolves when the response is durable. */
  keep(answer: StoredAnswer): Promise<void>;
  find(location: AnswerLocation): Promise<string | null>;
  /** Removes expired responses; returns their number. */
  removeEnded(now: number, limit: number): Promise<number>;
  writeError(): Promise<string | null>;
}

export interface AnswerLocation {
  /** Hash of wallet, operation and key; the client's key is never stored. */
  readonly name: string;
  readonly res: string;
}

export interface StoredAnswer extends AnswerLocation {
  readonly sealed: string;
  readonly endsAt: number;
}

/** The gateway's store failed: nothing was charged, and the caller may retry. */
export class StoreUnavailableError extends Error {
  constructor(cause: unknown) {
    super("The gateway's store is unavailable.", { cause });
    this.name = "StoreUnavailableError";
  }
}
