/**
 * The snapshot format: the items' JSON, the index, its header, and a trailer of fixed length, little-endian. Written
 * front to back, because builders do not buffer items, and read back to front.
 *
 * Invariant: damaged bytes are never served. A CRC-32 protects index, header and each item. Not SHA-256, because a
 * gigabyte must open in a second: this detects damage, not forgery. Other formats or analysers are rejected.
 */
import { crc32 } from "node:zlib";
import { ANALYSER_VERSION } from "../analyse.ts";

const FORMAT_VERSION = 7;
const MAGIC = Buffer.from("TRIPTDIR");
const TRAILER = 40;
const ALIGNMENT = 8;
/** Bytes read and checked per step: a millisecond of a thread that may be serving requests. */
const READ_STEP = 1 << 22;

/** Accepts bytes in order and takes ownership of them. */
export interface ByteSink {
  append(bytes: Uint8Array): Promise<void>;
}

/** Random access. Returns exactly `length` bytes or fails. */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Optional: fills existing memory completely or fails. */
  readInto?(offset: number, into: Uint8Array): Promise<void>;
}

export type SectionArray = Uint8Array | Uint32Array | Float64Array;

export type Section = readonly [name: string, content: SectionArray | Iterable<SectionArray>];

export function isPieces(content: Section[1]): content is Iterable<SectionArray> {
  return !ArrayBuffer.isView(content);
}

export interface SnapshotHeader {
  readonly analyser: number;
  readonly itemCount: number;
  readonly contentHash: string;
  readonly itemsLength: number;
  readonly indexLength: number;
  readonly indexCrc: number;
  /** Offset from the start of the index, and length in bytes. */
  readonly sections: Readonly<Record<string, readonly [offset: number, length: number]>>;
  readonly meta: unknown;
}

/** A verified index in shared memory, so that worker threads open catalogues without copying. */
export interface SnapshotIndex {
  readonly header: SnapshotHeader;
  readonly buffer: SharedArrayBuffer;
}

/** A damaged, truncated or incompatible snapshot. It must be rebuilt. */
export class SnapshotRefused extends Error {
  override readonly name = "SnapshotRefused";
}

export interface SnapshotWriter {
  readonly position: number;
  append(bytes: Uint8Array): Promise<void>;
  section(...section: Section): Promise<void>;
  finish(about: Pick<SnapshotHeader, "itemCount" | "contentHash" | "meta">): Promise<void>;
}

