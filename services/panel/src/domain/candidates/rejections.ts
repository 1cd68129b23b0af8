/** What a rejected candidate blocks from being proposed again, and for how long. */
import { createHash } from "node:crypto";
import type { Proposal } from "@triptych/contracts";
import type { CandidateRecord, Rejection } from "../records.ts";

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly major: string;
}

/** The dependency update that a scan candidate requests, the first of several packages; null for other candidates. */
export function dependencyOf({ source, category, gate }: Proposal): Dependency | null {
  if (source !== "scan" || category !== "deps") return null;
  const [, name, version] = /^triptych gate dep-at-least (\S+) (\S+)/.exec(gate.cmd.replaceAll("'", "")) ?? [];
  const [major] = version?.split(".") ?? [];
  return name === undefined || version === undefined || major === undefined ? null : { name, version, major };
}

/** Rejections of version 0.1 have no scope and are permanent. */
export function scopeOf({ scope }: Rejection): NonNullable<Rejection["scope"]> {
  return scope ?? "always";
}

export function isOver({ until }: Rejection, now: number): boolean {
  return until !== undefined && until !== null && until <= now;
}

/** For candidates other than dependency updates, every scope means the finding itself. */
export function covers({ reject, proposal: rejected }: CandidateRecord, proposal: Proposal, now: number): boolean {
  if (reject === null || isOver(reject, now)) return false;
  const [before, after] = [dependencyOf(rejected), dependencyOf(proposal)];
  if (before === null || after === null) return rejected.fingerprint === proposal.fingerprint;
  if (before.name !== after.name) return false;
  switch (scopeOf(reject)) {
    case "always":
      return true;
    case "major":
      return before.major === after.major;
    case "this":
      return before.version === after.version;
  }
}

/** Up to version 0.1 the fingerprint of an update contained only the package name. */
export function earlierFingerprintOf({ name }: Dependency): string {
  const parts = JSON.stringify(["scan", "deps_outdated", name]);
  return `sha256:${createHash("sha256").update(parts).digest("hex")}`;
}
