/** All commands, in the order of the help. Each one is loaded when it runs. */
import type { Command } from "commander";
import type { Context } from "./user/context.ts";
import { loadServices, SERVICE_NAMES, type ServiceName } from "./services.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type LoadCommand = (environment: Environment) => Promise<Command>;

const USE = "Use services:";
const RUN = "Run services:";
const MANAGE = "Manage services:";

export const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  login: user(async (context) => (await import("./user/login.ts")).loginCommand(context)),
  logout: user(async (context) => (await import("./user/login.ts")).logoutCommand(context)),
  profile: user(async (context) => (await import("./user/profile-commands.ts")).profileCommands(context)),
  repos: user(async (context) => (await import("./user/repos.ts")).repoCommands(context)),
  run: user(async (context) => (await import("./user/runs.ts")).runCommands(context)),
  candidates: user(async (context) => (await import("./user/candidates.ts")).candidateCommands(context)),
  search: user(async (context) => (await import("./user/search.ts")).searchCommand(context)),
  decide: user(async (context) => (await import("./user/decide.ts")).decideCommand(context)),
  wallet: user(async (context) => (await import("./user/wallet.ts")).walletCommands(context)),
  start: async (environment) => (await import("./start-command.ts")).startCommand(environment).helpGroup(RUN),
  worker: async (environment) => (await import("@triptych/worker")).workerCommand(environment).helpGroup(RUN),
  mcp: async (environment) => (await import("@triptych/mcp")).mcpCommand(environment).helpGroup(RUN),
  notify: notifyOf,
  directory: (environment) => commandsOf("directory", environment),
  rail: (environment) => commandsOf("rail", environment),
  router: (environment) => commandsOf("router", environment),
  gateway: (environment) => commandsOf("gateway", environment),
  panel: (environment) => commandsOf("panel", environment),
  store: async () => (await import("./store-copy.ts")).storeCommands().helpGroup(MANAGE),
  backup: async (environment) => (await operations()).backupCommand(environment, SERVICES).helpGroup(MANAGE),
  restore: async (environment) => (await operations()).restoreCommand(environment, SERVICES).helpGroup(MANAGE),
  secret: async (environment) => (await operations()).secretCommand(environment, SERVICES).helpGroup(MANAGE),
  config: async (environment) => (await import("./config-command.ts")).configCommand(environment).helpGroup(MANAGE),
  completion: async () => (await import("./completion.ts")).completionCommand().helpGroup(MANAGE),
  gate: async (environment) => (await import("@triptych/worker")).gateCommand(environment).helpGroup(MANAGE),
};

const SERVICES = {
  names: SERVICE_NAMES,
  load: (names: readonly string[]) =>
    loadServices(SERVICE_NAMES.filter((name) => names.length === 0 || names.includes(name))),
};

function operations() {
  return import("@triptych/store-operations");
}

/** A command for users of the services, on the terminal of this process. */
function user(load: (context: Context) => Promise<Command>): LoadCommand {
  const { stdin, stdout, stderr } = process;
  return async (environment) => (await load({ environment, stdin, stdout, stderr })).helpGroup(USE);
}

async function commandsOf(name: ServiceName, environment: Environment): Promise<Command> {
  const [service] = await loadServices([name]);
  const { connectOwn } = await import("./user/connect.ts");
  return service.commands(connectOwn(environment, process.stderr)).helpGroup(MANAGE);
}

async function notifyOf(environment: Environment): Promise<Command> {
  const { notifyCommand } = await import("@triptych/notify");
  const { connectOwn } = await import("./user/connect.ts");
  const connect = connectOwn(environment, process.stderr);
  const access = (profile: string | undefined) => connect(profile).panel;
  return notifyCommand({ environment, access, stdout: process.stdout }).helpGroup(RUN);
}
