/**
 * A coding CLI as data: where it is found, from which version on it is spoken to like this, and how it is told its task. Its stream
 * is read by `jsonl.ts` or `acp.ts`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProcessSpec } from "../process/run-process.ts";
import type { AgentTask } from "./agent.ts";

export interface Cli {
  /** As a team names it. */
  readonly name: string;
  /** Looked for in PATH. */
  readonly program: string;
  /** The oldest version that these words were tried with or are known to hold for. */
  readonly since: string;
  /** What a person runs to have it. */
  readonly install: string;
  /** Says which models there are, a word a line or as JSON; absent: it cannot tell. */
  readonly models?: { readonly args: readonly string[]; read(printed: string): readonly string[] };
  /** The provider whose wire it speaks to the door. */
  readonly provider: "openai" | "anthropic" | "gemini";
  begin(task: AgentTask, model: ModelWay): Beginning;
}

/** How the CLI comes to its model. */
export interface ModelWay {
  /** Base address of the provider; null: the CLI's own. */
  readonly address: string | null;
  /** In place of a key. */
  readonly pass: string;
}

export interface Beginning {
  readonly args: readonly string[];
  /** Besides those of every process of the run. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Settings, by their path in its home. */
  readonly files?: Readonly<Record<string, string>>;
  /** What it reads from its standard input; absent: nothing. */
  readonly input?: string;
}

/** For CLIs that have no model of their own: one that is offered to everybody. */
export const USUAL_OPENAI_MODEL = "gpt-5.5";

const NO_PASS = "";

export function wayOf({ provider }: Cli, { modelProxy }: AgentTask): ModelWay {
  const address = modelProxy?.addressOf(provider) ?? null;
  return { address, pass: address === null ? NO_PASS : (modelProxy?.pass ?? NO_PASS) };
}

/** More than this is not read any further. */
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** All of an order but who hears it. */
export async function toProcessSpec(
  cli: Cli,
  program: string,
  task: AgentTask,
): Promise<Omit<ProcessSpec, "signal"> & { readonly input?: string }> {
  const { args, environment, files, input } = cli.begin(task, wayOf(cli, task));
  const argv = [program, ...args];
  return {
    argv: files === undefined ? argv : [...BRING, await written(files, join(task.folder, cli.name)), ...argv],
    cwd: task.tree,
    environment: { ...task.environment, ...environment },
    limits: { ...task.limits, outputBytes: OUTPUT_BYTES },
    ...(input !== undefined && { input }),
  };
}

/**
 * A home inside an enclosure is made with it, so settings are written outside and are brought into it by the shell that starts the
 * CLI. Its text is fixed; what is copied and what is started reach it as arguments.
 */
const BRING = ["/bin/sh", "-c", 'cp -R "$1/." "$HOME" && shift && exec "$@"', "sh"];

async function written(files: Readonly<Record<string, string>>, folder: string): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  }
  return folder;
}
