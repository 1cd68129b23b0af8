/** A proxy to a service that tests control: it forwards, delays, replaces responses, or disconnects. */
import { once } from "node:events";
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { until } from "./create-fixture.ts";

export interface ReceivedRequest {
  readonly path: string;
  readonly body: string;
}

export interface Wire extends AsyncDisposable {
  readonly url: string;
  /** Forwarded requests, without health checks. */
  readonly received: readonly ReceivedRequest[];
  /** Delays requests or responses until `release`, except health checks. */
  hold(what?: "questions" | "answers", which?: (received: ReceivedRequest) => boolean): void;
  untilBlocked(count: number): Promise<void>;
  /** Drops these requests until `release`; they are not resent. */
  lose(which: (received: ReceivedRequest) => boolean): void;
  release(): void;
  /** Responds itself instead of the service, until `release`. */
  answer(status: number, body: string, headers?: Readonly<Record<string, string>>): void;
  /** Closes existing and new connections until `mend`. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

type State =
  | { readonly kind: "passing" }
  | { readonly kind: "questions" | "answers" | "losing"; readonly which: (received: ReceivedRequest) => boolean }
  | {
      readonly kind: "lying";
      readonly status: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
    };

export async function openWire(target: string): Promise<Wire> {
  let state: State = { kind: "passing" };
  let blocked: (() => void)[] = [];
  const received: ReceivedRequest[] = [];
  const holdBack = () => new Promise<void>((resolve) => void blocked.push(resolve));

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const question = { path: incoming.url ?? "", body: (await buffer(incoming)).toString("utf8") };
    const isHealthCheck = question.path === "/health" || question.path === "/readyz";
    const now: State = isHealthCheck ? { kind: "passing" } : state;
    if (!isHealthCheck) received.push(question);
    if (now.kind === "lying") return void response.writeHead(now.status, now.headers).end(now.body);
    if (now.kind === "losing" && now.which(question)) return;
    if (now.kind === "questions" && now.which(question)) await holdBack();
    const answer = await passOn(target, incoming, question);
    const body = await buffer(answer);
    if (now.kind === "answers" && now.which(question)) await holdBack();
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
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
  const release = () => {
    state = { kind: "passing" };
    const waiting = blocked;
    blocked = [];
    for (const goOn of waiting) goOn();
  };
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  return {
    url: `http://127.0.0.1:${port}`,
    received,
    hold: (what = "questions", which = () => true) => void (state = { kind: what, which }),
    untilBlocked: (count) => until(`${count} calls are delayed`, () => blocked.length >= count),
    lose: (which) => void (state = { kind: "losing", which }),
    release,
    answer: (status, body, headers = {}) => void (state = { kind: "lying", status, body, headers }),
    cut: close,
    mend: () => listen(port),
    async [Symbol.asyncDispose]() {
      release();
      if (server.listening) await close();
    },
  };
}

async function passOn(target: string, { method, headers }: IncomingMessage, { path, body }: ReceivedRequest) {
  const outgoing = ask(target + path, { method, headers: { ...headers, connection: "close" } });
  outgoing.end(body);
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  return answer;
}

/** Whether a request to the rail is a batch with a charge, not a heartbeat. */
export function isCharge({ path, body }: ReceivedRequest): boolean {
  return path === "/internal/v1/charges" && body.includes('"wallet_hash"');
}
