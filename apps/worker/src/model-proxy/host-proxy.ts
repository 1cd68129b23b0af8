/**
 * HTTP proxy to the allowed hosts: `CONNECT` for TLS on port 443, plain requests on port 80. The name is resolved once, and the connection
 * goes to that public address. An upstream proxy resolves names itself. TLS content is not inspected.
 */
import { connect, isIP } from "node:net";
import { request, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { openTunnel, requestProxy, type ProxyFor, type Target } from "./upstream-proxy.ts";

export interface HostProxy {
  handle(req: IncomingMessage, answer: ServerResponse): Promise<void>;
  connect(req: IncomingMessage, inner: Duplex, head: Buffer): Promise<void>;
}

/** Null: the host does not exist, or is not public. */
export type AddressOf = (host: string) => Promise<string | null>;

const TLS_PORT = "443";
const PLAIN_PORT = "80";
const CONNECT_MS = 15_000;

interface Route {
  /** The address to connect to; the name itself if the upstream proxy resolves it. */
  readonly address: string;
  readonly proxy: URL | null;
}

export function createHostProxy(
  allowed: readonly string[],
  addressOf: AddressOf,
  proxyFor: ProxyFor = () => null,
): HostProxy {
  return {
    async connect(req, inner, head) {
      const [, host, port] = /^([^:\s]+):(\d+)$/.exec(req.url ?? "") ?? [];
      const target = { protocol: "https:", host: nameOf(host ?? ""), port: port ?? "" } as const;
      const way = await reach(target, TLS_PORT);
      if (way === null) return void inner.end(REFUSED);
      if (way.proxy !== null) return tunnel(way.proxy, target, { inner, head });
      const outer = connect({ host: way.address, port: Number(port), timeout: CONNECT_MS });
      outer.once("connect", () => {
        outer.setTimeout(0);
        inner.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        outer.write(head);
        join(inner, outer);
      });
      outer.once("timeout", () => outer.destroy());
      outer.once("error", () => inner.destroy());
      inner.once("error", () => outer.destroy());
    },
    async handle(req, answer) {
      const url = URL.parse(req.url ?? "");
      const port = url?.port === "" ? PLAIN_PORT : (url?.port ?? "");
      const target = { protocol: "http:", host: nameOf(url?.hostname ?? ""), port } as const;
      const way = url?.protocol === "http:" ? await reach(target, PLAIN_PORT) : null;
      if (url === null || way === null) return void answer.writeHead(403).end("this host is not allowed\n");
      const { "proxy-authorization": _, "proxy-connection": __, ...headers } = req.headers;
      const options = { method: req.method, headers: { ...headers, host: url.host } };
      const outgoing =
        way.proxy === null
          ? request({ ...options, host: way.address, port, path: url.pathname + url.search })
          : requestProxy(way.proxy, { ...options, path: url.href });
      outgoing.once("response", (incoming) => {
        answer.writeHead(incoming.statusCode ?? 502, incoming.headers);
        incoming.pipe(answer);
      });
      outgoing.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
      answer.once("close", () => outgoing.destroy());
      req.pipe(outgoing);
    },
  };

  /** A host is allowed on the default port, or on the port in its entry. */
  async function reach(target: Target, usual: string): Promise<Route | null> {
    const { host: name, port } = target;
    const isAllowed = allowed.some((entry) => {
      const [, pattern, own] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      return matches(name, pattern ?? "") && port === (own ?? usual);
    });
    if (!isAllowed) return null;
    const proxy = proxyFor(target);
    // A name may be known only to the upstream proxy, but a literal address must always be public.
    const address = proxy !== null && isIP(name) === 0 ? name : await addressOf(name);
    return address === null ? null : { address, proxy };
  }
}

interface Client {
  readonly inner: Duplex;
  readonly head: Buffer;
}

async function tunnel(proxy: URL, { host, port }: Target, { inner, head }: Client): Promise<void> {
  const outer = await openTunnel(proxy, { host, port, timeoutMs: CONNECT_MS }).catch(() => null);
  if (outer === null) return void inner.end(BAD_GATEWAY);
  outer.once("error", () => inner.destroy());
  inner.once("error", () => outer.destroy());
  inner.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  outer.write(head);
  join(inner, outer);
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

const BAD_GATEWAY = "HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n";

const REFUSED =
  "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nthis host is not allowed\n";

/** `*.example.org` matches every subdomain, but not the domain itself. */
function matches(name: string, pattern: string): boolean {
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
}

function join(inner: Duplex, outer: Duplex): void {
  inner.pipe(outer);
  outer.pipe(inner);
  inner.once("close", () => outer.destroy());
  outer.once("close", () => inner.destroy());
}
