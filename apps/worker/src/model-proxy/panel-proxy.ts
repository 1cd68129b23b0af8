/** Connections to the panel, through the proxy of the worker's network if one is set. */
import { connect as connectTls } from "node:tls";
import type { ClientRequestArgs } from "node:http";
import { PassThrough } from "node:stream";
import { openTunnel, proxyFrom } from "./upstream-proxy.ts";

/** The address of the proxy for a URL of the panel; null: direct. */
export type PanelProxy = (url: string) => string | null;

/** Loopback is always direct, because no proxy reaches it and an embedded worker inherits the panel's environment. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const TUNNEL_MS = 10_000;

export function panelProxyFrom(environment: Readonly<Record<string, string | undefined>>): PanelProxy {
  const proxyFor = proxyFrom(environment);
  return (url) => {
    const { protocol, hostname, port } = new URL(url);
    if (LOOPBACK.test(hostname) || (protocol !== "http:" && protocol !== "https:")) return null;
    return proxyFor({ protocol, host: hostname, port: port || defaultPort(protocol) })?.href ?? null;
  };
}

type CreateConnection = NonNullable<ClientRequestArgs["createConnection"]>;

/** `createConnection` of a request: a tunnel through the proxy. */
export function tunnelTo(panel: string, proxy: string): CreateConnection {
  const { protocol, hostname, port } = new URL(panel);
  const servername = hostname.replace(/^\[(.*)\]$/, "$1");
  const target = { host: hostname, port: port || defaultPort(protocol), timeoutMs: TUNNEL_MS };
  const connect = async (done: Parameters<CreateConnection>[1]) => {
    try {
      const socket = await openTunnel(new URL(proxy), target);
      done(null, protocol === "https:" ? connectTls({ socket, servername }) : socket);
    } catch (error) {
      // The callback's type wants a socket, which nothing reads after an error.
      done(error instanceof Error ? error : new Error(String(error)), new PassThrough());
    }
  };
  return (_options, done) => void connect(done);
}

/** The part of `fetch` that the worker uses. */
interface PanelRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly redirect?: "error";
  readonly signal: AbortSignal;
  readonly body?: Blob;
}

export type PanelFetch = (
  url: URL,
  options: PanelRequest,
) => Promise<{ readonly status: number; text(): Promise<string> }>;

/** Node's own `fetch` supports proxies only from 22.21 on, and only one for all requests of the process. */
export function panelFetch(proxy: string | null): PanelFetch {
  if (proxy === null) return (url, options) => fetch(url, options);
  const loaded = import("undici").then((undici) => ({ ...undici, dispatcher: new undici.ProxyAgent(proxy) }));
  return async (url, options) => {
    const { fetch, dispatcher } = await loaded;
    return fetch(url, { ...options, dispatcher });
  };
}

function defaultPort(protocol: string): string {
  return protocol === "https:" ? "443" : "80";
}
