/** The agent `mend`: does what `planRepair` says for the gate of its run, in the tree, and is done. No model, no prompt. */
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { NO_USAGE, type Agent, type AgentEnd, type AgentItem, type AgentTask } from "../agents/agent.ts";
import { readFolder } from "../scouts/reading/tree.ts";
import { planRepair } from "./plan-repair.ts";
import type { Repair } from "./repair.ts";

const OUTPUT_BYTES = 16 * 1024 * 1024;

export interface MendOptions {
  readonly year: number;
  /** The npm registry of this machine, which a scout asks too. Throws a sentence where none is known. */
  readonly registryAddress: () => Promise<string>;
}

/** `gate`: the command that is to become green; null where the run has none. */
export function createMend(gate: string | null, { year, registryAddress }: MendOptions): Agent {
  return {
    start(task) {
      const cancelled = new AbortController();
      let end: AgentEnd = { kind: "running" };
      return {
        cancel: () => cancelled.abort(),
        usage: () => NO_USAGE,
        end: () => end,
        async *[Symbol.asyncIterator](): AsyncGenerator<AgentItem> {
          const repair = gate === null ? null : await planRepair(gate, { tree: await readFolder(task.tree), year });
          if (repair === null) {
            end = {
              kind: "failed",
              message: gate === null ? NO_GATE : `there is no repair without judgement for: ${gate}`,
            };
            return;
          }
          yield { kind: "tool_call", text: repair.says };
          await write(task.tree, repair);
          end =
            repair.command === null
              ? { kind: "done", exitCode: 0, trouble: null }
              : await bring(task, repair.command(await registryAddress()), cancelled.signal);
        },
      };
    },
  };
}

const NO_GATE = "mend works on the gate of a run, and this run has none";

/** Each file itself: a link that stands in its place is not written through. */
async function write(tree: string, { edits }: Repair): Promise<void> {
  for (const { path, text } of edits) {
    const file = join(tree, path);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
    await using handle = await open(file, flags, (await lstat(file).catch(() => null))?.mode ?? 0o644);
    await handle.writeFile(text);
  }
}

async function bring(task: AgentTask, argv: readonly string[], signal: AbortSignal): Promise<AgentEnd> {
  const limits = { ...task.limits, outputBytes: OUTPUT_BYTES };
  const end = await task.launch({ argv, cwd: task.tree, environment: task.environment, limits, signal });
  if (end.kind === "exited" && end.code === 0) return { kind: "done", exitCode: 0, trouble: null };
  return end.kind === "cancelled"
    ? { kind: "cancelled" }
    : { kind: "failed", message: `${argv.join(" ")} ended as ${end.kind}` };
}
