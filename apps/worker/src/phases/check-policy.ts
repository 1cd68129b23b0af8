/** Checks what is to be delivered against the repository's rules, the caps of the run, and secrets in added lines. */
import { ADDED_DIFF, judgeChanges, readAdded, warningsOf, type Change, type DiffSize } from "@triptych/change-policy";
import { formatSecretLocation, findSecrets } from "@triptych/redaction";
import { RunError } from "../run/run-error.ts";
import type { RunWarning } from "../run/run-request.ts";
import type { RunContext } from "./run-context.ts";

export interface PolicyCheck {
  readonly diff: DiffSize;
  readonly paths: readonly string[];
  readonly warnings: readonly RunWarning[];
}

/** Throws `RunError` with all violations; the most severe sets the code. */
export async function inspect(context: RunContext, treeId: string): Promise<PolicyCheck> {
  const { limits, protectedPaths, mayAddProtected = false } = context.request;
  const changes = await context.snapshots.changes(treeId);
  const diff = await context.snapshots.size(treeId);
  const violations = judgeChanges(changes, diff, {
    limits,
    protectedPaths,
    mayAddIn: mayAddProtected ? protectedPaths : [],
  });
  if (violations.length > 0) throw new RunError(violations[0].code, listed(violations.map(({ message }) => message)));
  await refuseSecrets(context, treeId, changes);
  return { diff, paths: changes.map(({ path }) => path), warnings: warningsOf(changes) };
}

async function refuseSecrets(context: RunContext, treeId: string, changes: readonly Change[]): Promise<void> {
  const added = readAdded((await context.git.run([...ADDED_DIFF, context.comparedWith, treeId])).toString("utf8"));
  const names = { path: "names of files", text: changes.map(({ path }) => path).join("\n"), lines: [] };
  const locations = await findSecrets(context.redactor, [names, ...added]);
  if (locations.length > 0) throw new RunError("secret_in_diff", listed(locations.map(formatSecretLocation)));
}

const NAMED = 20;

function listed(messages: readonly string[]): string {
  const more = messages.length > NAMED ? `; and ${messages.length - NAMED} more` : "";
  return messages.slice(0, NAMED).join("; ") + more;
}
