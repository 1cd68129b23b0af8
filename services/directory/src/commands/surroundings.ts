/** What a command may touch of the world around it, given to it so that tests run commands in their own process. */
import { access, constants, lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { RandomSource } from "@triptych/metering";
import { readConfig } from "@triptych/server";
import type { Command } from "commander";
import { DirectoryConfig } from "../config.ts";
import type { StoreEvent } from "../store/directory-store.ts";
import { openStore, type OpenStore } from "../store/open-store.ts";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
}

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => number;
  readonly random: RandomSource;
  /** Lets other processes go first and leaves them memory, for work that may take minutes beside a service. */
  readonly yieldToOthers?: () => void;
  /** Waits; absent where no service may be beside, which a publication would leave in peace. */
  readonly pause?: (ms: number) => Promise<void>;
  /** Takes what the store has to say; absent, the command says it itself. */
  readonly report?: (event: StoreEvent) => void;
}

/** A command with the store open. */
export interface Opened extends OpenStore {
  readonly config: DirectoryConfig;
}

/** Lines are made for this width where the output is no terminal, or one that does not know its own and says 0. */
const USUAL_WIDTH = 100;

export function widthOf(output: Output): number {
  return output.columns || USUAL_WIDTH;
}

export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}

/** Said once a version is published, when there is something to forget: nobody has to wait for the end of it. */
export const FORGETTING = "Removing versions older than the last 5.";

/** Runs a command with the store as configured, and closes it whatever happens. */
export async function withStore<T>(surroundings: Surroundings, work: (opened: Opened) => Promise<T>): Promise<T> {
  const config = readConfig(DirectoryConfig, surroundings.environment);
  const { now, pause, report = sayIfRefused(surroundings.stderr) } = surroundings;
  await using store = await openStore(config, { now, report, pause });
  return await work({ ...store, config });
}

function sayIfRefused(output: Output) {
  return (event: StoreEvent) => {
    if (event.what !== "refused" && event.what !== "differs") return;
    say(output, `The snapshot of version ${event.version} was not used: ${event.reason ?? event.what}.`);
  };
}

/** The words of the command are wrong: says what is, points at the help, and ends with 2. */
export function refuseUse(command: Command, message: string): never {
  return command.error(`error: ${message}`, { exitCode: 2, code: "triptych.use" });
}

/**
 * A file at this path can be made or replaced. A pipe, a device or a link (`/dev/stdout` is all three) cannot be replaced: it is
 * written to as it stands, because a file in its place would end what it is for.
 */
export async function isReplaceable(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found === null || found.isFile();
}

/** A file can be written at this path, as far as that can be known: said before the work, whose fruit it is to hold. */
export async function requireWritable(path: string, command: Command): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return refuseUse(command, `${path} is a folder; name a file`);
  const place = (await isReplaceable(path)) ? dirname(path) : path;
  const isOpen = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isOpen) return;
  refuseUse(
    command,
    place === path ? `${path} cannot be written to` : `the folder ${place} does not exist or cannot be written to`,
  );
}
