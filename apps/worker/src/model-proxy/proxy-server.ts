/** The listener of a sandbox's network access: a Unix socket, or a loopback port without a sandbox. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { HostProxy } from "./host-proxy.ts";
import type { ModelProxyHandler } from "./create-model-proxy.ts";

export interface ProxyServer extends AsyncDisposable {
  /** Port number; 0 for a Unix socket. */
  readonly port: number;
}

export interface UpstreamHandlers {
  readonly modelProxy: Pick<ModelProxyHandler, "handle"> | null;
  readonly hosts: HostProxy | null;
}

/** `at`: the path of the socket; null: any port of loopback. */
export async function createProxyServer(at: string | null, beyond: () => UpstreamHandlers): Promise<ProxyServer> {
  const server = createServer((req, answer) => {
    const { modelProxy, hosts } = beyond();
    // A host proxy receives absolute URLs, the model proxy paths.
    const handled = req.url?.startsWith("/") === true ? modelProxy?.handle(req, answer) : hosts?.handle(req, answer);
    if (handled === undefined)
      answer.writeHead(403, { connection: "close" }).end("nothing is available at this address\n");
    else void handled.catch(() => answer.destroy());
  });
  server.on("connect", (req, inner, head) => {
    inner.on("error", () => inner.destroy());
    const { hosts } = beyond();
    if (hosts === null) inner.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
    else void hosts.connect(req, inner, head).catch(() => inner.destroy());
  });
  // A model may take minutes before its first byte.
  server.requestTimeout = 0;
  server.listen(at === null ? { host: "127.0.0.1", port: 0 } : { path: at });
  await once(server, "listening");
  const bound: AddressInfo | string | null = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : 0,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}
