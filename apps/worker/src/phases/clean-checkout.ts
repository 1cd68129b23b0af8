/**
 * What the checks judge: the base with the agent's changes as they would be delivered, set up anew, and nothing else. The tree that the
 * agent worked in is not looked at: what git ignores there (packages, builds, caches) could be made to say anything, and nobody would
 * see it in the pull request.
 */
import { rm } from "node:fs/promises";
import type { Scene } from "./run-context.ts";

export interface AsDelivered extends AsyncDisposable {
  readonly scene: Scene;
}

export async function openAsDelivered(scene: Scene, treeId: string): Promise<AsDelivered> {
  await using stack = new AsyncDisposableStack();
  const clean = stack.use(await scene.enclosure.openCleanTree());
  // An index beside the tree is gone with it.
  const environment = { GIT_INDEX_FILE: `${clean.tree}.index` };
  stack.defer(() => rm(environment.GIT_INDEX_FILE, { force: true }));
  await scene.gitIn(clean.tree).run(["read-tree", "--reset", "-u", treeId], { environment });
  const opened = stack.move();
  return {
    scene: {
      ...scene,
      tree: clean.seenAs,
      treeOnDisk: clean.tree,
      enclosure: { ...scene.enclosure, launcher: clean.launcher },
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
