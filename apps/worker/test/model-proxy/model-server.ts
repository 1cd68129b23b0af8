/** A model server on loopback with configurable responses, which records its requests. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Maximum number of concurrent requests. */
  readonly together: () => number;
}

export type ModelHandler = (received: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

export async function startModel(answer: ModelHandler): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  let underWay = 0;
  let together = 0;
  const server = createServer((request, response) => {
    response.once("close", () => underWay--);
    together = Math.max(together, ++underWay);
    void handle(request, response);
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const received = { path: request.url ?? "", headers: request.headers, body };
    requests.push(received);
    await answer(received, response);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound.port}`,
    requests,
    together: () => together,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A chat completion of this many tokens, in one piece. */
export function chatAnswer(tokens: { readonly input: number; readonly output: number }): ModelHandler {
  return (_, response) => {
    response.setHeader("content-type", "application/json");
    const usage = { prompt_tokens: tokens.input, completion_tokens: tokens.output };
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "well" } }], usage }));
  };
}
