/** The line to a service, in the hands of a test: it passes everything on, holds it back, answers something else, or is cut. */
import { once } from "node:events";
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { until } from "./open-scene.ts";

export interface Wire extends AsyncDisposable {
  readonly url: string;
  /** Paths that came through, looks at health left out. */
  readonly heard: readonly string[];
  /** Keeps calls back until `release`; looks at health pass. */
  hold(): void;
  untilHeld(count: number): Promise<void>;
  release(): void;
  /** Answers calls by itself, until `release`. */
  answer(status: number, body: string): void;
  /** Hangs up on whoever is there or comes, until `mend`. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

type State =
  | { readonly kind: "passing" | "holding" }
  | { readonly kind: "lying"; readonly status: number; readonly body: string };

export async function openWire(target: string): Promise<Wire> {
  let state: State = { kind: "passing" };
  let held: (() => void)[] = [];
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const isLook = request.url === "/health" || request.url === "/readyz";
    const serve = () => void passOn(target, request, response).catch(() => response.destroy());
    if (isLook) return serve();
    heard.push(request.url ?? "");
    if (state.kind === "holding") held.push(serve);
    else if (state.kind === "lying") response.writeHead(state.status).end(state.body);
    else serve();
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const close = async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    hold: () => void (state = { kind: "holding" }),
    untilHeld: (count) => until(`${count} calls are held`, () => held.length >= count),
    release() {
      state = { kind: "passing" };
      const waiting = held;
      held = [];
      for (const serve of waiting) serve();
    },
    answer: (status, body) => void (state = { kind: "lying", status, body }),
    cut: close,
    mend: () => listen(port),
    async [Symbol.asyncDispose]() {
      if (server.listening) await close();
    },
  };
}

async function passOn(target: string, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers, url } = incoming;
  const body = await buffer(incoming);
  const outgoing = ask(target + url, { method, headers: { ...headers, connection: "close" } });
  outgoing.end(body);
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
}
