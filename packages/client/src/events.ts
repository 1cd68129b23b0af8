/** An event stream as an async iterator. After a reconnect, it continues where it left off. */
import type { AnswerOf, Endpoint } from "@triptych/contracts";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { readProblem } from "./problem-error.ts";
import { anyOf, open, type AnyInput, type Transport } from "./request.ts";
import { delayOrThrow, type RetryPolicy } from "./retry.ts";

const MEDIA = "text/event-stream";
/** The server sends a comment every 15 s, so a connection that is silent for this long is dead. */
const IDLE_MS = 60_000;

export interface StreamOptions {
  readonly signal?: AbortSignal;
  /** Starts after the event with this ID. */
  readonly lastEventId?: string;
}

/** An object of the account has changed; read it to see the change. */
export interface ChangeNotice {
  readonly type: string;
  readonly id: string;
  readonly repo_id: string | null;
  readonly revision: number;
}

export type EventOf<E extends Endpoint> =
  AnswerOf<E> extends { readonly items: readonly (infer Item)[] } ? Item : ChangeNotice;

export type IsStream<E extends Endpoint> = E["answers"][200] extends { media: infer Media extends readonly string[] }
  ? "text/event-stream" extends Media[number]
    ? true
    : false
  : false;

/** Whether an endpoint responds only with an event stream. */
export type IsOnlyStream<E extends Endpoint> = E["answers"][200] extends {
  media: readonly ["text/event-stream", ...unknown[]];
}
  ? true
  : false;

export function isOnlyStream(endpoint: Endpoint): boolean {
  return endpoint.answers[200]?.media?.[0] === MEDIA;
}

export function isStream(endpoint: Endpoint): boolean {
  return endpoint.answers[200]?.media?.includes(MEDIA) ?? false;
}

type Connection = Transport & RetryPolicy;

/**
 * Yields the parsed data of the events. Ends with the server's `end` event or with 204. A broken connection is reopened
 * after the last event, at most `retries` times in a row without receiving anything.
 */
export async function* streamEvents(
  connection: Connection,
  endpoint: Endpoint,
  input: AnyInput & StreamOptions,
): AsyncGenerator<unknown, void, undefined> {
  const { signal } = input;
  let lastEventId = input.lastEventId;
  let tried = 0;
  for (;;) {
    let failure: unknown = new Error("The event stream ended early.");
    try {
      for await (const message of messagesOf(connection, endpoint, { ...input, lastEventId })) {
        tried = 0;
        if (message === "comment") continue;
        if (message === "complete" || message.event === "end") return;
        lastEventId = message.id ?? lastEventId;
        yield JSON.parse(message.data);
      }
    } catch (error) {
      failure = error;
    }
    signal?.throwIfAborted();
    await delayOrThrow(failure, { tried, policy: connection, ...(signal && { signal }) });
    tried += 1;
  }
}

/** Yields the messages of one connection. `complete` means that the server has no more events. */
async function* messagesOf(
  connection: Connection,
  endpoint: Endpoint,
  { lastEventId, ...input }: AnyInput & { readonly lastEventId: string | undefined },
): AsyncGenerator<EventSourceMessage | "comment" | "complete", void, undefined> {
  const silence = new AbortController();
  const signal = anyOf([input.signal, silence.signal]);
  const headers = { Accept: MEDIA, ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }) };
  const response = await withinIdleTime(silence, open(connection, endpoint, { ...input, signal }, headers));
  if (!response.ok) throw await readProblem(response, connection.now?.());
  if (response.status === 204 || response.body === null) return yield "complete";
  const messages: (EventSourceMessage | "comment")[] = [];
  const parser = createParser({
    onEvent: (event) => messages.push(event),
    onComment: () => messages.push("comment"),
  });
  const decoder = new TextDecoder();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await withinIdleTime(silence, reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* messages.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function withinIdleTime<T>(silence: AbortController, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => silence.abort(new Error("The event stream is silent.")), IDLE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
