/**
 * One request and its whole answer, over a pool of connections that are kept open. What is asked for with `pool.request` comes as a
 * stream, with a signal to give it up: at thousands of small answers a second those cost more than the answers.
 */
import type { Dispatcher } from "undici";
import type { DeadlineQueue } from "./deadline-queue.ts";

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface ExchangeOptions {
  readonly pool: Pick<Dispatcher, "dispatch">;
  /** Counted from here, not from when a connection is free: who waits for one waits no longer than the others. */
  readonly deadlines: DeadlineQueue;
}

/** Rejects when there is no answer in time, or none that is whole. */
export function sendRequest(
  { pool, deadlines }: ExchangeOptions,
  request: Dispatcher.DispatchOptions,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const parts: Buffer[] = [];
  let begun: Dispatcher.DispatchController | null = null;
  let late: Error | null = null;
  let status = 0;
  let headers: HttpResponse["headers"] = {};
  const ended = deadlines.begin((why) => {
    late = why;
    begun?.abort(why);
    reject(why);
  });
  pool.dispatch(request, {
    onRequestStart(controller) {
      begun = controller;
      if (late !== null) controller.abort(late);
    },
    onResponseStart(_, code, received) {
      status = code;
      headers = received;
    },
    onResponseData(_, part) {
      parts.push(part);
    },
    onResponseEnd() {
      ended();
      resolve({ status, headers, body: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts) });
    },
    onResponseError(_, error) {
      ended();
      reject(error);
    },
  });
  return promise;
}
