/** A private registry on loopback: it demands a token, and passes requests on to the public one. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { randomBytes } from "node:crypto";

export interface PrivateRegistry extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Requests with the token, and without it. */
  readonly counts: { readonly accepted: number; readonly refused: number };
}

const PASSED_HEADERS = ["accept", "if-none-match"];

export async function openPrivateRegistry(upstream: string): Promise<PrivateRegistry> {
  const token = `private_${randomBytes(16).toString("hex")}`;
  const counts = { accepted: 0, refused: 0 };
  const root = upstream.replace(/\/+$/, "");
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the private registry has no port");
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    token,
    counts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${token}`) {
      counts.refused++;
      return void response.writeHead(401, { "content-type": "application/json" }).end('{"error":"token required"}');
    }
    counts.accepted++;
    const headers = Object.fromEntries(PASSED_HEADERS.map((name) => [name, String(request.headers[name] ?? "")]));
    const found = await fetch(`${root}${request.url}`, { headers }).catch(() => null);
    if (found === null) return void response.writeHead(502).end();
    const type = found.headers.get("content-type") ?? "application/octet-stream";
    const body = Buffer.from(await found.arrayBuffer());
    const isMetadata = type.includes("json");
    response.writeHead(found.status, { "content-type": type });
    response.end(isMetadata ? body.toString("utf8").replaceAll(`${root}/`, `${url}/`) : body);
  }
}
