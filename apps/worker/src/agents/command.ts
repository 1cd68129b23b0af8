/** Any command as an agent, started without a shell. The prompt is passed as a file, so that none of it can become an argument. */
import { NO_USAGE } from "../run/usage.ts";
import { StringDecoder } from "node:string_decoder";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProcessEnd } from "../process/run-process.ts";
import { type Agent, type AgentEnd, type AgentItem, type AgentTask } from "./agent.ts";
import { createItems } from "./items.ts";

/** Output beyond this limit is not read. */
const OUTPUT_BYTES = 64 * 1024 * 1024;

export function createCommandAgent(argv: readonly string[]): Agent {
  return {
    start(task) {
      const cancelled = new AbortController();
      let end: AgentEnd = { kind: "running" };
      return {
        cancel: () => cancelled.abort(),
        usage: () => NO_USAGE,
        end: () => end,
        async *[Symbol.asyncIterator]() {
          const items = createItems<AgentItem>();
          const running = run(argv, task, { signal: cancelled.signal, say: items.push }).finally(items.close);
          yield* items;
          end = endOf(await running, argv);
        },
      };
    },
  };
}

interface OutputParts {
  readonly signal: AbortSignal;
  readonly say: (item: AgentItem) => void;
}

async function run(argv: readonly string[], task: AgentTask, { signal, say }: OutputParts): Promise<ProcessEnd> {
  const promptFile = join(task.folder, `prompt-${task.round}.md`);
  await writeFile(promptFile, task.prompt, { mode: 0o600 });
  const decoder = new StringDecoder("utf8");
  const onChunk = (chunk: Buffer) => {
    const text = decoder.write(chunk);
    if (text !== "") say({ kind: "log", text });
  };
  return task.launch({
    argv: filled(argv, { prompt_file: promptFile, worktree: task.tree, model: task.model ?? "" }),
    cwd: task.tree,
    environment: task.environment,
    limits: { ...task.limits, outputBytes: OUTPUT_BYTES },
    signal,
    onStdout: onChunk,
    onStderr: onChunk,
  });
}

/** Fills in all placeholders in one pass, so that a value that looks like a placeholder stays unchanged. */
function filled(argv: readonly string[], values: Readonly<Record<string, string>>): string[] {
  return argv.map((arg) => arg.replaceAll(/\{(prompt_file|worktree|model)\}/g, (_, name: string) => values[name]));
}

function endOf(end: ProcessEnd, [program]: readonly string[]): AgentEnd {
  switch (end.kind) {
    case "exited":
      return { kind: "done", exitCode: end.code, error: null };
    case "killed":
      return { kind: "failed", message: `${program} was killed by ${end.signal}` };
    case "not_started":
      return { kind: "failed", message: `${program} could not be started: ${end.reason}` };
    case "output_limit":
      return { kind: "failed", message: `the output of ${program} exceeds ${OUTPUT_BYTES} bytes` };
    case "timeout":
    case "silence":
    case "cancelled":
      return { kind: end.kind };
  }
}
