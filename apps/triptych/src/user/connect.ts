/** The client of a user command: addresses and credentials from the environment, else from the profile. */
import { createTriptych, ProblemError, type Triptych } from "@triptych/client";
import type { Output } from "@triptych/terminal";
import { CommanderError } from "commander";
import type { ConnectOwn } from "../services.ts";
import {
  profileName,
  readProfiles,
  UsageError,
  type Environment,
  type ServiceAccess,
  type ServiceName,
} from "./profile.ts";

const VARIABLES = {
  panel: ["PANEL_URL", "PANEL_ACCESS_TOKEN", 7001],
  directory: ["DIRECTORY_URL", "DIRECTORY_KEY", 7002],
  gateway: ["GATEWAY_URL", "WALLET_TOKEN", 7003],
  router: ["ROUTER_URL", "ROUTER_TOKEN", 7004],
  rail: ["RAIL_URL", "WALLET_TOKEN", 7005],
} as const;

export interface Connection {
  readonly triptych: Triptych;
  readonly access: Readonly<Record<ServiceName, ServiceAccess>>;
}

export function connect(environment: Environment, profile: string | undefined): Connection {
  const name = profileName(environment, profile);
  const { profiles } = readProfiles(environment);
  if (profile !== undefined && !Object.hasOwn(profiles, name))
    throw new UsageError(
      `Profile ${name} does not exist. Sign in with \`triptych login <panel-url> --profile ${name}\`.`,
    );
  const saved = profiles[name] ?? {};
  const accessTo = (service: ServiceName): ServiceAccess => {
    const [urlName, secretName, port] = VARIABLES[service];
    const stored = saved[service];
    const url = environment[urlName] || stored?.url || `http://127.0.0.1:${port}`;
    // Never send a stored credential to another address.
    const secret = environment[secretName] || (url === stored?.url ? stored.secret : undefined);
    return { url, ...(secret !== undefined && { secret }) };
  };
  const access = {
    panel: accessTo("panel"),
    directory: accessTo("directory"),
    gateway: accessTo("gateway"),
    router: accessTo("router"),
    rail: accessTo("rail"),
  };
  return { access, triptych: createTriptych(optionsOf(access)) };
}

/** For service commands, which do not use profiles. */
export function connectOwn(environment: Environment, stderr: Output): ConnectOwn {
  return (profile) => {
    try {
      return connect(environment, profile).access;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      stderr.write(`error: ${error.message}\n`);
      throw new CommanderError(2, "triptych.usage", error.message);
    }
  };
}

function optionsOf({ panel, directory, gateway, router, rail }: Connection["access"]) {
  return {
    panel: { url: panel.url, token: panel.secret },
    directory: { url: directory.url, key: directory.secret },
    gateway: { url: gateway.url, wallet: gateway.secret },
    router: { url: router.url, token: router.secret },
    rail: { url: rail.url, wallet: rail.secret },
  };
}

/** A message for users: what happened, and what to do. */
export function messageOf(error: unknown, { url }: ServiceAccess, service: ServiceName): string {
  if (error instanceof ProblemError) return problemMessage(error, service);
  const isDown = error instanceof Error && (error.name === "TimeoutError" || error instanceof TypeError);
  if (isDown) return `The ${service} at ${url} does not respond.`;
  return error instanceof Error ? error.message : String(error);
}

function problemMessage({ status, message, errors, retryAfter }: ProblemError, service: ServiceName): string {
  const issues = errors.map((issue) => `\n  ${issue.path}: ${issue.message}`).join("");
  const remedy = status === 401 ? remedyFor(service) : "";
  const wait = retryAfter === null ? "" : ` Try again in ${Math.ceil(retryAfter)} s.`;
  return `${message}${wait}${remedy}${issues}`;
}

function remedyFor(service: ServiceName): string {
  if (service === "panel") return "\nSign in with `triptych login <panel-url>`, or set PANEL_ACCESS_TOKEN.";
  return `\nStore a credential with \`triptych profile set ${service} <url>\`, or set ${VARIABLES[service][1]}.`;
}
