import type { RunCode } from "./run-order.ts";

/** A phase cannot go on; the run ends as failed with this code. Thrown by phases, caught once, by the order of phases. */
export class RunFault extends Error {
  override readonly name = "RunFault";
  readonly code: RunCode;

  constructor(code: RunCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
