/**
 * Converts bytes of unknown encoding to UTF-8. Without a byte order mark the bytes from the first non-ASCII byte on
 * decide: valid UTF-8, else Windows-1252. The choice must not depend on chunk boundaries.
 */
import { couldBeUtf8, countLines, decodeLines, type ForeignLines, type TextEncoding } from "./decode-lines.ts";
import { firstBytes, joined } from "./gunzip.ts";

/** Bytes after the first accent that decide. */
const PROBE = 4096;
type Encoding = TextEncoding | "utf-8 with BOM" | "utf-16le" | "utf-16be";

export interface DecodedBytes {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Encoding so far; final once `chunks` has ended. */
  encoding(): string;
  foreignLines(): ForeignLines | null;
}

interface Found {
  encoding: Encoding;
  foreign: ForeignLines | null;
}

export function decodeToUtf8(source: AsyncIterable<Uint8Array>): DecodedBytes {
  const found: Found = { encoding: "utf-8", foreign: null };
  return {
    chunks: decoded(source, found),
    encoding: () => (found.foreign === null ? found.encoding : `${found.encoding} and ${found.foreign.encoding}`),
    foreignLines: () => found.foreign,
  };
}

async function* decoded(source: AsyncIterable<Uint8Array>, found: Found): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await firstBytes(chunks, 4);
  const marked = byteOrderMark(first);
  if (marked !== null) {
    found.encoding = marked.encoding;
    const rest = joined(first.subarray(marked.length), chunks);
    yield* marked.encoding === "utf-8 with BOM"
      ? inLines(rest, { found, encoding: "utf-8", startLine: 1 })
      : transcoded(rest, marked.encoding);
    return;
  }
  yield* undecided(joined(first, chunks), found);
}

/** Passes ASCII through; decides at the first other byte. */
async function* undecided(source: AsyncGenerator<Uint8Array>, found: Found): AsyncGenerator<Uint8Array> {
  let startLine = 1;
  for await (const chunk of source) {
    const start = firstBeyondAscii(chunk);
    startLine += countLines(start < 0 ? chunk : chunk.subarray(0, start));
    if (start < 0) {
      yield chunk;
      continue;
    }
    if (start > 0) yield chunk.subarray(0, start);
    const ahead = joined(chunk.subarray(start), source);
    const probe = await firstBytes(ahead, PROBE);
    const rest = joined(probe, ahead);
    const probed = probe.subarray(0, PROBE);
    const encoding = couldBeUtf8(probed, probed.length === PROBE) ? "utf-8" : "windows-1252";
    found.encoding = encoding;
    yield* inLines(rest, { found, encoding, startLine });
    return;
  }
}

function inLines(
  source: AsyncIterable<Uint8Array>,
  { found, encoding, startLine }: { found: Found; encoding: TextEncoding; startLine: number },
): AsyncGenerator<Uint8Array> {
  return decodeLines(source, { encoding, startLine }, (lines) => {
    found.foreign = lines;
  });
}

async function* transcoded(source: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for await (const chunk of source) yield encoder.encode(decoder.decode(chunk, { stream: true }));
  const rest = decoder.decode();
  if (rest !== "") yield encoder.encode(rest);
}

function byteOrderMark(bytes: Uint8Array): { readonly encoding: Encoding; readonly length: number } | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: "utf-8 with BOM", length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: "utf-16le", length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: "utf-16be", length: 2 };
  // Text never starts with NUL, so this pattern is UTF-16 without a byte order mark.
  if (bytes.length >= 4 && bytes[0] !== 0 && bytes[1] === 0 && bytes[3] === 0)
    return { encoding: "utf-16le", length: 0 };
  if (bytes.length >= 4 && bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0)
    return { encoding: "utf-16be", length: 0 };
  return null;
}

function firstBeyondAscii(bytes: Uint8Array): number {
  for (let index = 0; index < bytes.length; index++) if (bytes[index] > 0x7f) return index;
  return -1;
}
