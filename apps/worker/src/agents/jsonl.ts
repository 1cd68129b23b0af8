/**
 * Agents that print one JSON object a line while they work: one process for each task. What it says of itself is told on the bus;
 * what counts is the tree it leaves. A line that is no JSON is told as a log; an event that nobody knows is passed over, because
 * newer versions have more of them.
 */
import type { ProcessEnd } from "../process/run-process.ts";
import type { AgentEnd, AgentItem, AgentSession, AgentTask, Trouble, Usage } from "./agent.ts";
import { orderOf, type Cli } from "./cli.ts";
import { createHearing } from "./output-collector.ts";
import { readObject, type Json } from "./json-access.ts";
import { troubleOf } from "./agent-errors.ts";

export interface JsonlCli extends Cli {
  listen(): Listener;
}

/** Of one process: hears its events in order. */
export interface Listener {
  hear(event: Json): readonly AgentItem[];
  usage(): Usage;
  /** What it gave up over, in its own words; null: nothing. */
  trouble(): string | null;
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
      const { items, say, aside, launch } = createHearing(cli.name);
      const order = { ...(await orderOf(cli, program, task)), signal: cancelled.signal };
      const running = launch(task.launch, order, (line) => {
        const event = readObject(line);
        for (const item of event === undefined ? [logOf(line)] : listener.hear(event)) say(item);
      }).finally(items.close);
      yield* items;
      end = endOf(await running, { name: cli.name, trouble: listener.trouble(), aside: aside() });
    },
  };
}

interface Told {
  readonly name: string;
  readonly trouble: string | null;
  readonly aside: string;
}

export function endOf(end: ProcessEnd, told: Told): AgentEnd {
  switch (end.kind) {
    case "exited":
      return { kind: "done", exitCode: end.code, trouble: whyOf(end.code, told) };
    case "killed":
      return { kind: "failed", message: `${told.name} was ended by ${end.signal}` };
    case "not_started":
      return { kind: "failed", message: `${told.name} could not be started: ${end.reason}` };
    case "output_limit":
      return { kind: "failed", message: `${told.name} said more than can be read` };
    case "timeout":
    case "silence":
    case "cancelled":
      return { kind: end.kind };
  }
}

/** A CLI that ends badly without an event that says why has often said it beside them. */
function whyOf(code: number, { name, trouble, aside }: Told): Trouble | null {
  if (trouble !== null) return troubleOf(trouble);
  return code === 0 ? null : troubleOf(`${name} ended with exit code ${code}: ${aside.trim()}`);
}

function logOf(line: string): AgentItem {
  return { kind: "log", text: `${line}\n` };
}
