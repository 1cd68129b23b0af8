/**
 * The way to the hosts that a repo allows: an HTTP proxy. `CONNECT` for TLS on port 443, and plain requests on port 80. The name is
 * checked, what it leads to is looked up once, must be public, and is what is connected to. What is said inside of TLS is not seen.
 */
import { connect, type Socket } from "node:net";
import { request, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export interface HostProxy {
  hear(asked: IncomingMessage, answer: ServerResponse): Promise<void>;
  connect(asked: IncomingMessage, inner: Duplex, head: Buffer): Promise<void>;
}

/** Null: there is no such host, or not in public. */
export type AddressOf = (host: string) => Promise<string | null>;

const TLS_PORT = "443";
const PLAIN_PORT = "80";
const CONNECT_MS = 15_000;

export function createHostProxy(allowed: readonly string[], addressOf: AddressOf): HostProxy {
  return {
    async connect(asked, inner, head) {
      const [, host, port] = /^([^:\s]+):(\d+)$/.exec(asked.url ?? "") ?? [];
      const address = await reach(host ?? "", port ?? "", TLS_PORT);
      if (address === null) return void inner.end(REFUSED);
      const outer = connect({ host: address, port: Number(port), timeout: CONNECT_MS });
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
    async hear(asked, answer) {
      const url = URL.parse(asked.url ?? "");
      const port = url?.port === "" ? PLAIN_PORT : (url?.port ?? "");
      const address = url?.protocol === "http:" ? await reach(url.hostname, port, PLAIN_PORT) : null;
      if (url === null || address === null) return void answer.writeHead(403).end("this host is not allowed\n");
      const { "proxy-authorization": _, "proxy-connection": __, ...headers } = asked.headers;
      const outgoing = request({
        host: address,
        port,
        method: asked.method,
        path: url.pathname + url.search,
        headers: { ...headers, host: url.host },
      });
      outgoing.once("response", (incoming) => {
        answer.writeHead(incoming.statusCode ?? 502, incoming.headers);
        incoming.pipe(answer);
      });
      outgoing.once("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
      answer.once("close", () => outgoing.destroy());
      asked.pipe(outgoing);
    },
  };

  /** A host is allowed on the usual port, or on the one that it is named with. */
  async function reach(host: string, port: string, usual: string): Promise<string | null> {
    const name = host.toLowerCase().replace(/\.$/, "");
    const isAllowed = allowed.some((entry) => {
      const [, pattern, own] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      return matches(name, pattern ?? "") && port === (own ?? usual);
    });
    return isAllowed ? addressOf(name) : null;
  }
}

const REFUSED =
  "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nthis host is not allowed\n";

/** `*.example.org` is every host below, not the domain itself. */
function matches(name: string, pattern: string): boolean {
  return pattern.startsWith("*.") ? name.endsWith(pattern.slice(1)) : name === pattern;
}

function join(inner: Duplex, outer: Socket): void {
  inner.pipe(outer);
  outer.pipe(inner);
  inner.once("close", () => outer.destroy());
  outer.once("close", () => inner.destroy());
}
