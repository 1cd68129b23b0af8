/** Environment of a command, injected so that tests run commands in their own process. */
import { access, constants, lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { RandomSource } from "@triptych/ids";
import type { Command } from "commander";
import { readSettings, type DirectoryConfig } from "../config.ts";
import type { StoreEvent } from "../store/directory-store.ts";
import { openStore, type OpenStore } from "../store/open-store.ts";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => number;
  readonly random: RandomSource;
  /** Lowers the priority and memory use of this process, for minutes of work next to a running service. */
  readonly lowerPriority?: () => void;
  /** Waits before cleanup, to leave a running service undisturbed; absent if none can run. */
  readonly pause?: (ms: number) => Promise<void>;
  /** Receives store events; by default the command prints them. */
  readonly report?: (event: StoreEvent) => void;
}

export interface OpenedStore extends OpenStore {
  readonly config: DirectoryConfig;
}

export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}

/** Printed after publication, because the user need not wait for the cleanup. */
export const FORGETTING = "Removing versions older than the last 5.";

export async function withStore<T>(context: CliContext, work: (opened: OpenedStore) => Promise<T>): Promise<T> {
  const config = readSettings(context.environment);
  const { now, pause, report = sayIfRefused(context.stderr) } = context;
  await using store = await openStore(config, { now, report, pause });
  return await work({ ...store, config });
}

function sayIfRefused(output: Output) {
  return (event: StoreEvent) => {
    if (event.what !== "refused" && event.what !== "differs") return;
    say(output, `Ignored the snapshot of version ${event.version}: ${event.reason ?? event.what}.`);
  };
}

/** A failure whose message came from a library, as a sentence. */
export function failure(cause: Error): Error {
  const { message } = cause;
  return new Error(`${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`, { cause });
}

export function usageError(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: 2, code: "triptych.use" });
}

/**
 * Whether a file here can be created or replaced. Pipes, devices and links (`/dev/stdout` is all three) are written in
 * place, because a rename would replace them.
 */
export async function isReplaceable(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found === null || found.isFile();
}

export async function requireWritable(path: string, command: Command): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return usageError(command, `${path} is a folder; pass a file path`);
  const target = (await isReplaceable(path)) ? dirname(path) : path;
  const isOpen = await access(target, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isOpen) return;
  usageError(
    command,
    target === path ? `${path} is not writable` : `the folder ${target} does not exist or is not writable`,
  );
}
