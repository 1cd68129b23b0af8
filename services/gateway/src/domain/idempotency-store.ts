/** Answers that are too large for the rail's sealed copy. Several attempts of one key may lie side by side: the receipt says which one counts. */

export interface AnswerStore {
  /** Resolves when it is on disk. */
  keep(answer: StoredAnswer): Promise<void>;
  find(location: AnswerLocation): Promise<string | null>;
  /** Removes those whose time is over, and says how many that were. */
  removeEnded(now: number, limit: number): Promise<number>;
  /** Null when the store takes writes, else why not. */
  writeFault(): Promise<string | null>;
}

export interface AnswerLocation {
  /** Hash over wallet, operation and key: the client's key is kept nowhere. */
  readonly name: string;
  /** Digest of the answer. */
  readonly res: string;
}

export interface StoredAnswer extends AnswerLocation {
  readonly sealed: string;
  readonly endsAt: number;
}
