/** A coding CLI as data: where to find it, its minimum version and its arguments. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProcessSpec } from "../process/run-process.ts";
import type { AgentTask } from "./agent.ts";

export interface Cli {
  /** The name that teams use. */
  readonly name: string;
  readonly program: string;
  /** The oldest version that these arguments are known to work with. */
  readonly since: string;
  readonly install: string;
  /** Lists the models, one per line or as JSON; absent if the CLI cannot. */
  readonly models?: { readonly args: readonly string[]; read(printed: string): readonly string[] };
  /** The provider whose API it calls through the model proxy. */
  readonly provider: "openai" | "anthropic" | "gemini";
  begin(task: AgentTask, model: ModelWay): Beginning;
}

/** How the CLI reaches its model. */
export interface ModelWay {
  /** Base address of the provider; null for the CLI's default. */
  readonly address: string | null;
  /** Sent instead of a key. */
  readonly pass: string;
}

export interface Beginning {
  readonly args: readonly string[];
  /** In addition to the variables of every process of the run. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Settings, by path in its home. */
  readonly files?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** A model that everyone can use, for CLIs without a configured model. */
export const USUAL_OPENAI_MODEL = "gpt-5.5";

const NO_PASS = "";

export function modelWay({ provider }: Cli, { modelProxy }: AgentTask): ModelWay {
  const address = modelProxy?.addressOf(provider) ?? null;
  return { address, pass: address === null ? NO_PASS : (modelProxy?.pass ?? NO_PASS) };
}

/** Output beyond this limit is not read. */
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** The process that executes a task. */
export async function toProcessSpec(
  cli: Cli,
  program: string,
  task: AgentTask,
): Promise<Omit<ProcessSpec, "signal"> & { readonly input?: string }> {
  const { args, environment, files, input } = cli.begin(task, modelWay(cli, task));
  const argv = [program, ...args];
  return {
    argv:
      files === undefined
        ? argv
        : [...COPY_SETTINGS_THEN_RUN, await written(files, join(task.folder, cli.name)), ...argv],
    cwd: task.tree,
    environment: { ...task.environment, ...environment },
    limits: { ...task.limits, outputBytes: OUTPUT_BYTES },
    ...(input !== undefined && { input }),
  };
}

/**
 * A sandbox creates the home, so a shell inside copies the settings into it first. The shell's text is fixed; paths and argv are its
 * arguments.
 */
const COPY_SETTINGS_THEN_RUN = ["/bin/sh", "-c", 'cp -R "$1/." "$HOME" && shift && exec "$@"', "sh"];

async function written(files: Readonly<Record<string, string>>, folder: string): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { mode: 0o600 });
  }
  return folder;
}
