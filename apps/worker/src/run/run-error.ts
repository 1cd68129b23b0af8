import type { RunCode } from "./run-request.ts";

/** Bounds an agent's error text, which goes into one frame; far above what the panel stores. */
const MESSAGE_MOST = 10_000;

/** A phase fails; the run ends as failed with this code. Caught once, in `run-limits.ts`. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly code: RunCode;

  constructor(code: RunCode, message: string, options?: ErrorOptions) {
    super(message.slice(0, MESSAGE_MOST), options);
    this.code = code;
  }
}
