/**
 * Protects against DNS rebinding, in which a malicious page's host name resolves to this machine. Without credentials,
 * a service accepts only loopback hosts, its public address and the configured hosts.
 */
import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { pathOf } from "./path-of.ts";
import { Problem } from "./problem.ts";

export interface HostOptions {
  /** Names and addresses without a port, in addition to loopback and the public address; `*` allows every host. */
  readonly allowed: readonly string[];
  /** Environment variable with the allowed hosts, for the problem detail. */
  readonly variable: string;
  /**
   * Whether the request has a sufficient credential. Such requests may use any host, because a malicious page cannot
   * know the credential.
   */
  readonly admits: (request: FastifyRequest) => boolean;
}

/** Orchestrators probe these paths by container address; the responses contain only `ok`. */
const PROBES: ReadonlySet<string> = new Set(["/livez", "/readyz"]);
const LOOPBACK = loopback();

export function refuseHosts(
  options: HostOptions | undefined,
  publicUrl: string | undefined,
): (request: FastifyRequest) => Problem | undefined {
  if (options === undefined) return () => undefined;
  const { allowed, variable, admits } = options;
  const isServed = createHostCheck(publicUrl === undefined ? allowed : [...allowed, new URL(publicUrl).hostname]);
  return (request) => {
    const host = hostOf(request);
    if (host === null || isServed(host) || PROBES.has(pathOf(request.url)) || admits(request)) return undefined;
    const detail = `The host of the request is not allowed. Add it to ${variable}, or set a token.`;
    return new Problem("misdirected_request", { detail });
  };
}

export function createHostCheck(allowed: readonly string[]): (host: string) => boolean {
  if (allowed.includes("*")) return () => true;
  const names = new Set(allowed.map((host) => hostnameOf(isIP(host) === 6 ? `[${host}]` : host)));
  return (host) => {
    const name = hostnameOf(host);
    return name !== null && (isLoopbackName(name) || names.has(name));
  };
}

/**
 * Host of a request: an absolute target takes precedence over the header (RFC 9112, 3.2.2). Null for HTTP/1.0 without
 * a host.
 */
function hostOf({ originalUrl, method, headers }: FastifyRequest): string | null {
  if (method === "CONNECT") return originalUrl;
  return /^https?:\/\/([^/?#]*)/i.exec(originalUrl)?.[1] ?? headers.host ?? null;
}

/** Normalizes as browsers do: lower case, no port, no trailing dot, shortest form of addresses. Null if invalid. */
function hostnameOf(host: string): string | null {
  if (!/^(?:\[[\da-f:.]+\]|[^\s:/?#@,\\[\]]+)(?::\d*)?$/i.test(host)) return null;
  const parsed = URL.parse(`http://${host}`);
  return parsed === null ? null : parsed.hostname.replace(/\.$/, "");
}

function isLoopbackName(name: string): boolean {
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const address = name.replace(/^\[|\]$/g, "");
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

function loopback(): BlockList {
  const list = new BlockList();
  list.addSubnet("127.0.0.0", 8, "ipv4");
  list.addAddress("::1", "ipv6");
  return list;
}
