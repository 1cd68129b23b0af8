/** The agents that this worker offers, and the one that serves a team member. */
import { acpByName } from "./acp-by-name.ts";
import type { Agent, AgentMember } from "./agent.ts";
import { adapterOf, agentOf, CLIS, findCli, isUsable, type FoundCli } from "./clis.ts";
import { createCommandAgent } from "./command.ts";
import { hostPrograms, type HostEnvironment, type Programs } from "./find-program.ts";
import { createScriptedAgent, readScript, type Wait } from "./scripted.ts";

export interface AvailableAgent {
  readonly cli: string;
  readonly version: string;
  readonly adapter: string;
  /** The first model is the default of a team. */
  readonly models: readonly string[];
}

export interface AvailableAgents {
  readonly all: readonly AvailableAgent[];
  /** The default agent; null if every agent needs instructions from the order. */
  readonly first: AgentMember | null;
  /** Programs that are installed but not offered, with the reason: for the operator. */
  readonly notes: readonly string[];
  /** Paths of the agents' programs, which a sandbox must show. */
  readonly folders: readonly string[];
  agentFor(member: AgentMember): Agent | undefined;
}

export interface OfferOptions {
  /** Custom tools: `triptych worker --agent name=argv`. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** Names of the agents to offer; null for all. */
  readonly only: readonly string[] | null;
  /** Enables the scripted agent, which is for tests only. */
  readonly hasScripted: boolean;
  /** Creates the agent that makes repairs without a model. */
  readonly mend: (member: AgentMember) => Agent;
  /** Where programs are searched, and which models have a key. */
  readonly host: HostEnvironment;
  /** Default: the programs of this machine. */
  readonly programs?: Programs;
  readonly wait: Wait;
}

interface Entry {
  readonly offer: AvailableAgent;
  /** Works without instructions from the order. */
  readonly isFree: boolean;
  readonly make: (member: AgentMember) => Agent | undefined;
  readonly isBuiltIn?: boolean;
}

export async function discoverAgents(options: OfferOptions): Promise<AvailableAgents> {
  const { named, only, hasScripted, mend, host, wait, programs = hostPrograms(host) } = options;
  const isIncluded = (name: string) => only === null || only.includes(name);
  const candidates = CLIS.filter(({ name }) => isIncluded(name) && !named.has(name));
  const found = (await Promise.all(candidates.map((cli) => findCli(cli, programs)))).filter((cli) => cli !== undefined);
  const every: readonly Entry[] = [
    ...[...named].map(([name, argv]) => namedEntry(name, argv)),
    ...found.filter(isUsable).toSorted(byKey(host)).map(cliEntry),
    commandEntry("command", (command) => createCommandAgent(command)),
    ...(hasScripted ? [commandEntry("scripted", (command) => scripted(command, wait))] : []),
    // Available on every worker, because they need neither a program nor a model.
    builtInEntry("mend", mend),
    builtInEntry("scan", () => READER),
  ];
  refuseUnknown(only, every);
  const entries = every.filter(({ offer, isBuiltIn }) => isBuiltIn === true || isIncluded(offer.cli));
  const byName = new Map(entries.map((entry) => [entry.offer.cli, entry]));
  const first = entries.find(({ isFree }) => isFree)?.offer.cli;

  return {
    all: entries.map(({ offer }) => offer),
    first: first === undefined ? null : { cli: first, model: null, command: null },
    notes: [...found.filter((cli) => !isUsable(cli)).map(tooOld), ...found.filter(isUsable).flatMap(withoutKey(host))],
    folders: [...new Set(found.filter(isUsable).flatMap(({ folder }) => folder ?? []))],
    agentFor: (member) => byName.get(member.cli)?.make(member),
  };
}

export const NO_AGENT =
  "no coding agent found; only runs that name a `command` are accepted. To install one: `" +
  `${CLIS.slice(0, 3)
    .map(({ install }) => install)
    .join("`, or `")}\`, and set its model's key in the environment. Or register your own tool: ` +
  "--agent name='program {prompt_file}'";

const ACP = "acp:";

function namedEntry(name: string, argv: readonly string[]): Entry {
  const [program = "", ...args] = argv;
  const isAcp = program.startsWith(ACP);
  const cli = acpByName(name, [program.slice(ACP.length), ...args]);
  const agent = isAcp ? agentOf(cli, cli.program) : createCommandAgent(argv);
  return {
    offer: { cli: name, version: "1", adapter: isAcp ? "acp" : "command", models: [] },
    isFree: true,
    make: () => agent,
  };
}

function cliEntry({ cli, program, version, models }: FoundCli): Entry {
  const agent = agentOf(cli, program);
  return {
    offer: { cli: cli.name, version: version ?? "", adapter: adapterOf(cli), models },
    isFree: true,
    make: () => agent,
  };
}

function commandEntry(name: string, make: (command: readonly string[]) => Agent): Entry {
  return {
    offer: { cli: name, version: "1", adapter: name, models: [] },
    isFree: false,
    make: ({ command }) => (command === null ? undefined : make(command)),
  };
}

function builtInEntry(name: string, make: Entry["make"]): Entry {
  return { offer: { cli: name, version: "1", adapter: name, models: [] }, isFree: false, isBuiltIn: true, make };
}

/** The scan finds work for other agents; as a coder it does nothing. */
const READER = createScriptedAgent(
  { rounds: [[{ do: "fail", message: "The agent `scan` only reads. Choose another agent as coder." }]] },
  async () => {},
);

function refuseUnknown(only: readonly string[] | null, entries: readonly Entry[]): void {
  const names = entries.map(({ offer }) => offer.cli);
  const unknown = (only ?? []).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`Unknown agent ${unknown.join(", ")}. Available agents: ${names.join(", ")}.`);
}

const KEYS = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY", gemini: "GEMINI_API_KEY" } as const;
const ADDRESSES = {
  openai: "OPENAI_BASE_URL",
  anthropic: "ANTHROPIC_BASE_URL",
  gemini: "GOOGLE_GEMINI_BASE_URL",
} as const;

/** Agents with a reachable model come first; otherwise the order stays. */
function byKey(host: HostEnvironment) {
  return (one: FoundCli, other: FoundCli) => Number(hasKey(other, host)) - Number(hasKey(one, host));
}

function hasKey({ cli }: FoundCli, host: HostEnvironment): boolean {
  return host[KEYS[cli.provider]] !== undefined || host[ADDRESSES[cli.provider]] !== undefined;
}

function tooOld({ cli, version }: FoundCli): string {
  return version === null
    ? `${cli.name} reports no version; not offered`
    : `${cli.name} ${version} is older than ${cli.since}; not offered. To update: ${cli.install}`;
}

function withoutKey(host: HostEnvironment) {
  return (found: FoundCli): readonly string[] =>
    hasKey(found, host) ? [] : [`${found.cli.name} has no model key: ${KEYS[found.cli.provider]} is not set`];
}

/** Parsed when the agent starts, so that invalid JSON counts as a failure of the agent. */
function scripted(args: readonly string[], wait: Wait): Agent {
  return { start: (task) => createScriptedAgent(readScript(JSON.parse(args.join(""))), wait).start(task) };
}
