/** A proxy that answers the first requests with given problems, forwards the others, and records all. */
import { createServer, request as ask, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Counterpart } from "./counterparts.ts";

export interface ProblemResponse {
  readonly status: number;
  readonly body: object;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Proxy extends Counterpart, AsyncDisposable {
  readonly requests: readonly ReceivedRequest[];
}

export function startProxy(behind: Counterpart, refusals: readonly ProblemResponse[] = []): Promise<Proxy> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { url: path = "/", headers } = request;
      const body = await text(request);
      const refusal = refusals[requests.length];
      requests.push({ path, headers, body });
      if (refusal !== undefined) {
        // Zero, so that clients retry immediately.
        response.writeHead(refusal.status, { "Content-Type": "application/problem+json", "Retry-After": "0" });
        response.end(JSON.stringify(refusal.body));
        return;
      }
      const answer = await passOn(request, behind.url + path, body);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    })().catch(() => response.destroy());
  });
  const { promise, resolve, reject } = Promise.withResolvers<Proxy>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (typeof address !== "object" || address === null) return reject(new Error("the proxy has no address"));
    const stop = () => new Promise<void>((stopped) => server.close(() => stopped()) && server.closeAllConnections());
    resolve({ ...behind, url: `http://127.0.0.1:${address.port}`, requests, [Symbol.asyncDispose]: stop });
  });
  return promise;
}

function passOn({ method, headers }: IncomingMessage, url: string, body: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  ask(url, { method, headers }, resolve).once("error", reject).end(body);
  return promise;
}

/** A problem in the format of router and gateway. */
export function problem(status: number, code: string, detail: string): ProblemResponse {
  const error = { message: detail, type: code, code };
  return { status, body: { type: `http://127.0.0.1/problems/${code}`, title: code, status, code, detail, error } };
}