/** Call `append` for all items, then write the sections, then `finish`. */
export async function writeSnapshot(sink: ByteSink): Promise<SnapshotWriter> {
  const sections: Record<string, [number, number]> = {};
  let position = 0;
  let itemsLength = 0;
  let indexCrc = 0;
  const append = (bytes: Uint8Array) => {
    position += bytes.length;
    return sink.append(bytes);
  };
  const indexed = async (bytes: Uint8Array) => {
    indexCrc = crc32(bytes, indexCrc);
    await append(bytes);
  };
  const pad = async () => {
    const rest = position % ALIGNMENT;
    if (rest !== 0) await indexed(Buffer.alloc(ALIGNMENT - rest));
  };

  await append(MAGIC);
  return {
    get position() {
      return position;
    },
    append,
    async section(name, content) {
      if (itemsLength === 0) itemsLength = position;
      await pad();
      const begin = position;
      for (const array of isPieces(content) ? content : [content])
        await indexed(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      sections[name] = [begin - itemsLength, position - begin];
    },
    async finish(about) {
      await pad();
      const header: SnapshotHeader = {
        ...about,
        analyser: ANALYSER_VERSION,
        itemsLength,
        indexLength: position - itemsLength,
        indexCrc,
        sections,
      };
      const json = Buffer.from(JSON.stringify(header));
      const trailer = Buffer.alloc(TRAILER);
      trailer.writeDoubleLE(position, 0);
      trailer.writeUInt32LE(json.length, 8);
      trailer.writeUInt32LE(crc32(json), 12);
      trailer.writeUInt32LE(FORMAT_VERSION, 16);
      trailer.writeUInt32LE(ANALYSER_VERSION, 20);
      trailer.writeUInt32LE(crc32(trailer.subarray(0, 24)), 24);
      MAGIC.copy(trailer, TRAILER - MAGIC.length);
      await append(json);
      await append(trailer);
    },
  };
}

/** Reads and verifies everything except the items. Fails with `SnapshotRefused` and a reason for the operator. */
export async function readSnapshotIndex(source: ByteSource): Promise<SnapshotIndex> {
  const header = await readSnapshotHeader(source);
  // Aligned to 8 for arrays of doubles; reads up to 7 preceding bytes too.
  const lead = header.itemsLength % ALIGNMENT;
  const buffer = new SharedArrayBuffer(lead + header.indexLength);
  const index = new Uint8Array(buffer, lead);
  let crc = 0;
  for (let done = 0; done < index.length; done += READ_STEP) {
    const step = index.subarray(done, done + READ_STEP);
    const offset = header.itemsLength + done;
    if (source.readInto) await source.readInto(offset, step);
    else step.set(await source.read(offset, step.length));
    crc = crc32(step, crc);
  }
  if (crc !== header.indexCrc) throw new SnapshotRefused("the index of the snapshot is damaged (checksum mismatch)");
  return { header, buffer };
}

export function sectionBytes(
  index: SnapshotIndex,
  name: string,
): [buffer: SharedArrayBuffer, offset: number, length: number] {
  const section = index.header.sections[name];
  if (section === undefined) throw new SnapshotRefused(`the snapshot has no section "${name}"`);
  return [index.buffer, (index.header.itemsLength % ALIGNMENT) + section[0], section[1]];
}

/** Reads only the header, to know the size before allocating memory. Fails like `readSnapshotIndex`. */
export async function readSnapshotHeader(source: ByteSource): Promise<SnapshotHeader> {
  if (source.size < MAGIC.length + TRAILER) throw new SnapshotRefused("the snapshot is truncated");
  const opening = await source.read(0, MAGIC.length);
  if (!MAGIC.equals(opening)) throw new SnapshotRefused("the file is not a snapshot");
  const trailer = Buffer.from(await source.read(source.size - TRAILER, TRAILER));
  if (!MAGIC.equals(trailer.subarray(TRAILER - MAGIC.length))) throw new SnapshotRefused("the snapshot is truncated");
  if (trailer.readUInt32LE(24) !== crc32(trailer.subarray(0, 24)) || trailer.readUInt32LE(28) !== 0) {
    throw new SnapshotRefused("the trailer of the snapshot is damaged (checksum mismatch)");
  }

  const format = trailer.readUInt32LE(16);
  if (format !== FORMAT_VERSION) throw new SnapshotRefused(otherVersion("format", format, FORMAT_VERSION));
  const analyser = trailer.readUInt32LE(20);
  if (analyser !== ANALYSER_VERSION) throw new SnapshotRefused(otherVersion("analyser", analyser, ANALYSER_VERSION));

  const at = trailer.readDoubleLE(0);
  const length = trailer.readUInt32LE(8);
  if (at + length + TRAILER !== source.size) throw new SnapshotRefused("the snapshot has the wrong length");
  const json = await source.read(at, length);
  if (crc32(json) !== trailer.readUInt32LE(12))
    throw new SnapshotRefused("the header of the snapshot is damaged (checksum mismatch)");
  // The checksum has verified that `finish` wrote these bytes.
  return JSON.parse(Buffer.from(json).toString()) as SnapshotHeader;
}

function otherVersion(what: string, found: number, supported: number): string {
  const age = found > supported ? "a newer" : "an older";
  return `the snapshot was built with ${age} ${what} (${found}, this program reads ${supported})`;
}
