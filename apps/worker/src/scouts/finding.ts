/** A scout's finding: work to do, and a gate that fails until it is done. The gate has not run yet. */
import { createHash } from "node:crypto";
import type { Proposal } from "@triptych/contracts";
import { truncate } from "@triptych/util";

export type Evidence = Proposal["evidence"][number];

export interface Finding extends Pick<
  Proposal,
  "title" | "focus" | "category" | "rationale" | "score" | "effort" | "risk" | "source"
> {
  readonly fingerprint: string;
  readonly gate: FindingGate;
  readonly evidence: readonly Omit<Evidence, "sha">[];
}

export interface FindingGate {
  readonly command: string;
  readonly timeoutS: number;
  readonly frozenPaths: readonly string[];
}

/** The stable identity: excludes lines, dates and wording, which change. */
export function fingerprintOf(...parts: readonly string[]): string {
  return `sha256:${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}

/** Best first; ties have a stable order. */
export function byScore(one: Finding, other: Finding): number {
  return other.score - one.score || (one.fingerprint < other.fingerprint ? -1 : 1);
}

const TITLE_LENGTH_MAX = 72;

/** The first variant that fits a subject line. It becomes the title of a commit and a pull request, and is never truncated. */
export function titleOf(...variants: readonly string[]): string {
  return (
    variants.find((variant) => Array.from(variant).length <= TITLE_LENGTH_MAX) ??
    truncate(variants.at(-1) ?? "", TITLE_LENGTH_MAX)
  );
}
