/** Restores and keeps the dependencies of a run, with messages on its bus. */
import type { RunFolders } from "../dependencies/dependency-cache.ts";
import type { PlannedInstall } from "../dependencies/run-dependencies.ts";
import type { RunContext } from "./run-context.ts";

export async function restoreDependencies(
  context: RunContext,
  planned: PlannedInstall,
  round: number,
): Promise<boolean> {
  const startedAt = context.elapsed();
  const isRestored = (await context.dependencies?.restore(planned, round, foldersOf(context))) === true;
  if (isRestored)
    say(context, `Dependencies restored from cache (${planned.label}, ${secondsSince(startedAt, context)})`, round);
  return isRestored;
}

/** A failure makes the next run slower, but does not affect the result of this run. */
export async function keepDependencies(context: RunContext, planned: PlannedInstall): Promise<void> {
  const startedAt = context.elapsed();
  const git = context.gitIn(context.treeOnDisk);
  const saving = context.dependencies?.keep(planned, git, foldersOf(context)) ?? Promise.resolve(null);
  const reason = await saving.catch((error: unknown) => {
    context.signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  });
  const text =
    reason === null
      ? `Dependencies cached (${planned.label}, ${secondsSince(startedAt, context)})`
      : `Dependencies not cached: ${reason}`;
  say(context, text, 0);
}

function foldersOf({ treeOnDisk, tree, home, signal }: RunContext): RunFolders {
  return { tree: treeOnDisk, home, seen: { tree, home }, signal };
}

function secondsSince(startedAt: number, { elapsed }: RunContext): string {
  return `${((elapsed() - startedAt) / 1000).toFixed(1)} s`;
}

function say({ reporter }: RunContext, text: string, round: number): void {
  reporter.say({ from: { role: "worker" }, kind: "log", text, round });
}
