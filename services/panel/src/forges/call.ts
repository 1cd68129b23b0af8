/** One request to a forge API, with limits for time and size. Never follows redirects, because it carries a credential. */
import type { LookupFunction } from "node:net";
import { Agent } from "undici";
import { ForgeError } from "./forge.ts";

export interface ForgeAnswer {
  readonly status: number;
  readonly body: unknown;
}

export type ForgeCall = (method: "GET" | "POST" | "PATCH" | "PUT", path: string, body?: object) => Promise<ForgeAnswer>;

export interface ForgeAddress {
  /** API base URL without a trailing slash. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The pinned address of the host; null where any is allowed. */
  readonly resolve: (host: string) => Promise<string | null>;
  readonly timeoutMs: number;
  readonly onAnswer: (status: number | null) => void;
}

const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

/** Returns 2xx, 404, 409 and 422; throws `ForgeError` for other statuses. */
export function createForgeCall({ base, headers, resolve, timeoutMs, onAnswer }: ForgeAddress): ForgeCall {
  return async (method, path, body) => {
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
    if (response.status < 300 || [404, 409, 422].includes(response.status))
      return { status: response.status, body: parsed(response.text) };
    const kind = changes && response.status >= 500 ? "unknown" : "refused";
    throw new ForgeError(kind, `The forge responded with status ${response.status}.`, response);

    async function ask(): Promise<ForgeResponse> {
      const address = (await resolve(url.hostname))?.replace(/^\[|\]$/g, "");
      const connect = address === undefined ? {} : { lookup: pinnedLookup(address) };
      const agent = new Agent({ connect, maxResponseSize: RESPONSE_BYTES_MAX });
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
          },
          body: body === undefined ? null : JSON.stringify(body),
        });
        const retryAfterS = retryDelayOf(response.headers["retry-after"]);
        return { status: response.statusCode, retryAfterS, text: await response.body.text() };
      } finally {
        await agent.destroy();
      }
    }
  };
}

/** The host keeps its name in `Host` and in TLS, but connects to the checked address. */
function pinnedLookup(address: string): LookupFunction {
  const family = address.includes(":") ? 6 : 4;
  return (_host, { all }, callback) =>
    all === true ? callback(null, [{ address, family }]) : callback(null, address, family);
}

interface ForgeResponse {
  readonly status: number;
  readonly retryAfterS: number | null;
  readonly text: string;
}

function retryDelayOf(header: string | string[] | undefined): number | null {
  const seconds = Number(header);
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 3_600) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
