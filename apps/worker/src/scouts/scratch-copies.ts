/**
 * Throw-away copies of a tree: whatever a command does in one, the next command finds the tree as it was. Each has an enclosure of its
 * own, and goes when its command is done.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { copyTree, removeFolder } from "../folders.ts";
import { endingOf, exitCodeOf, runShellCommand } from "../phases/shell-command.ts";
import { foldersOf, missingTool } from "../verification/missing-tool.ts";
import type { Scene } from "../phases/run-context.ts";
import type { Enclosure } from "../sandbox/sandbox-factory.ts";

export interface Copies {
  /** A copy that stays till the end of the run. */
  keep(scene: Scene, name: string): Promise<Kept>;
  /** In a copy of the scene's tree, under the same rules. */
  inCopy<T>(scene: Scene, act: (scene: Scene) => Promise<T>): Promise<T>;
}

export interface Kept extends AsyncDisposable {
  readonly scene: Scene;
}

export interface TriedCommand {
  /** Null where a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly ending: string;
  readonly durationMs: number;
  readonly output: string;
  /** What is missing, where it could not run. */
  readonly missing: string | null;
}

/** As a check. */
export async function tryCommand(scene: Scene, command: string, timeoutS: number): Promise<TriedCommand> {
  const run = await runShellCommand(scene, { command, purpose: "check", timeoutMs: timeoutS * 1000 });
  const [exitCode, { output, durationMs }] = [exitCodeOf(run), run];
  const missing = missingTool({ exitCode, output }, await foldersOf(scene.tree));
  return { exitCode, ending: endingOf(run), durationMs, output, missing };
}

export type EncloseTree = (tree: string) => Promise<Enclosure>;

export function createCopies(folder: string, enclose: EncloseTree): Copies {
  let count = 0;

  async function keep(scene: Scene, name: string): Promise<Kept> {
    const tree = join(folder, `${count++}-${name}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyTree(scene.tree, tree);
    const enclosure = await enclose(tree);
    return {
      scene: { ...scene, tree, treeOnDisk: tree, enclosure },
      async [Symbol.asyncDispose]() {
        await enclosure[Symbol.asyncDispose]();
        await removeFolder(tree);
      },
    };
  }

  return {
    keep,
    async inCopy(scene, act) {
      await using kept = await keep(scene, "copy");
      return await act(kept.scene);
    },
  };
}
