/** The agents of this worker: what it offers the panel, and who works for a member of a team. */
import { createMend } from "../mend/mend.ts";
import { createCommandAgent } from "./command.ts";
import { createScriptedAgent, readScript, type Wait } from "./scripted.ts";
import type { Agent, AgentMember } from "./agent.ts";

export interface Offer {
  readonly cli: string;
  readonly version: string;
  readonly adapter: string;
  readonly models: readonly string[];
}

export interface AgentOffers {
  readonly all: readonly Offer[];
  /** Who works where the team names nobody; null where every agent here needs to be told what to do. */
  readonly first: AgentMember | null;
  /** Undefined: nobody here. */
  agentFor(member: AgentMember): Agent | undefined;
}

export interface OfferOptions {
  /** Tools under names of their own: `triptych worker --agent name=argv`. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** Only these are offered; null: all. */
  readonly only: readonly string[] | null;
  /** An agent that follows a script from the order: not where real work is done. */
  readonly hasScripted: boolean;
  readonly wait: Wait;
}

export async function offerAgents({ named, only, hasScripted, wait }: OfferOptions): Promise<AgentOffers> {
  const makers = new Map<string, Maker>([...named].map(([name, argv]) => [name, () => createCommandAgent(argv)]));
  makers.set("command", ({ command }) => (command === null ? undefined : createCommandAgent(command)));
  if (hasScripted) makers.set("scripted", ({ command }) => (command === null ? undefined : scripted(command, wait)));
  makers.set("mend", ({ command }) => createMend(command?.[0] ?? null, new Date().getUTCFullYear()));
  makers.set("scan", () => READER);
  if (only !== null)
    for (const name of makers.keys()) if (!only.includes(name) && !BUILT_IN.has(name)) makers.delete(name);
  const unknown = (only ?? []).filter((name) => !makers.has(name));
  if (unknown.length > 0)
    throw new Error(`There is no agent ${unknown.join(", ")} here. There are: ${[...makers.keys()].join(", ")}.`);
  const [first] = [...named.keys()].filter((name) => makers.has(name));

  return {
    all: [...makers.keys()].map((cli) => ({ cli, version: "1", adapter: adapterOf(cli), models: [] })),
    first: first === undefined ? null : { cli: first, model: null, command: null },
    agentFor: (member) => makers.get(member.cli)?.(member),
  };
}

type Maker = (member: AgentMember) => Agent | undefined;

/** It finds work for others; as the coder of a team it has nothing to do. */
const READER = createScriptedAgent(
  { rounds: [[{ do: "fail", message: "scan reads and proposes: it changes nothing. Name another agent as coder." }]] },
  async () => {},
);

/** Every worker has them: they need no program and no model. */
const BUILT_IN: ReadonlySet<string> = new Set(["scan", "mend"]);

function adapterOf(cli: string): string {
  return cli === "scripted" || BUILT_IN.has(cli) ? cli : "command";
}

/** The words of the order are one JSON text. It is read when the agent starts: a broken one is the agent's failure. */
function scripted(words: readonly string[], wait: Wait): Agent {
  return {
    async detect() {
      return { version: "1", models: [] };
    },
    start: (task) => createScriptedAgent(readScript(JSON.parse(words.join(""))), wait).start(task),
  };
}
