/**
 * Agents that print one JSON object per line. A line that is not JSON becomes a log; an unknown event is ignored, because newer versions
 * add events.
 */
import type { Usage } from "../run/usage.ts";
import type { ProcessEnd } from "../process/run-process.ts";
import type { AgentEnd, AgentItem, AgentSession, AgentTask, AgentError } from "./agent.ts";
import { toProcessSpec, type Cli } from "./cli.ts";
import { createOutputCollector } from "./output-collector.ts";
import { readObject, type Json } from "../process/json-access.ts";
import { toAgentError } from "./agent-errors.ts";

export interface JsonlCli extends Cli {
  listen(): EventHandler;
}

/** Parses the events of one process, in order. */
export interface EventHandler {
  handle(event: Json): readonly AgentItem[];
  usage(): Usage;
  /** The error that made the agent give up, in its own words; null if there is none. */
  error(): string | null;
}

export function startJsonl(cli: JsonlCli, program: string, task: AgentTask): AgentSession {
  const cancelled = new AbortController();
  const listener = cli.listen();
  let end: AgentEnd = { kind: "running" };
  return {
    cancel: () => cancelled.abort(),
    usage: () => listener.usage(),
    end: () => end,
    async *[Symbol.asyncIterator]() {
      const { items, say, stderrTail, launch } = createOutputCollector(cli.name);
      const spec = { ...(await toProcessSpec(cli, program, task)), signal: cancelled.signal };
      const running = launch(task.launch, spec, (line) => {
        const event = readObject(line);
        for (const item of event === undefined ? [logOf(line)] : listener.handle(event)) say(item);
      }).finally(items.close);
      yield* items;
      end = endOf(await running, { name: cli.name, error: listener.error(), stderrTail: stderrTail() });
    },
  };
}

interface ExitDetails {
  readonly name: string;
  readonly error: string | null;
  readonly stderrTail: string;
}

export function endOf(end: ProcessEnd, details: ExitDetails): AgentEnd {
  switch (end.kind) {
    case "exited":
      return { kind: "done", exitCode: end.code, error: exitError(end.code, details) };
    case "killed":
      return { kind: "failed", message: `${details.name} was killed by ${end.signal}` };
    case "not_started":
      return { kind: "failed", message: `${details.name} could not be started: ${end.reason}` };
    case "output_limit":
      return { kind: "failed", message: `the output of ${details.name} exceeds the limit` };
    case "timeout":
    case "silence":
    case "cancelled":
      return { kind: end.kind };
  }
}

/** A CLI that fails without an error event has often printed the reason on stderr. */
function exitError(code: number, { name, error, stderrTail }: ExitDetails): AgentError | null {
  if (error !== null) return toAgentError(error);
  return code === 0 ? null : toAgentError(`${name} exited with code ${code}: ${stderrTail.trim()}`);
}

function logOf(line: string): AgentItem {
  return { kind: "log", text: `${line}\n` };
}
