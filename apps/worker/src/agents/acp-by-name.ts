/** An ACP agent configured by the operator: `triptych worker --agent name='acp:program arguments'`. */
import type { AcpCli } from "./acp.ts";
import type { AgentTask } from "./agent.ts";

/** The agent gets the address of every model provider, in the usual variables. */
export function acpByName(name: string, [program = "", ...args]: readonly string[]): AcpCli {
  return {
    name,
    program,
    since: "0",
    install: "",
    provider: "openai",
    auth: null,
    modes: { rw: null, ro: null },
    begin: (task) => ({ args, environment: modelEnvironment(task) }),
  };
}

const VARIABLES = {
  openai: ["OPENAI_BASE_URL", "OPENAI_API_KEY"],
  anthropic: ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"],
  gemini: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"],
} as const;

function modelEnvironment({ modelProxy, model }: AgentTask): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const [provider, [forAddress, forKey]] of Object.entries(VARIABLES)) {
    const address = modelProxy?.addressOf(provider) ?? null;
    if (address === null || modelProxy === null) continue;
    environment[forAddress] = address;
    environment[forKey] = modelProxy.pass;
  }
  return model === null ? environment : { ...environment, TRIPTYCH_MODEL: model };
}
