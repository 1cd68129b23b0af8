/**
 * Runs a command of the settings, or a gate. Only these are run by a shell, because their owner wrote them for one. The text is a single
 * argument, without interpolation.
 */
import type { ProcessEnd } from "../process/run-process.ts";
import type { LaunchPurpose } from "../sandbox/sandbox-factory.ts";
import { openCheckRepository } from "../git/check-repository.ts";
import { createTail } from "../process/tail.ts";
import type { RunContext } from "./run-context.ts";

export interface CommandRun {
  readonly end: ProcessEnd;
  /** The last MiB of output, redacted; paths are relative to the tree. */
  readonly output: string;
  readonly durationMs: number;
}

const TAIL_BYTES_MAX = 1024 * 1024;
const OUTPUT_BYTES = 256 * 1024 * 1024;

export interface ShellCommand {
  readonly command: string;
  readonly purpose: Extract<LaunchPurpose, "setup" | "check">;
  readonly timeoutMs: number;
  /** Variables in addition to those of the run. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function runShellCommand(context: RunContext, input: ShellCommand): Promise<CommandRun> {
  const { command, purpose, timeoutMs } = input;
  const tail = createTail(TAIL_BYTES_MAX);
  const startedAt = context.elapsed();
  await using _ = await openCheckRepository(context.checkRepository, context.treeOnDisk);
  const end = await context.sandbox.launcher(purpose)({
    argv: ["/bin/sh", "-c", command],
    cwd: context.tree,
    environment: {
      ...(purpose === "setup" && context.setupEnvironment),
      ...context.environment,
      ...input.environment,
    },
    limits: { timeoutMs, outputBytes: OUTPUT_BYTES },
    signal: context.signal,
    onStdout: tail.push,
    onStderr: tail.push,
  });
  context.signal.throwIfAborted();
  const durationMs = Math.round(context.elapsed() - startedAt);
  // Removes the path of this tree from the output, because readers have another tree or none.
  const output = tail.text().replaceAll(`${context.tree}/`, "").replaceAll(context.tree, ".");
  return { end, output: context.redactor.text(output), durationMs };
}

/** Null if a signal or a limit ended it. */
export function exitCodeOf({ end }: CommandRun): number | null {
  return end.kind === "exited" ? end.code : null;
}

export function isGreen({ end }: CommandRun): boolean {
  return end.kind === "exited" && end.code === 0;
}

export function endingOf({ end }: CommandRun): string {
  return end.kind === "exited" ? `exit code ${end.code}` : end.kind.replaceAll("_", " ");
}
