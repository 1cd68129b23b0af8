/** `triptych mcp`: the server on stdio, or with `--http` on a port. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ConfigError, readConfig, type Environment } from "@triptych/config";
import { Command } from "commander";
import { McpConfig } from "./config.ts";
import { isLoopback, startHttp } from "./http.ts";
import { createMcpServer } from "./server.ts";
import { createServices, credentialsOf } from "./services.ts";

interface Options {
  readonly http: boolean;
  readonly allowWrites: boolean;
}

export function mcpCommand(environment: Environment): Command {
  const command = new Command("mcp")
    .description("Model Context Protocol server: exposes the services to agents as tools, on stdin and stdout")
    .exitOverride()
    .option("--http", "serve Streamable HTTP at /mcp on MCP_PORT (7006) instead of stdio", false)
    .option("--allow-writes", "also offer tools that make changes, such as start_run", false)
    .addHelpText("after", HELP)
    .action(async () => {
      const { http, allowWrites }: Options = command.opts();
      const config = configOrExit(command, environment);
      if (!http) return serveStdio(config, allowWrites);
      refuseSharedCredentials(command, config);
      await serveHttp(config, allowWrites);
    });
  return command;
}

function configOrExit(command: Command, environment: Environment): McpConfig {
  try {
    return readConfig(McpConfig, environment);
  } catch (error) {
    if (error instanceof ConfigError) return command.error(error.message, { exitCode: 2 });
    throw error;
  }
}

/** Everyone who can reach the port could use credentials from the environment. */
function refuseSharedCredentials(command: Command, config: McpConfig): void {
  const names = ["DIRECTORY_KEY", "PANEL_ACCESS_TOKEN", "WALLET_TOKEN", "ROUTER_TOKEN"] as const;
  const set = names.filter((name) => config[name] !== undefined);
  const isLocal = isLoopback(config.HOST) && config.MCP_ALLOWED_HOSTS === undefined;
  if (isLocal || set.length === 0) return;
  const reason =
    "because HOST or MCP_ALLOWED_HOSTS makes the server reachable for others, who could use them. Clients send their own";
  command.error(`Unset ${set.join(", ")}, ${reason}.`, { exitCode: 2 });
}

async function serveStdio(config: McpConfig, allowsWrites: boolean): Promise<void> {
  const server = createMcpServer({ services: createServices(config, credentialsOf(config)), allowsWrites });
  Object.assign(server, { onerror: (error: Error) => log(`request failed: ${error.message}`) });
  await server.connect(new StdioServerTransport());
  log(`MCP server on stdio, ${modeOf(allowsWrites)}`);
}

async function serveHttp(config: McpConfig, allowsWrites: boolean): Promise<void> {
  const running = await startHttp({ config, allowsWrites });
  log(`MCP server on ${running.url}, ${modeOf(allowsWrites)}`);
  await new Promise<void>((resolve) => {
    const stop = () => void running.stop().then(resolve);
    process.once("SIGTERM", stop).once("SIGINT", stop);
  });
}

function modeOf(allowsWrites: boolean): string {
  return allowsWrites ? "with writes" : "read-only";
}

/** stdout is reserved for the protocol. */
function log(message: string): void {
  process.stderr.write(`triptych mcp: ${message}\n`);
}

const HELP = `
Addresses and credentials come from the environment:
  DIRECTORY_URL, DIRECTORY_KEY           directory
  PANEL_URL, PANEL_ACCESS_TOKEN          panel (pnl_…)
  RAIL_URL, WALLET_TOKEN                 rail
  GATEWAY_URL, ROUTER_URL, ROUTER_TOKEN  decisions: by the gateway with a wallet token, otherwise by the router
Addresses default to the services on this machine. With --http, clients can send Authorization, X-API-Key and
X-Rail-Wallet with each request. docs/mcp.md explains how to connect Claude Code, Codex and VS Code.`;
