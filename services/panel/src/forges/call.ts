/** One request to a forge API, with limits for time and size. Never follows redirects, because it carries a credential. */
import type { LookupFunction } from "node:net";
import { Agent } from "undici";
import { ForgeError } from "./forge.ts";

export interface ForgeAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly etag?: string | null;
}

/** With `etag`, a GET is conditional and may return 304. */
export type ForgeCall = (
  method: "GET" | "POST" | "PATCH" | "PUT",
  path: string,
  body?: object,
  etag?: string,
) => Promise<ForgeAnswer>;

export interface ForgeAddress {
  /** API base URL without a trailing slash. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The pinned address of the host; null if any address is allowed. */
  readonly resolve: (host: string) => Promise<string | null>;
  readonly timeoutMs: number;
  /** Default 4 MiB. */
  readonly responseBytesMax?: number;
  readonly onAnswer: (status: number | null) => void;
}

const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

/** Returns 2xx, 304, 404, 409 and 422; throws `ForgeError` for other statuses. */
export function createForgeCall(address: ForgeAddress): ForgeCall {
  const { base, headers, resolve, timeoutMs, onAnswer } = address;
  const maxResponseSize = address.responseBytesMax ?? RESPONSE_BYTES_MAX;
  return async (method, path, body, etag) => {
    const url = new URL(`${base}${path}`);
    const changes = method !== "GET";
    const response = await ask().catch((cause: unknown) => {
      onAnswer(null);
      const why = cause instanceof Error ? cause.message : "no response";
      throw new ForgeError(changes ? "unknown" : "refused", `The forge did not respond: ${why}`, {
        status: null,
        retryAfterS: null,
      });
    });
    onAnswer(response.status);
    if (response.status < 300 || [304, 404, 409, 422].includes(response.status))
      return { status: response.status, body: parsed(response.text), etag: response.etag };
    const kind = changes && response.status >= 500 ? "unknown" : "refused";
    throw new ForgeError(kind, `The forge responded with status ${response.status}.`, response);

    async function ask(): Promise<ForgeResponse> {
      const pinned = (await resolve(url.hostname))?.replace(/^\[|\]$/g, "");
      const connect = pinned === undefined ? {} : { lookup: pinnedLookup(pinned) };
      const agent = new Agent({ connect, maxResponseSize });
      try {
        const response = await agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            Accept: "application/json",
            "User-Agent": "triptych-panel",
            ...headers,
            ...(body !== undefined && { "Content-Type": "application/json" }),
            ...(etag !== undefined && { "If-None-Match": etag }),
          },
          body: body === undefined ? null : JSON.stringify(body),
        });
        const { etag: tag } = response.headers;
        const text = await response.body.text();
        const named = retryDelayOf(response.headers["retry-after"]) ?? untilReset(response.headers);
        // GitHub's secondary rate limit may send no time; its documentation says to wait a minute.
        const retryAfterS = named ?? (response.statusCode === 403 && /rate limit/i.test(text) ? 60 : null);
        return { status: response.statusCode, retryAfterS, etag: typeof tag === "string" ? tag : null, text };
      } finally {
        await agent.destroy();
      }
    }
  };
}

/** The host keeps its name in `Host` and in TLS, but connects to the checked address. */
export function pinnedLookup(address: string): LookupFunction {
  const family = address.includes(":") ? 6 : 4;
  return (_host, { all }, callback) =>
    all === true ? callback(null, [{ address, family }]) : callback(null, address, family);
}

interface ForgeResponse {
  readonly status: number;
  readonly retryAfterS: number | null;
  readonly etag: string | null;
  readonly text: string;
}

function retryDelayOf(header: string | string[] | undefined): number | null {
  const seconds = Number(header);
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 3_600) : null;
}

/** GitHub and GitLab name the time when a used-up quota is full again, in seconds since 1970. */
function untilReset(headers: Readonly<Record<string, string | string[] | undefined>>): number | null {
  const of = (name: string) => headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`];
  if (of("remaining") !== "0") return null;
  const seconds = Math.ceil(Number(of("reset")) - Date.now() / 1000);
  return retryDelayOf(String(seconds));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
