/** Starts the process of a CLI and hears it: its lines go to whoever reads them, what it says beside them is a log and explains its end. */
import type { ProcessEnd, ProcessSpec } from "../process/run-process.ts";
import { shortened } from "../reporter.ts";
import type { AgentItem } from "./agent.ts";
import type { LaunchProcess } from "../sandbox/sandbox-factory.ts";
import { createItems, type Items } from "./items.ts";
import { createLines } from "./lines.ts";

export interface OutputCollector {
  /** To be closed by whoever knows that nothing more is said. */
  readonly items: Items<AgentItem>;
  say(item: AgentItem): void;
  /** The last of what it said beside its lines. */
  aside(): string;
  /** Resolves when the process is gone and its last line is heard. */
  launch(launch: LaunchProcess, spec: ProcessSpec, onLine: (line: string) => void): Promise<ProcessEnd>;
}

/** Of one message or one tool's output. */
const TEXT_BYTES = 256 * 1024;
const ASIDE_CHARACTERS = 2_000;

export function createOutputCollector(name: string): OutputCollector {
  const items = createItems<AgentItem>();
  let aside = "";
  const say = ({ kind, text }: AgentItem) => {
    if (text.trim() !== "") items.push({ kind, text: shortened(text, TEXT_BYTES) });
  };
  return {
    items,
    say,
    aside: () => aside,
    async launch(launch, spec, onLine) {
      const lines = createLines(onLine, () => say({ kind: "log", text: `${name} said a line that is too long\n` }));
      try {
        return await launch({
          ...spec,
          onStdout: lines.push,
          onStderr(chunk) {
            const text = chunk.toString("utf8");
            aside = (aside + text).slice(-ASIDE_CHARACTERS);
            say({ kind: "log", text });
          },
        });
      } finally {
        lines.end();
      }
    },
  };
}
