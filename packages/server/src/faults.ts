/**
 * Collects every fault of a request, so that one answer names them all. One place keeps one fault: the first found there. A body of
 * megabytes can hold more than anybody reads: the first hundred are listed.
 */
import type { Fault } from "@triptych/contracts";
import { redact } from "./redact.ts";
import { validationFailed } from "./problem.ts";

export const ISSUES_MAX = 100;

export class Faults {
  readonly #found = new Map<string, Fault>();

  add(fault: Fault): void {
    if (!this.isFull && !this.#found.has(fault.path))
      this.#found.set(fault.path, { ...fault, path: redact(fault.path), message: redact(fault.message) });
  }

  /** Whether no more of them are told. */
  get isFull(): boolean {
    return this.#found.size >= ISSUES_MAX;
  }

  has(path: string): boolean {
    return this.#found.has(path);
  }

  /** What was found so far. */
  list(): readonly Fault[] {
    return [...this.#found.values()];
  }

  /** Throws `validation_failed` when there is any. */
  refuse(): void {
    if (this.#found.size > 0) throw validationFailed(this.list(), { hasMore: this.isFull });
  }
}
