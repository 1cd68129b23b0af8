/**
 * Decides whether a change may leave the worker and enter the panel. The most severe issue determines the code.
 * Messages quote the paths, because an agent chose them.
 */
import type { DiffSize } from "./diff-size.ts";
import { createMatcher, globIssue } from "./globs.ts";

export interface Change {
  readonly path: string;
  /** Git mode of the entry: `000000` if it does not exist. */
  readonly modeBefore: string;
  readonly modeAfter: string;
  /** Target of a symbolic link; null for everything else. */
  readonly linksTo: string | null;
}

export interface PolicyViolation {
  readonly code: "policy_violation" | "protected_path" | "diff_too_large";
  readonly message: string;
}

export interface Policy {
  readonly protectedPaths: readonly string[];
  /** Globs in which new files are allowed, protected or not. */
  readonly mayAddIn?: readonly string[];
  readonly limits: { readonly maxChangedFiles: number | null; readonly maxDiffLines: number | null };
}

/** In bytes; non-ASCII characters take several. */
const NAME_MAX = 255;
const NONE = "000000";
const SYMBOLIC_LINK = "120000";
const OTHER_REPOSITORY = "160000";

export function judgeChanges(changes: readonly Change[], size: DiffSize, policy: Policy): readonly PolicyViolation[] {
  const isProtected = createMatcher(policy.protectedPaths);
  const forbidden = changes.flatMap((change) => forbiddenBecause(change).map((why) => violation(change.path, why)));
  // Ignore invalid globs: they match every path, which would allow everything here.
  const isOpen = createMatcher((policy.mayAddIn ?? []).filter((glob) => globIssue(glob) === null));
  const isNewInOpen = ({ path, modeBefore }: Change) => modeBefore === NONE && isOpen(path);
  const guarded = changes
    .filter((change) => isProtected(change.path) && !isNewInOpen(change))
    .map(({ path }) => protectedPath(path));
  const unread = guarded.length > 0 ? policy.protectedPaths.flatMap(invalidGlob) : [];
  return [...forbidden, ...unread, ...guarded, ...tooLarge(size, policy.limits)];
}

/** Reports invalid globs in settings that were stored before globs were validated. */
function invalidGlob(glob: string): PolicyViolation[] {
  const issue = globIssue(glob);
  if (issue === null) return [];
  const message = `the glob ${JSON.stringify(glob)} of \`protected_paths\` ${issue}; every path is protected until it is corrected`;
  return [{ code: "protected_path", message }];
}

function forbiddenBecause({ path, modeBefore, modeAfter, linksTo }: Change): string[] {
  const names = path.split("/");
  if (names.some((name) => /^(?:\.git|git~1)[ .]*$/i.test(name))) return ["is inside a .git folder"];
  if (names.some((name) => name.length > NAME_MAX)) return ["contains a name that exceeds the file system limit"];
  if (modeAfter === OTHER_REPOSITORY || (modeBefore === OTHER_REPOSITORY && modeAfter !== NONE))
    return ["is a nested repository"];
  if (modeAfter === SYMBOLIC_LINK && linksTo !== null && leadsOut(names, linksTo)) return ["links outside the tree"];
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
  // A link to `.git` would let a later change write there.
  return target.split("/").some((step) => step.toLowerCase() === ".git");
}

function violation(path: string, why: string): PolicyViolation {
  return { code: "policy_violation", message: `${JSON.stringify(path)} ${why}` };
}

function protectedPath(path: string): PolicyViolation {
  return { code: "protected_path", message: `${JSON.stringify(path)} is protected by the repository settings` };
}

function tooLarge(size: DiffSize, { maxChangedFiles, maxDiffLines }: Policy["limits"]): PolicyViolation[] {
  const lines = size.insertions + size.deletions - (size.lockLines ?? 0);
  return [
    ...exceeding(size.files, maxChangedFiles, "files changed"),
    ...exceeding(lines, maxDiffLines, "changed lines"),
  ];
}

function exceeding(count: number, limit: number | null, what: string): PolicyViolation[] {
  if (limit === null || count <= limit) return [];
  return [{ code: "diff_too_large", message: `${count} ${what}; the limit is ${limit}` }];
}

const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__)(?:\/|\.[^/]+$)|[._-](?:test|spec)s?\.[^/.]+$|(?:^|\/)test_[^/]+\.py$/i;

export function warningsOf(changes: readonly Change[]): readonly "tests_changed"[] {
  return changes.some(({ path, modeBefore }) => modeBefore !== NONE && TEST.test(path)) ? ["tests_changed"] : [];
}
