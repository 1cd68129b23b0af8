/** The end of a log of any size. A forge may redirect to its storage; one redirect is followed, without the credential. */
import { Agent } from "undici";
import { pinnedLookup, type ForgeAddress } from "./call.ts";
import { ForgeError } from "./forge.ts";

export type ReadLog = (path: string) => Promise<string | null>;

const LINES_MAX = 200;
const TAIL_BYTES = 32 * 1024;
/** For a longer log, the end of the part that was read is used. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;

/** Null if there is no log. */
export function createLogReader(address: ForgeAddress): ReadLog {
  return async (path) => {
    const first = await get(address, new URL(`${address.base}${path}`), address.headers);
    address.onAnswer(first.status);
    const target = first.location === null ? null : URL.parse(first.location, `${address.base}${path}`);
    if (first.status >= 300 && first.status < 400 && target !== null && /^https?:$/.test(target.protocol)) {
      const stored = await get(address, target, {});
      return stored.status < 300 ? lastLines(stored.tail) : null;
    }
    return first.status < 300 ? lastLines(first.tail) : null;
  };
}

interface LogResponse {
  readonly status: number;
  readonly location: string | null;
  readonly tail: Buffer;
}

async function get(
  { resolve, timeoutMs }: ForgeAddress,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<LogResponse> {
  const pinned = (await resolve(url.hostname))?.replace(/^\[|\]$/g, "");
  const agent = new Agent({ connect: pinned === undefined ? {} : { lookup: pinnedLookup(pinned) } });
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET",
      signal: AbortSignal.timeout(timeoutMs),
      headers: { "User-Agent": "triptych-panel", ...headers },
    });
    const { location } = response.headers;
    return {
      status: response.statusCode,
      location: typeof location === "string" ? location : null,
      tail: await tailOf(response.body),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : "no response";
    throw new ForgeError("refused", `The log could not be read: ${why}`, { status: null, retryAfterS: null });
  } finally {
    await agent.destroy();
  }
}

async function tailOf(body: AsyncIterable<unknown>): Promise<Buffer> {
  let tail = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Buffer)) continue;
    bytes += chunk.length;
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
    if (bytes > LOG_BYTES_MAX) break;
  }
  return tail;
}

function lastLines(tail: Buffer): string {
  const text = tail
    .toString("utf8")
    .replaceAll("\r\n", "\n")
    .replaceAll(/[^\P{C}\n\t]/gu, "");
  return text.trimEnd().split("\n").slice(-LINES_MAX).join("\n");
}
