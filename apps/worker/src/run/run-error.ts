import type { AiFinding } from "@triptych/change-policy";
import type { RunCode } from "./run-request.ts";

/** Bounds an agent's error text, which goes into one frame; far above what the panel stores. */
const MESSAGE_LENGTH_MAX = 10_000;

/** A phase fails; the run ends as failed with this code. Caught once, in `run-limits.ts`. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly code: RunCode;

  constructor(code: RunCode, message: string, options?: ErrorOptions) {
    super(message.slice(0, MESSAGE_LENGTH_MAX), options);
    this.code = code;
  }
}

/** The project forbids contributions made with AI. */
export class PolicyError extends RunError {
  readonly finding: AiFinding;

  constructor(finding: AiFinding) {
    super("policy_forbids", `${finding.source ?? ""}: “${finding.quote ?? ""}”`);
    this.finding = finding;
  }
}
