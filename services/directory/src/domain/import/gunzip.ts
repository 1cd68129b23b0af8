/** Decompresses gzip files transparently: open data is often published as `.csv.gz`. */
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { UnreadableFile } from "./table.ts";

export async function* gunzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await firstBytes(chunks, 2);
  const all = joined(first, chunks);
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip();
  let packed = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of all) {
      packed += chunk.length;
      yield chunk;
    }
  };
  pipeline(Readable.from(counted()), gunzip, () => {});
  try {
    yield* bounded(gunzip, () => packed);
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))
      throw new UnreadableFile(`the gzip file is truncated or damaged (${error.message})`);
    throw error;
  }
}

/** Tables compress 5 to 50 times, an attack up to a thousand times: the limit of deflate. */
const EXPANSION_MAX = 200;
/** Smaller contents are never refused. */
const UNPACKED_FREE_BYTES = 64 * 1024 * 1024;

/** Ends with an error when the content expands too much. */
export async function* bounded(content: AsyncIterable<Uint8Array>, packed: () => number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > UNPACKED_FREE_BYTES && size > packed() * EXPANSION_MAX)
      throw new UnreadableFile(`the file expands more than ${EXPANSION_MAX} times; unpack it first`);
    yield chunk;
  }
}

/** At least `minimum` bytes, fewer only at the end of the stream. */
export async function firstBytes(chunks: AsyncIterator<Uint8Array>, minimum: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let size = 0; size < minimum;) {
    const next = await chunks.next();
    if (next.done === true) break;
    parts.push(next.value);
    size += next.value.length;
  }
  return Buffer.concat(parts);
}

/** The peeked bytes and the rest; closes the rest when stopped early. */
export async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
