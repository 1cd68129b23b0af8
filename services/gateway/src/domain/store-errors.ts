/** Our own store did not do what it was asked: nothing was charged, and the caller may come again. */
export class StoreUnavailableError extends Error {
  constructor(cause: unknown) {
    super("The gateway's store did not do what it was asked.", { cause });
    this.name = "StoreUnavailableError";
  }
}
