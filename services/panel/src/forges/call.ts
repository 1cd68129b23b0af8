/**
 * One request to a forge API, with limits for time and size. Never follows redirects, because it carries a credential. Uses node's client,
 * which can pin the checked address.
 */
import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
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

const ANSWER_BYTES = 4 * 1024 * 1024;

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
      const text = body === undefined ? undefined : JSON.stringify(body);
      return new Promise<ForgeResponse>((done, fail) => {
        const send = url.protocol === "https:" ? overHttps : overHttp;
        const asking = send(url, {
          method,
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            Accept: "application/json",
            "User-Agent": "triptych-panel",
            ...headers,
            ...(text !== undefined && {
              "Content-Type": "application/json",
              "Content-Length": String(Buffer.byteLength(text)),
            }),
          },
          ...(address !== undefined && { lookup: onlyAt(address) }),
        });
        asking.once("error", fail);
        asking.once("response", (answer) => done(readAll(answer)));
        asking.end(text);
      });
    }
  };
}

function onlyAt(address: string): LookupFunction {
  const family = address.includes(":") ? 6 : 4;
  return (_host, { all }, callback) =>
    all === true ? callback(null, [{ address, family }]) : callback(null, address, family);
}

interface ForgeResponse {
  readonly status: number;
  readonly retryAfterS: number | null;
  readonly text: string;
}

async function readAll(answer: IncomingMessage): Promise<ForgeResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    if (!(chunk instanceof Buffer)) continue;
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES) throw new Error("response too large");
    chunks.push(chunk);
  }
  const wait = Number(answer.headers["retry-after"]);
  const retryAfterS = Number.isInteger(wait) && wait > 0 ? Math.min(wait, 3_600) : null;
  return { status: answer.statusCode ?? 0, retryAfterS, text: Buffer.concat(chunks).toString("utf8") };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
