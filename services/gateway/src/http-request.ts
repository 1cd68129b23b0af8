/** Sends one request over a keep-alive pool and reads its complete response. */
import type { Dispatcher } from "undici";

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface HttpRequest extends Pick<Dispatcher.RequestOptions, "method" | "path" | "headers" | "body"> {
  readonly pool: Pick<Dispatcher, "request">;
  /** Timeout, including the wait for a free connection. */
  readonly timeoutMs: number;
}

/** Rejects with a `TimeoutError` if the response is not complete in time. */
export async function sendRequest({ pool, timeoutMs, ...request }: HttpRequest): Promise<HttpResponse> {
  const { statusCode, headers, body } = await pool.request({ ...request, signal: AbortSignal.timeout(timeoutMs) });
  return { status: statusCode, headers, body: Buffer.from(await body.arrayBuffer()) };
}
