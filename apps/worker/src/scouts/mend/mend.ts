/** The agent `mend`: applies `planRepair` for the gate of its run. No model, no prompt. */
import { NO_USAGE } from "../../run/usage.ts";
import { constants } from "node:fs";
import { lstat, open, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Agent, type AgentEnd, type AgentItem, type AgentMember, type AgentTask } from "../../agents/agent.ts";
import type { Environment } from "../../process/environment.ts";
import { LOCK_PATHS } from "../reading/lock-files.ts";
import { readFolder, type Tree } from "../reading/tree.ts";
import { networkAccessOf } from "../network-access.ts";
import { planRepair } from "./plan-repair.ts";
import type { Repair } from "./repair.ts";
import { updateLock, type LockUpdateResult } from "./update-lock.ts";

export interface MendOptions {
  readonly year: number;
  /** In ms since 1970. */
  readonly now?: () => number;
  /** This machine's npm registry, which the scout also uses. Throws a message if none is configured. */
  readonly registryAddress: () => Promise<string>;
}

/** Creates the agent for a worker with this environment; a run passes the gate as its command. */
export function mendOf(host: Readonly<Record<string, string | undefined>>): (member: AgentMember) => Agent {
  const { registryAddress } = networkAccessOf(host);
  return ({ command }) => createMend(command?.[0] ?? null, { year: new Date().getUTCFullYear(), registryAddress });
}

/** `gate`: the command that must pass; null if the run has none. */
export function createMend(gate: string | null, options: MendOptions): Agent {
  return {
    isDeterministic: true,
    usesSetupEnvironment: true,
    start(task) {
      const cancelled = new AbortController();
      let end: AgentEnd = { kind: "running" };
      return {
        cancel: () => cancelled.abort(),
        usage: () => NO_USAGE,
        end: () => end,
        async *[Symbol.asyncIterator](): AsyncGenerator<AgentItem> {
          if (gate === null) return void (end = { kind: "failed", message: NO_GATE });
          const tree = await trackedTree(task);
          const repair = await planRepair(gate, { tree, year: options.year });
          if (repair === null) {
            end = { kind: "failed", message: `no automatic repair for: ${gate}` };
            return;
          }
          yield { kind: "tool_call", text: repair.summary };
          const updated = await apply(task, repair, { ...options, tree, signal: cancelled.signal });
          end = updated.end;
          if (updated.output !== "") yield { kind: "log", text: `${updated.output}\n` };
        },
      };
    },
  };
}

/** A lock file that git ignores or does not track comes from setup, not from the repository. */
async function trackedTree(task: AgentTask): Promise<Tree> {
  const tree = await readFolder(task.tree);
  const locks = [...tree.files.keys()].filter((path) => LOCK_PATHS.includes(basename(path)));
  const isTracked = await Promise.all(locks.map(async (path) => (await task.isTracked?.(path)) ?? true));
  const untracked = new Set(locks.filter((_, index) => !isTracked[index]));
  return { ...tree, files: new Map([...tree.files].filter(([path]) => !untracked.has(path))) };
}

const NO_GATE = "mend requires a gate, and this run has none";

/** With pins the lock tool runs twice: first with exact versions, then with the ranges, which keeps these versions. */
async function apply(task: AgentTask, repair: Repair, bringing: UpdateContext): Promise<LockUpdateResult> {
  const { pins, lockTool } = repair;
  if (pins != null && lockTool !== null) {
    await write(task.tree, pins.edits);
    const pinned = await bring(task, repair, bringing);
    if (pinned.end.kind !== "done") return pinned;
    const { renameRange } = lockTool;
    if (renameRange !== undefined) {
      const lock = await readFile(join(task.tree, pins.lockPath), "utf8");
      await write(task.tree, [{ path: pins.lockPath, text: pins.ranges.reduce(renameRange, lock) }]);
    }
  }
  await write(task.tree, repair.edits);
  return bring(task, repair, bringing);
}

/** Writes the file itself, never through a link. */
async function write(tree: string, edits: Repair["edits"]): Promise<void> {
  for (const { path, text } of edits) {
    const file = join(tree, path);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
    await using handle = await open(file, flags, (await lstat(file).catch(() => null))?.mode ?? 0o644);
    await handle.writeFile(text);
  }
}

interface UpdateContext extends MendOptions {
  readonly tree: Tree;
  readonly signal: AbortSignal;
}

const DONE: LockUpdateResult = { end: { kind: "done", exitCode: 0, error: null }, output: "" };

/** A failure includes the end of the package manager's output: the run page shows it without the bus. */
async function bring(
  task: AgentTask,
  { lockTool: tool, lockPath, pins }: Repair,
  { registryAddress, tree, signal, now = Date.now }: UpdateContext,
): Promise<LockUpdateResult> {
  if (tool === null) return DONE;
  const registry = (await isTrustedRegistry(tree, task.environment)) ? null : await registryAddress();
  const folder = dirname(lockPath ?? "");
  const minAgeDays = pins?.minAgeDays ?? 0;
  const moreArgs = minAgeDays === 0 ? [] : (tool.ageArgs?.(minAgeDays, now()) ?? []);
  const { end, output } = await updateLock(task, { tool, registry, signal, folder, moreArgs });
  return end.kind === "failed" && output !== ""
    ? { end: { ...end, message: `${end.message}: ${output.slice(-MESSAGE)}` }, output }
    : { end, output };
}

const MESSAGE = 1_000;

/** Whether the repository names a registry and a token variable, and its owner has set that variable. */
async function isTrustedRegistry(tree: Tree, environment: Environment): Promise<boolean> {
  const npmrc = (await tree.read(".npmrc")) ?? "";
  const yarnrc = (await tree.read(".yarnrc.yml")) ?? "";
  const [, name = ""] =
    (/^\s*registry\s*=/m.test(npmrc) ? /:_auth(?:Token)?\s*=\s*"?\$\{(\w+)\??\}/.exec(npmrc) : null) ??
    (/^npmRegistryServer:/m.test(yarnrc) ? /npmAuth(?:Token|Ident):\s*"?\$\{(\w+)/.exec(yarnrc) : null) ??
    [];
  return environment[name] !== undefined;
}
