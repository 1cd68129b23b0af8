/**
 * The tree for the checks: the base with the delivered changes, set up from scratch. In the agent's own tree, ignored files (packages,
 * builds, caches) could fake a result.
 */
import { rm } from "node:fs/promises";
import type { RunContext } from "./run-context.ts";

export interface CleanCheckout extends AsyncDisposable {
  readonly context: RunContext;
}

export async function openAsDelivered(context: RunContext, treeId: string): Promise<CleanCheckout> {
  await using stack = new AsyncDisposableStack();
  const clean = stack.use(await context.sandbox.openCleanTree());
  // An index beside the tree is removed with it.
  const environment = { GIT_INDEX_FILE: `${clean.tree}.index` };
  stack.defer(() => rm(environment.GIT_INDEX_FILE, { force: true }));
  await context.gitIn(clean.tree).run(["read-tree", "--reset", "-u", treeId], { environment });
  const opened = stack.move();
  return {
    context: {
      ...context,
      tree: clean.seenAs,
      treeOnDisk: clean.tree,
      sandbox: { ...context.sandbox, launcher: clean.launcher },
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
