/** The proxy of the worker's network, from the variables of curl and npm: requests to allowed hosts pass through it. */
import { request as requestHttp, type OutgoingHttpHeaders, type RequestOptions } from "node:http";
import { request as requestHttps } from "node:https";
import type { Duplex } from "node:stream";

export interface Target {
  readonly protocol: "http:" | "https:";
  readonly host: string;
  readonly port: string;
}

/** Null: direct connection. */
export type ProxyFor = (target: Target) => URL | null;

export function proxyFrom(environment: Readonly<Record<string, string | undefined>>): ProxyFor {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || "";
  const exceptions = read("NO_PROXY")
    .split(/[\s,]+/)
    .filter(Boolean);
  const all = read("ALL_PROXY");
  const proxies = { "http:": toProxy(read("HTTP_PROXY") || all), "https:": toProxy(read("HTTPS_PROXY") || all) };
  return (target) => (exceptions.some((one) => isException(one, target)) ? null : proxies[target.protocol]);
}

/** SOCKS is not supported. */
function toProxy(text: string): URL | null {
  const url = text === "" ? null : URL.parse(text.includes("://") ? text : `http://${text}`);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : null;
}

/** `example.org`, `.example.org` and `*.example.org` match the domain and its hosts; `*` matches everything. */
function isException(entry: string, { host, port }: Target): boolean {
  if (entry === "*") return true;
  const [, name = "", own] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  return (own === undefined || own === port) && (host === name || host.endsWith(`.${name}`));
}

interface ProxyRequest extends Pick<RequestOptions, "method" | "timeout"> {
  /** An absolute URL, or host and port for `CONNECT`. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

export function requestProxy(proxy: URL, options: ProxyRequest) {
  const request = proxy.protocol === "https:" ? requestHttps : requestHttp;
  const { hostname, port, username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  const authorization = username === "" ? {} : { "proxy-authorization": `Basic ${login}` };
  return request({
    ...options,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port || (proxy.protocol === "https:" ? 443 : 80),
    headers: { ...options.headers, ...authorization },
  });
}

export interface Tunnel {
  readonly host: string;
  readonly port: string;
  readonly timeoutMs: number;
}

export function openTunnel(proxy: URL, { host, port, timeoutMs }: Tunnel): Promise<Duplex> {
  const path = `${host}:${port}`;
  const outgoing = requestProxy(proxy, { method: "CONNECT", path, headers: { host: path }, timeout: timeoutMs });
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  outgoing.once("connect", ({ statusCode }, socket, head) => {
    if (statusCode !== 200) {
      socket.destroy();
      reject(new Error(`the proxy responded to CONNECT with ${statusCode}`));
      return;
    }
    socket.setTimeout(0);
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  outgoing.once("response", (response) => {
    response.destroy();
    reject(new Error(`the proxy responded to CONNECT with ${response.statusCode}`));
  });
  outgoing.once("timeout", () => outgoing.destroy(new Error("the proxy timed out on CONNECT")));
  outgoing.once("error", reject);
  outgoing.end();
  return promise;
}
