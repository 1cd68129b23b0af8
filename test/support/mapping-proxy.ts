/** An HTTP proxy that sends every request to one local port, whatever host it names. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect } from "node:net";

export interface MappingProxy extends AsyncDisposable {
  readonly url: string;
  /** `METHOD target` of each request, in order. */
  readonly seen: readonly string[];
}

export async function startMappingProxy(port: number): Promise<MappingProxy> {
  const seen: string[] = [];
  const target = { host: "127.0.0.1", port };
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const { pathname, search, host } = new URL(incoming.url ?? "");
    const options = {
      ...target,
      method: incoming.method,
      path: pathname + search,
      headers: { ...incoming.headers, host },
    };
    const outgoing = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.on("connect", (incoming, socket, head: Buffer) => {
    seen.push(`CONNECT ${incoming.url}`);
    const tunnel = connect(target, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      tunnel.write(head);
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [tunnel, socket]) end.on("error", () => [tunnel, socket].forEach((one) => one.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
