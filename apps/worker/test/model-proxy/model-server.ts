/** A model on loopback that answers as it is told, and counts what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Heard {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  readonly heard: readonly Heard[];
  /** Those that were under way at the same time, at most. */
  readonly together: () => number;
}

export type Answer = (heard: Heard, response: ServerResponse) => void | Promise<void>;

export async function startModel(answer: Answer): Promise<ModelServer> {
  const heard: Heard[] = [];
  let underWay = 0;
  let together = 0;
  const server = createServer((request, response) => {
    response.once("close", () => underWay--);
    together = Math.max(together, ++underWay);
    void hear(request, response);
  });
  async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const one = { path: request.url ?? "", headers: request.headers, body };
    heard.push(one);
    await answer(one, response);
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound.port}`,
    heard,
    together: () => together,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** So many tokens of chat completions, in one piece. */
export function chatAnswer(tokens: { readonly input: number; readonly output: number }): Answer {
  return (_, response) => {
    response.setHeader("content-type", "application/json");
    const usage = { prompt_tokens: tokens.input, completion_tokens: tokens.output };
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "well" } }], usage }));
  };
}
