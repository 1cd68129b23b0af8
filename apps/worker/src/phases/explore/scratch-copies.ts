/** Disposable copies of a tree, each in its own sandbox, so that no command affects the next. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { copyTree, removeFolder } from "../../process/folders.ts";
import { endingOf, exitCodeOf, runShellCommand } from "../shell-command.ts";
import { foldersOf, missingTool } from "../../process/missing-tool.ts";
import { AT_BASE, GATE_AT } from "../../scouts/gate-command/gate-protocol.ts";
import type { RunContext } from "../run-context.ts";
import type { TriedCommand } from "../../scouts/scan/check.ts";
import type { SandboxFactory } from "../../sandbox/sandbox-factory.ts";

export interface Copies {
  /** A copy that stays until the end of the run. */
  keep(context: RunContext, name: string): Promise<ScratchCopy>;
  /** Calls `act` in a copy of the run's tree, under the same rules. */
  inCopy<T>(context: RunContext, act: (context: RunContext) => Promise<T>): Promise<T>;
}

export interface ScratchCopy extends AsyncDisposable {
  readonly context: RunContext;
}

/** Runs a command like a check at the base. */
export async function tryCommand(context: RunContext, command: string, timeoutS: number): Promise<TriedCommand> {
  const environment = { [GATE_AT]: AT_BASE };
  const run = await runShellCommand(context, { command, purpose: "check", timeoutMs: timeoutS * 1000, environment });
  const [exitCode, { output, durationMs }] = [exitCodeOf(run), run];
  const missing = missingTool({ exitCode, output }, await foldersOf(context.tree));
  return { exitCode, ending: endingOf(run), durationMs, output, missing };
}

export type EncloseTree = (tree: string) => Promise<SandboxFactory>;

export function createCopies(folder: string, enclose: EncloseTree): Copies {
  let count = 0;

  async function keep(context: RunContext, name: string): Promise<ScratchCopy> {
    const tree = join(folder, `${count++}-${name}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await copyTree(context.tree, tree);
    const sandbox = await enclose(tree);
    return {
      context: { ...context, tree, treeOnDisk: tree, sandbox },
      async [Symbol.asyncDispose]() {
        await sandbox[Symbol.asyncDispose]();
        await removeFolder(tree);
      },
    };
  }

  return {
    keep,
    async inCopy(context, act) {
      await using copy = await keep(context, "copy");
      return await act(copy.context);
    },
  };
}
