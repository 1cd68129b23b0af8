/** What the main thread and a thread that answers questions say to each other. */
export interface QuestionThreadData {
  /** Bytes of the trained files. */
  readonly trunk: Uint8Array;
  readonly options: Uint8Array;
}

/** A thread says what it stands on as soon as it is open. */
export interface ThreadStanding {
  /** Hex SHA-256 of each. */
  readonly trunk: string;
  readonly options: string;
}

/** Null where it could not answer: whoever asked does so itself, and sees why. */
export type ShareAnswer = readonly string[] | null;
