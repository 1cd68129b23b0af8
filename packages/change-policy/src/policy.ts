/**
 * May this change leave the worker, and is it taken by the panel? All faults are found, and the gravest gives the code. Paths come from a tree that an agent wrote:
 * they are data, and are quoted before they are said.
 */
import type { DiffSize } from "./diff-size.ts";
import { createMatcher, globIssue } from "./globs.ts";

export interface Change {
  readonly path: string;
  /** Mode of the entry in git: `000000` where there is none. */
  readonly modeBefore: string;
  readonly modeAfter: string;
  /** Where a symbolic link points to; null for everything else. */
  readonly linksTo: string | null;
}

export interface PolicyFault {
  readonly code: "policy_violation" | "protected_path" | "diff_too_large";
  readonly message: string;
}

export interface Policy {
  readonly protectedPaths: readonly string[];
  /** Globs in which a new file is no fault, protected or not. */
  readonly mayAddIn?: readonly string[];
  /** Null: no limit. */
  readonly limits: { readonly maxChangedFiles: number | null; readonly maxDiffLines: number | null };
}

/** In bytes; a name of more symbols has more bytes too. */
const NAME_MAX = 255;
const NONE = "000000";
const SYMBOLIC_LINK = "120000";
const OTHER_REPOSITORY = "160000";

/** Gravest first. */
export function judgeChanges(changes: readonly Change[], size: DiffSize, policy: Policy): readonly PolicyFault[] {
  const isProtected = createMatcher(policy.protectedPaths);
  const forbidden = changes.flatMap((change) => forbiddenBecause(change).map((why) => violation(change.path, why)));
  // A glob that cannot be read matches every path: here it would open what it should protect.
  const isOpen = createMatcher((policy.mayAddIn ?? []).filter((glob) => globIssue(glob) === null));
  const isNewInOpen = ({ path, modeBefore }: Change) => modeBefore === NONE && isOpen(path);
  const guarded = changes
    .filter((change) => isProtected(change.path) && !isNewInOpen(change))
    .map(({ path }) => protectedPath(path));
  const unread = guarded.length > 0 ? policy.protectedPaths.flatMap(unreadable) : [];
  return [...forbidden, ...unread, ...guarded, ...tooLarge(size, policy.limits)];
}

/** Of settings that were stored before globs were checked. */
function unreadable(glob: string): PolicyFault[] {
  const issue = globIssue(glob);
  if (issue === null) return [];
  const message = `the glob ${JSON.stringify(glob)} of \`protected_paths\` ${issue}: until it is corrected, every path is protected`;
  return [{ code: "protected_path", message }];
}

function forbiddenBecause({ path, modeBefore, modeAfter, linksTo }: Change): string[] {
  const names = path.split("/");
  if (names.some((name) => /^(?:\.git|git~1)[ .]*$/i.test(name))) return ["is inside of a .git folder"];
  if (names.some((name) => name.length > NAME_MAX)) return ["has a name that is longer than any file system takes"];
  if (modeAfter === OTHER_REPOSITORY || (modeBefore === OTHER_REPOSITORY && modeAfter !== NONE))
    return ["is another repository"];
  if (modeAfter === SYMBOLIC_LINK && linksTo !== null && leadsOut(names, linksTo)) return ["links out of the tree"];
  return [];
}

function leadsOut(names: readonly string[], target: string): boolean {
  if (target.startsWith("/") || target.includes("\\") || target.includes("\0")) return true;
  let depth = names.length - 1;
  for (const step of target.split("/")) {
    if (step === "..") depth--;
    else if (step !== "" && step !== ".") depth++;
    if (depth < 0) return true;
  }
  // A link onto `.git` would let a later change write there.
  return target.split("/").some((step) => step.toLowerCase() === ".git");
}

function violation(path: string, why: string): PolicyFault {
  return { code: "policy_violation", message: `${JSON.stringify(path)} ${why}` };
}

function protectedPath(path: string): PolicyFault {
  return { code: "protected_path", message: `${JSON.stringify(path)} is protected by the settings of the repository` };
}

function tooLarge(size: DiffSize, { maxChangedFiles, maxDiffLines }: Policy["limits"]): PolicyFault[] {
  const lines = size.insertions + size.deletions - (size.lockLines ?? 0);
  return [
    ...exceeding(size.files, maxChangedFiles, "files changed"),
    ...exceeding(lines, maxDiffLines, "lines added and removed"),
  ];
}

function exceeding(count: number, limit: number | null, what: string): PolicyFault[] {
  if (limit === null || count <= limit) return [];
  return [{ code: "diff_too_large", message: `${count} ${what}, at most ${limit} are allowed` }];
}

const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__)(?:\/|\.[^/]+$)|[._-](?:test|spec)s?\.[^/.]+$|(?:^|\/)test_[^/]+\.py$/i;

/** What a reader of the pull request is told first. */
export function warningsOf(changes: readonly Change[]): readonly "tests_changed"[] {
  return changes.some(({ path, modeBefore }) => modeBefore !== NONE && TEST.test(path)) ? ["tests_changed"] : [];
}
