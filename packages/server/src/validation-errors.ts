/**
 * Collects the issues of a request for one response. Records only the first issue per location and at most one hundred
 * in total, because a large body can contain any number.
 */
import type { ValidationIssue } from "@triptych/contracts";
import { redact } from "./redact.ts";
import { validationFailed } from "./problem.ts";

export const ISSUES_MAX = 100;

export class ValidationErrors {
  readonly #found = new Map<string, ValidationIssue>();

  add(issue: ValidationIssue): void {
    if (!this.isFull && !this.#found.has(issue.path))
      this.#found.set(issue.path, { ...issue, path: redact(issue.path), message: redact(issue.message) });
  }

  get isFull(): boolean {
    return this.#found.size >= ISSUES_MAX;
  }

  has(path: string): boolean {
    return this.#found.has(path);
  }

  /** False if the value at `path` has an issue, or may have one beyond the maximum. */
  isValid(path: string): boolean {
    if (this.isFull) return false;
    for (const found of this.#found.keys()) if (found === path || found.startsWith(`${path}/`)) return false;
    return true;
  }

  list(): readonly ValidationIssue[] {
    return [...this.#found.values()];
  }

  refuse(): void {
    if (this.#found.size > 0) throw validationFailed(this.list(), { hasMore: this.isFull });
  }
}
