/** Starts a CLI: stdout lines go to the caller, stderr becomes a log and explains a failure. */
import type { ProcessEnd, ProcessSpec } from "../process/run-process.ts";
import { shortened } from "../run/reporter.ts";
import type { AgentItem } from "./agent.ts";
import type { LaunchProcess } from "../sandbox/sandbox-factory.ts";
import { createItems, type Items } from "./items.ts";
import { createLines } from "./lines.ts";

export interface OutputCollector {
  /** The caller closes it when no more output can come. */
  readonly items: Items<AgentItem>;
  say(item: AgentItem): void;
  /** The end of stderr. */
  stderrTail(): string;
  /** Resolves when the process has ended and its last line is read. */
  launch(launch: LaunchProcess, spec: ProcessSpec, onLine: (line: string) => void): Promise<ProcessEnd>;
}

/** Limit for one message, or the output of one tool call. */
const TEXT_BYTES = 256 * 1024;
const STDERR_TAIL_CHARACTERS = 2_000;

export function createOutputCollector(name: string): OutputCollector {
  const items = createItems<AgentItem>();
  let stderrTail = "";
  const say = ({ kind, text }: AgentItem) => {
    if (text.trim() !== "") items.push({ kind, text: shortened(text, TEXT_BYTES) });
  };
  return {
    items,
    say,
    stderrTail: () => stderrTail,
    async launch(launch, spec, onLine) {
      const lines = createLines(onLine, () => say({ kind: "log", text: `${name}: output line too long; dropped\n` }));
      try {
        return await launch({
          ...spec,
          onStdout: lines.push,
          onStderr(chunk) {
            const text = chunk.toString("utf8");
            stderrTail = (stderrTail + text).slice(-STDERR_TAIL_CHARACTERS);
            say({ kind: "log", text });
          },
        });
      } finally {
        lines.end();
      }
    },
  };
}
