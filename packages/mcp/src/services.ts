/** Addresses and credentials of the services, from the configuration or from one HTTP request. */
import type { IncomingHttpHeaders } from "node:http";
import { createClient, type Client } from "@triptych/client";
import type { McpConfig } from "./config.ts";
import type { ServiceName } from "./tool-table.ts";

export interface Credentials {
  readonly directory?: string;
  readonly panel?: string;
  readonly wallet?: string;
  readonly router?: string;
}

export interface ServiceAccess {
  /** Name for messages, such as `gateway`. */
  readonly title: string;
  readonly url: string;
  /** Environment variables with the address and the credential. */
  readonly variable: string;
  readonly credentialVariable: string;
  readonly client: Client;
}

export type Services = (name: ServiceName) => ServiceAccess;

export function credentialsOf(config: McpConfig): Credentials {
  return present({
    directory: config.DIRECTORY_KEY,
    panel: config.PANEL_ACCESS_TOKEN,
    wallet: config.WALLET_TOKEN,
    router: config.ROUTER_TOKEN,
  });
}

/** Bearer tokens are recognized by their prefix, so that no service receives another service's credential. */
export function credentialsIn(headers: IncomingHttpHeaders): Credentials {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  return {
    ...(bearer !== undefined && { [ownerOf(bearer)]: bearer }),
    ...present({ directory: textOf(headers["x-api-key"]), wallet: textOf(headers["x-rail-wallet"]) }),
  };
}

/** Operators choose router tokens freely, so they have no prefix. */
function ownerOf(token: string): keyof Credentials {
  if (token.startsWith("dir_")) return "directory";
  if (token.startsWith("pnl_")) return "panel";
  return /^rail_(live|test)_/.test(token) ? "wallet" : "router";
}

/** The gateway bills each decision to the wallet; without a wallet, the free router decides. */
export function decisionsBy(config: McpConfig, { wallet }: Credentials): "gateway" | "router" {
  return config.MCP_DECISIONS ?? (wallet === undefined ? "router" : "gateway");
}

export function createServices(config: McpConfig, credentials: Credentials): Services {
  const { directory, panel, wallet, router } = credentials;
  const byWallet = headerOf("X-Rail-Wallet", wallet);
  const decider = decisionsBy(config, credentials);
  return (name) => {
    switch (name) {
      case "directory":
        return access("directory", config, headerOf("X-API-Key", directory));
      case "panel":
        return access("panel", config, bearer(panel));
      case "rail":
        return access("rail", config, byWallet);
      case "decisions":
        return access(decider, config, decider === "gateway" ? byWallet : bearer(router));
    }
  };
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return headerOf("Authorization", token === undefined ? undefined : `Bearer ${token}`);
}

function headerOf(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

const VARIABLES = {
  directory: ["DIRECTORY_URL", "DIRECTORY_KEY"],
  panel: ["PANEL_URL", "PANEL_ACCESS_TOKEN"],
  rail: ["RAIL_URL", "WALLET_TOKEN"],
  gateway: ["GATEWAY_URL", "WALLET_TOKEN"],
  router: ["ROUTER_URL", "ROUTER_TOKEN"],
} as const;

/** Longer delays are left to the agent, which can do something else in the meantime. */
const RETRY_DELAY_MAX_MS = 1_000;

function access(
  title: keyof typeof VARIABLES,
  config: McpConfig,
  headers: Readonly<Record<string, string>>,
): ServiceAccess {
  const [variable, credentialVariable] = VARIABLES[title];
  const url = config[variable];
  const client = createClient({ url, headers, retries: 1, longestWaitMs: RETRY_DELAY_MAX_MS });
  return { title, url, variable, credentialVariable, client };
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" && header !== "" ? header : undefined;
}

function present(credentials: Readonly<Record<string, string | undefined>>): Credentials {
  return Object.fromEntries(Object.entries(credentials).filter(([, value]) => value !== undefined));
}
