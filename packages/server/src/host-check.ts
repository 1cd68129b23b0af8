/**
 * Protection against DNS rebinding: a page whose own name resolves to this machine sends that name as `Host`. A service that asks for no
 * credential answers only the names of this machine, its public address and the configured ones.
 */
import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { pathOf } from "./path-of.ts";
import { Problem } from "./problem.ts";

export interface HostOptions {
  /** Names and addresses without a port, besides loopback and the public address; `*` allows every host. */
  readonly allowed: readonly string[];
  /** The variable that holds the list, named in the answer. */
  readonly variable: string;
  /** Requests whose credential is enough, whatever their host: a page cannot know it. */
  readonly admits: (request: FastifyRequest) => boolean;
}

/** Orchestrators probe these by the address of a container; the answers say nothing but `ok`. */
const PROBES: ReadonlySet<string> = new Set(["/livez", "/readyz"]);
const LOOPBACK = loopback();

/** The problem of a request for another host; undefined where it is served. */
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
    const detail = `This service does not serve the host of the request. Add it to ${variable}, or set a token.`;
    return new Problem("misdirected_request", { detail });
  };
}

/** Whether the value of a `Host` header is a loopback name or address, or one of the list. */
export function createHostCheck(allowed: readonly string[]): (host: string) => boolean {
  if (allowed.includes("*")) return () => true;
  const names = new Set(allowed.map((host) => hostnameOf(isIP(host) === 6 ? `[${host}]` : host)));
  return (host) => {
    const name = hostnameOf(host);
    return name !== null && (isLoopbackName(name) || names.has(name));
  };
}

/** The host that a request is for: that of an absolute target before the header (RFC 9112, 3.2.2). Null: HTTP/1.0 names none. */
function hostOf({ originalUrl, method, headers }: FastifyRequest): string | null {
  if (method === "CONNECT") return originalUrl;
  return /^https?:\/\/([^/?#]*)/i.exec(originalUrl)?.[1] ?? headers.host ?? null;
}

/** As browsers normalize it: lower case, no port, no dot at the end, addresses in their shortest form. Null where it is no host. */
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
