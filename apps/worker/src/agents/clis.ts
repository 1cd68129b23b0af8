/** The known CLIs, in order of preference, and the detection of those installed. */
import { startAcp, type AcpCli } from "./acp.ts";
import type { Agent } from "./agent.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { isSince, versionIn, type Programs } from "./find-program.ts";
import { gemini } from "./gemini.ts";
import { startJsonl, type JsonlCli } from "./jsonl.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

export type AnyCli = JsonlCli | AcpCli;

export const CLIS: readonly AnyCli[] = [codex, claude, gemini, opencode, qwen, pi, cline];

export interface FoundCli {
  readonly cli: AnyCli;
  readonly program: string;
  /** The folder of all its files; null if they are part of the system that every sandbox shows. */
  readonly folder: string | null;
  /** Null if it did not print a version in time, and is therefore too slow or too broken to use. */
  readonly version: string | null;
  readonly models: readonly string[];
}

/** Enough for the slowest cold start on a busy machine. */
const VERSION_MS = 20_000;
const MODELS_MS = 20_000;

export async function findCli(cli: AnyCli, programs: Programs): Promise<FoundCli | undefined> {
  const program = await programs.find(cli.program);
  if (program === undefined) return undefined;
  const [version, models] = await Promise.all([
    programs.printed([program, "--version"], { timeoutMs: VERSION_MS, both: true }),
    cli.models === undefined ? undefined : programs.printed([program, ...cli.models.args], { timeoutMs: MODELS_MS }),
  ]);
  return {
    cli,
    program,
    folder: await programs.folderOf(program),
    version: versionIn(version ?? "") ?? null,
    models: models === undefined ? [] : (cli.models?.read(models) ?? []),
  };
}

export function isUsable({ cli, version }: FoundCli): boolean {
  return version !== null && isSince(version, cli.since);
}

export function agentOf(cli: AnyCli, program: string): Agent {
  return { start: (task) => (isJsonl(cli) ? startJsonl(cli, program, task) : startAcp(cli, program, task)) };
}

export function adapterOf(cli: AnyCli): "jsonl" | "acp" {
  return isJsonl(cli) ? "jsonl" : "acp";
}

function isJsonl(cli: AnyCli): cli is JsonlCli {
  return "listen" in cli;
}
