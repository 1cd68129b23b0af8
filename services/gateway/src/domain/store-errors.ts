/** The gateway's store failed: nothing was charged, and the caller may retry. */
export class StoreUnavailableError extends Error {
  constructor(cause: unknown) {
    super("The gateway's store is unavailable.", { cause });
    this.name = "StoreUnavailableError";
  }
}
