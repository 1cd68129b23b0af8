/** Parses the header of a bundle before git reads it: prerequisites and refs. */
import { branchOf } from "../domain/run-branch.ts";

export interface BundleHeader {
  readonly prerequisites: readonly string[];
  readonly refs: readonly { readonly name: string; readonly sha: string }[];
}

const HEADER_BYTES = 64 * 1024;
const SIGNATURE = /^# v[23] git bundle$/;

/** Null for another format, capabilities other than the hash, or an unbounded header. */
export function readBundleHeader(header: Buffer): BundleHeader | null {
  const end = header.indexOf("\n\n");
  if (end === -1 || end > HEADER_BYTES) return null;
  const [signature = "", ...lines] = header.subarray(0, end).toString("utf8").split("\n");
  if (!SIGNATURE.test(signature)) return null;
  const prerequisites: string[] = [];
  const refs: { name: string; sha: string }[] = [];
  for (const line of lines) {
    if (/^@object-format=sha(?:1|256)$/.test(line)) continue;
    const [, before] = /^-([0-9a-f]{40,64})(?: |$)/.exec(line) ?? [];
    const [, sha, name] = /^([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? [];
    if (before !== undefined) prerequisites.push(before);
    else if (sha !== undefined && name !== undefined) refs.push({ name, sha });
    else return null;
  }
  return { prerequisites, refs };
}

/** Why the bundle is not valid for this run, as a sentence; null if valid. */
export function errorOf(
  { prerequisites, refs }: BundleHeader,
  run: { readonly id: string; readonly baseSha: string | null; readonly isMerge?: boolean },
): string | null {
  const branch = `refs/heads/${branchOf(run.id)}`;
  const [only] = refs;
  if (refs.length !== 1 || only === undefined)
    return `The bundle contains ${refs.length} refs; expected only the branch of the run.`;
  if (only.name !== branch) return `The bundle contains ${JSON.stringify(only.name)} instead of ${branch}.`;
  // A merge also builds on a commit of the merged branch; the check of the range verifies which one.
  if (prerequisites.length !== 1 && !(run.isMerge === true && prerequisites.length === 2))
    return `The bundle has ${prerequisites.length} prerequisite commits; expected only the base commit.`;
  if (run.baseSha !== null && !prerequisites.includes(run.baseSha))
    return "The prerequisite of the bundle is not the base commit of the run.";
  return null;
}
