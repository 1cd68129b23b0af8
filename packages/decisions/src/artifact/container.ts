/**
 * The files of the engine, little-endian:
 *
 *     magic (4 ASCII) · u16 format version · u16 flags · u32 length of the header · canonical JSON header
 *     sections: u32 id · u32 length · padding to 16 bytes · the bytes
 *     SHA-256 of all bytes before
 *
 * It contains no date and no random ID, so that the same training gives the same bytes. A reader checks everything
 * before it uses anything, and says which of the checks failed (ArtifactError).
 */
import { createHash } from "node:crypto";
import { ArtifactError } from "./artifact-error.ts";
import { canonicalJson } from "@triptych/contracts/plain";
import type { Json } from "./header-values.ts";

export type Magic = "TPTK" | "TPHD" | "TPOS" | "TPAX";

export interface Artifact {
  readonly magic: Magic;
  /** Format version; default 1. Head files have version 2 or 3 (head-file.ts). */
  readonly version?: number;
  readonly header: { readonly [name: string]: Json };
  readonly sections: ReadonlyMap<number, Uint8Array>;
}

export interface ReadArtifact extends Artifact {
  readonly version: number;
  readonly sha256: string;
}

const NEWEST_VERSION = 3;
const PREFIX = 12;
const DIGEST = 32;
const ALIGNMENT = 16;
const SECTION_HEAD = 8;
const HEADER_MOST = 16 * 1024 * 1024;
const MAGICS: readonly string[] = ["TPTK", "TPHD", "TPOS", "TPAX"] satisfies Magic[];

export function writeArtifact({ magic, version = 1, header, sections }: Artifact): Uint8Array {
  const json = Buffer.from(canonicalJson(header), "utf8");
  const prefix = Buffer.alloc(PREFIX);
  prefix.write(magic, 0, "ascii");
  prefix.writeUInt16LE(version, 4);
  prefix.writeUInt32LE(json.length, 8);
  const parts: Buffer[] = [prefix, json];
  let length = PREFIX + json.length;
  for (const [id, bytes] of [...sections].sort(([a], [b]) => a - b)) {
    const head = Buffer.alloc(SECTION_HEAD);
    head.writeUInt32LE(id, 0);
    head.writeUInt32LE(bytes.length, 4);
    const padding = Buffer.alloc(paddingAfter(length + SECTION_HEAD));
    parts.push(head, padding, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    length += SECTION_HEAD + padding.length + bytes.length;
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash("sha256").update(body).digest()]);
}

/** Throws an ArtifactError. Sections are copied, so that each starts its own buffer and is aligned for typed arrays. */
export function readArtifact(bytes: Uint8Array, magic: Magic): ReadArtifact {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (file.length < PREFIX + DIGEST || !MAGICS.includes(file.toString("latin1", 0, 4)))
    throw new ArtifactError("not_an_artifact", "Not a file of the decision engine.");
  const found = file.toString("latin1", 0, 4);
  if (found !== magic)
    throw new ArtifactError("wrong_kind", `This is a ${found} file, but a ${magic} file is required.`);
  const version = file.readUInt16LE(4);
  if (version > NEWEST_VERSION)
    throw new ArtifactError(
      "newer_version",
      `The file has format version ${version}; this engine supports up to ${NEWEST_VERSION}.`,
    );
  const body = file.subarray(0, -DIGEST);
  const digest = file.subarray(-DIGEST);
  // Reading dominates the startup time: checksum and identity share one pass over the bytes.
  const hash = createHash("sha256").update(body);
  if (!hash.copy().digest().equals(digest))
    throw new ArtifactError("bad_checksum", "The file is damaged: its checksum does not match.");
  const headerEnd = PREFIX + file.readUInt32LE(8);
  if (headerEnd > body.length || headerEnd > HEADER_MOST)
    throw new ArtifactError("bad_length", "The header exceeds the file.");
  return {
    magic,
    version,
    header: readHeader(body.toString("utf8", PREFIX, headerEnd)),
    sections: readSections(body, headerEnd),
    sha256: hash.update(digest).digest("hex"),
  };
}

function readHeader(text: string): Artifact["header"] {
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header === "object" && header !== null && !Array.isArray(header)) return header as Artifact["header"];
  } catch {
    // Reported below, for all values that are not objects.
  }
  throw new ArtifactError("bad_header", "The header is not a JSON object.");
}

function readSections(body: Buffer, from: number): Map<number, Uint8Array> {
  const sections = new Map<number, Uint8Array>();
  let offset = from;
  while (offset < body.length) {
    if (offset + SECTION_HEAD > body.length) throw new ArtifactError("bad_length", "A section is truncated.");
    const id = body.readUInt32LE(offset);
    const length = body.readUInt32LE(offset + 4);
    const start = offset + SECTION_HEAD + paddingAfter(offset + SECTION_HEAD);
    if (start + length > body.length) throw new ArtifactError("bad_length", `Section ${id} exceeds the file.`);
    sections.set(id, new Uint8Array(body.subarray(start, start + length)));
    offset = start + length;
  }
  return sections;
}

function paddingAfter(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT;
}
