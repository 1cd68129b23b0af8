/** Looks at what would be delivered: the rules of the repository, the caps of the run, and secrets in what is added. */
import { judgeChanges, warningsOf, type Change } from "@triptych/change-policy";
import { addedText } from "../git/added-lines.ts";
import { RunFault } from "../run-fault.ts";
import type { DiffSize, RunWarning } from "../run-order.ts";
import type { Scene } from "./scene.ts";

export interface Inspected {
  readonly diff: DiffSize;
  readonly paths: readonly string[];
  readonly warnings: readonly RunWarning[];
}

/** Throws `RunFault` with every fault found; the gravest gives the code. */
export async function inspect(scene: Scene, treeId: string): Promise<Inspected> {
  const { limits, protectedPaths, mayAddProtected = false } = scene.order;
  const changes = await scene.snapshots.changes(treeId);
  const diff = await scene.snapshots.size(treeId);
  const faults = judgeChanges(changes, diff, {
    limits,
    protectedPaths,
    mayAddIn: mayAddProtected ? protectedPaths : [],
  });
  if (faults.length > 0) throw new RunFault(faults[0].code, listed(faults.map(({ message }) => message)));
  await refuseSecrets(scene, treeId, changes);
  return { diff, paths: changes.map(({ path }) => path), warnings: warningsOf(changes) };
}

async function refuseSecrets(scene: Scene, treeId: string, changes: readonly Change[]): Promise<void> {
  const range = [scene.order.clone.sha, treeId] as const;
  const inNames = scene.redactor.find(changes.map(({ path }) => path).join("\n"));
  if (inNames.length > 0) throw new RunFault("secret_in_diff", `the name of a file holds ${inNames.join(", ")}`);
  if (scene.redactor.find(await addedText(scene.git, range)).length === 0) return;
  const places: string[] = [];
  for (const { path } of changes) {
    const names = scene.redactor.find(await addedText(scene.git, range, path));
    if (names.length > 0) places.push(`${JSON.stringify(path)} holds ${names.join(", ")}`);
  }
  // Where the lines of two files make one secret together, no single file is to blame.
  throw new RunFault("secret_in_diff", places.length === 0 ? "the change holds a secret" : listed(places));
}

const NAMED = 20;

function listed(messages: readonly string[]): string {
  const more = messages.length > NAMED ? `; and ${messages.length - NAMED} more` : "";
  return messages.slice(0, NAMED).join("; ") + more;
}
