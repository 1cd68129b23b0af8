/** What a rejected candidate blocks from being proposed again, and for how long. */
import { createHash } from "node:crypto";
import type { Proposal } from "@triptych/contracts";
import type { CandidateRepository } from "./repository.ts";
import type { CandidateRecord, Rejection } from "../records.ts";

export interface Dependency {
  /** The first package of several, with its manifest if that is not the root's; the manifest of a group. */
  readonly name: string;
  readonly version: string;
  readonly major: string;
  readonly updates: readonly PackageUpdate[];
  /** The candidate of a manifest, by the setting `deps.group`: its packages change from scan to scan. */
  readonly isGroup: boolean;
  readonly manifests: readonly string[];
}

interface PackageUpdate {
  readonly name: string;
  readonly version: string;
  readonly major: string;
}

const ROOT = "package.json";

/** The dependency updates that a scan candidate requests; null for other candidates. */
export function dependencyOf({ source, category, gate, fingerprint }: Proposal): Dependency | null {
  if (source !== "scan" || category !== "deps") return null;
  const [, kind, args = ""] = /^triptych gate (dep-at-least|pinned) (.+)$/.exec(gate.cmd.replaceAll("'", "")) ?? [];
  const words = args.split(" ");
  const firstOption = words.findIndex((word) => word.startsWith("--"));
  const updates = updatesIn(firstOption === -1 ? words : words.slice(0, firstOption));
  const [first] = updates;
  if (first === undefined) return null;
  const named = words.filter((_, index) => words[index - 1] === "--in");
  const manifests = named.length === 0 ? [ROOT] : named;
  const [manifest] = manifests;
  const groups = kind === "pinned" ? PIN_KINDS : [manifest];
  const group = groups.find((key) => fingerprint === fingerprintOf(key, "group"));
  const alone = kind === "dep-at-least" && manifest === ROOT ? first.name : `${first.name} in ${manifest}`;
  const { version, major } = first;
  return { name: group ?? alone, version, major, updates, isGroup: group !== undefined, manifests };
}

/** Names of pin groups. A group of pins has no manifest, because its pins are in many files. */
const PIN_KINDS = ["action", "image", "python"];

/** `name version`, and `name commit #version` of actions. A digest is its own major version. */
function updatesIn(words: readonly string[]): readonly PackageUpdate[] {
  const updates: PackageUpdate[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [name, value, label] = [words[at], words[at + 1], words.at(at + 2) ?? ""];
    const isLabelled = label.startsWith("#");
    const version = isLabelled ? label.slice(1) : value;
    updates.push({ name, version, major: version.replace(/^v(?=\d)/, "").split(".")[0] });
    if (isLabelled) at++;
  }
  return updates;
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
  if (reject === null || isOver(reject, now) || reject.isReplaced === true) return false;
  const [before, after] = [dependencyOf(rejected), dependencyOf(proposal)];
  if (before === null || after === null) return rejected.fingerprint === proposal.fingerprint;
  if (before.name !== after.name || before.isGroup !== after.isGroup) return false;
  switch (scopeOf(reject)) {
    case "always":
      return true;
    case "major":
      return before.isGroup ? includes(before, after, isSameMajor) : isSameMajor(before.updates[0], after.updates[0]);
    case "this":
      return before.isGroup ? includes(before, after, isSameVersion) : before.version === after.version;
  }
}

/** Whether every update of `part` has an equal one in `whole`. */
function includes(whole: Dependency, part: Dependency, isEqual: (a: PackageUpdate, b: PackageUpdate) => boolean) {
  return part.updates.every((update) =>
    whole.updates.some((other) => other.name === update.name && isEqual(other, update)),
  );
}

function isSameMajor(one: PackageUpdate, other: PackageUpdate): boolean {
  return one.major === other.major;
}

function isSameVersion(one: PackageUpdate, other: PackageUpdate): boolean {
  return one.version === other.version;
}

/**
 * A group and single updates of its packages exclude each other; the setting `deps.group` decides which of them a scan proposes. The last
 * scan wins: the others are rejected until a scan proposes them again.
 */
export async function rejectReplaced(
  candidates: CandidateRepository,
  repoId: string,
  { proposal, now }: { readonly proposal: Proposal; readonly now: number },
): Promise<void> {
  const dependency = dependencyOf(proposal);
  if (dependency === null) return;
  for (const candidate of await updatesOf(candidates, repoId, "proposed")) {
    const isReplaced = dependency.isGroup
      ? isPartOfGroup(candidate.proposal, proposal)
      : isPartOfGroup(proposal, candidate.proposal);
    if (!isReplaced) continue;
    const reason = dependency.isGroup ? `Part of "${proposal.title}".` : `Replaced by "${proposal.title}".`;
    const reject: Rejection = { reason, at: now, scope: "this", until: null, isReplaced };
    await candidates.save({ ...candidate, state: "rejected", reject });
  }
}

/** More than a scan reports in years. */
const UPDATES_MAX = 1_000;

export function updatesOf(candidates: CandidateRepository, repoId: string, state: "proposed" | "rejected") {
  return candidates.list(repoId, { state, category: "deps" }, { below: null, limit: UPDATES_MAX });
}

/** Whether a group updates all packages of this candidate to compatible versions. */
function isPartOfGroup(candidate: Proposal, group: Proposal): boolean {
  const [part, whole] = [dependencyOf(candidate), dependencyOf(group)];
  if (part === null || whole === null || part.isGroup || !whole.isGroup) return false;
  return part.manifests.every((path) => whole.manifests.includes(path)) && includes(whole, part, isCompatible);
}

/** Below 1.0.0 a minor version may be breaking, so it is a separate candidate beside the group. */
function isCompatible(one: PackageUpdate, other: PackageUpdate): boolean {
  const [, minor] = one.version.split(".");
  return isSameMajor(one, other) && (one.major !== "0" || minor === other.version.split(".")[1]);
}

/** Up to version 0.1 the fingerprint of an update contained only the package name. */
export function earlierFingerprintOf({ name }: Pick<Dependency, "name" | "version" | "major">): string {
  return fingerprintOf(name);
}

/** As the worker computes it, from the identity of the finding. */
function fingerprintOf(...key: readonly string[]): string {
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(["scan", "deps_outdated", ...key]))
    .digest("hex")}`;
}
