/**
 * One request and its complete response over a keep-alive pool. `pool.request` would add a stream and an abort signal per call: at
 * thousands of small responses a second, those cost more than the responses.
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
  /** Counts the wait for a free connection too, so every call has the same total timeout. */
  readonly deadlines: DeadlineQueue;
}

/** Rejects without a complete response in time. */
export function sendRequest(
  { pool, deadlines }: ExchangeOptions,
  request: Dispatcher.DispatchOptions,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const parts: Buffer[] = [];
  let active: Dispatcher.DispatchController | null = null;
  let late: Error | null = null;
  let status = 0;
  let headers: HttpResponse["headers"] = {};
  const ended = deadlines.begin((why) => {
    late = why;
    active?.abort(why);
    reject(why);
  });
  pool.dispatch(request, {
    onRequestStart(controller) {
      active = controller;
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
