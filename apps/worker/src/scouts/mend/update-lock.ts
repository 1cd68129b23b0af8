/** Runs the repository's package manager on its lock file, in the sandbox of the run. */
import { join } from "node:path";
import type { AgentEnd, AgentTask } from "../../agents/agent.ts";
import type { ProcessEnd } from "../../process/run-process.ts";
import { createTail } from "../../process/tail.ts";
import type { LockTool } from "./lock-tool.ts";

const OUTPUT_BYTES = 16 * 1024 * 1024;
const TAIL_BYTES_MAX = 4_000;
const TAIL_LINES_MAX = 15;

export interface LockUpdate {
  readonly tool: LockTool;
  /** Null for the registry that the repository configures. */
  readonly registry: string | null;
  readonly signal: AbortSignal;
  /** Folder of the lock file, relative to the root, in which its package manager runs. */
  readonly folder?: string;
  /** Further arguments, such as those for the age of releases. */
  readonly moreArgs?: readonly string[];
}

export interface LockUpdateResult {
  readonly end: AgentEnd;
  readonly output: string;
}

/** Uses the installed program if it writes the same format, otherwise the one that npm fetches. */
export async function updateLock(
  root: AgentTask,
  { tool, registry, signal, folder = "", moreArgs = [] }: LockUpdate,
): Promise<LockUpdateResult> {
  const task = { ...root, tree: join(root.tree, folder) };
  const temporary = task.environment["TMPDIR"] ?? task.folder;
  const option = registry === null ? [] : ["--registry", registry];
  const args = [...tool.args(option, temporary), ...moreArgs];
  const isToolInstalled = await isInstalled(task, tool, signal);
  const fetched = ["npm", "exec", "--yes", ...option, `--package=${tool.spec}`, "--", tool.program];
  const tail = createTail(TAIL_BYTES_MAX);
  const end = await launch(task, [...(isToolInstalled ? [tool.program] : fetched), ...args], {
    signal,
    environment: tool.environment(registry, temporary),
    onOutput: tail.push,
  });
  if (end.kind === "exited" && end.code === 0) return { end: { kind: "done", exitCode: 0, error: null }, output: "" };
  const lines = tail.text().trimEnd().split("\n");
  return {
    end: endOf(end, isToolInstalled ? tool.program : tool.spec, args),
    output: lines.slice(-TAIL_LINES_MAX).join("\n"),
  };
}

async function isInstalled(task: AgentTask, { program, major }: LockTool, signal: AbortSignal): Promise<boolean> {
  if (major === null) return true;
  const versionTail = createTail(TAIL_BYTES_MAX);
  const end = await launch(task, [program, "--version"], { signal, environment: {}, onOutput: versionTail.push });
  return (
    end.kind === "exited" &&
    end.code === 0 &&
    Number.parseInt(versionTail.text().trim().split("\n").at(-1) ?? "", 10) === major
  );
}

interface LaunchOptions {
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string>>;
  readonly onOutput: (chunk: Buffer) => void;
}

function launch(
  task: AgentTask,
  argv: readonly string[],
  { signal, environment, onOutput }: LaunchOptions,
): Promise<ProcessEnd> {
  return task.launch({
    argv,
    cwd: task.tree,
    environment: { ...task.environment, ...environment },
    limits: { ...task.limits, outputBytes: OUTPUT_BYTES },
    signal,
    onStdout: onOutput,
    onStderr: onOutput,
  });
}

function endOf(end: ProcessEnd, program: string, [subcommand = "", option = ""]: readonly string[]): AgentEnd {
  const command = `${program} ${subcommand} ${option}`;
  switch (end.kind) {
    case "cancelled":
      return { kind: "cancelled" };
    case "exited":
      return { kind: "failed", message: `${command} failed with exit code ${end.code}` };
    case "killed":
      return { kind: "failed", message: `${command} was killed by ${end.signal}` };
    case "not_started":
      return { kind: "failed", message: `${command} could not be started: ${end.reason}` };
    case "output_limit":
      return { kind: "failed", message: `${command} printed more than ${OUTPUT_BYTES} bytes` };
    case "timeout":
    case "silence":
      return { kind: end.kind };
  }
}
