import type { RunCode } from "./run-request.ts";

/** Far more than the panel keeps: an agent may give up in any number of words, and they go in one frame. */
const MESSAGE_MOST = 10_000;

/** A phase cannot go on; the run ends as failed with this code. Thrown by phases, caught once, by the order of phases. */
export class RunFault extends Error {
  override readonly name = "RunFault";
  readonly code: RunCode;

  constructor(code: RunCode, message: string, options?: ErrorOptions) {
    super(message.slice(0, MESSAGE_MOST), options);
    this.code = code;
  }
}
