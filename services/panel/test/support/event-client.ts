/** An event stream client on a raw response; records the bytes. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";

export interface ServerEvent {
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

export async function openEvents(address: string, headers: Readonly<Record<string, string>> = {}, method = "GET") {
  const req = request(address, { method, agent: false, headers: { accept: "text/event-stream", ...headers } });
  req.end();
  const [response] = (await once(req, "response")) as [IncomingMessage];
  response.setEncoding("utf8");
  const events: ServerEvent[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  const state = { isClosed: false };
  let rest = "";
  response.on("data", (text: string) => {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) read(block);
    for (const wake of waiting) wake();
  });
  const end = () => {
    state.isClosed = true;
    for (const wake of waiting) wake();
  };
  response.on("end", end).on("close", end).on("error", end);
  req.on("error", end);

  function read(block: string): void {
    const fields = block.split("\n").map((line) => line.split(/: ?(.*)/s));
    const of = (name: string) => fields.find(([field]) => field === name)?.[1];
    const data = of("data");
    if (data === undefined) return void comments.push(block);
    events.push({ id: of("id") ?? null, name: of("event") ?? "message", data });
  }

  async function until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !state.isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  }

  return {
    response,
    status: response.statusCode,
    events,
    comments,
    seqs: () => events.filter(({ name }) => name === "message").map(({ id }) => Number(id)),
    /** Waits for this many messages, or the end of the stream. */
    messages: (count: number) => until(() => events.length >= count),
    commented: (count: number) => until(() => comments.length >= count),
    closed: () => until(() => false),
    close: () => req.destroy(),
    pause: () => response.pause(),
    [Symbol.dispose]: () => void req.destroy(),
  };
}
