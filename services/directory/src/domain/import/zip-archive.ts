/** Members of a ZIP archive in memory, as streams that end with an error when they expand too much. */
import { promisify } from "node:util";
import { fromBuffer, type Entry, type ZipFile } from "yauzl";
import { bounded } from "./gunzip.ts";
import { UnreadableFile } from "./table.ts";

const MEMBERS_MAX = 1000;

export interface ZipMember {
  readonly name: string;
  readonly size: number;
  readonly entry: Entry;
}

export interface ZipArchive {
  readonly file: ZipFile;
  readonly members: readonly ZipMember[];
}

const openBuffer = promisify<Buffer, { lazyEntries: boolean; autoClose: boolean }, ZipFile>(fromBuffer);

export async function zipMembers(bytes: Buffer): Promise<ZipArchive> {
  try {
    const file = await openBuffer(bytes, { lazyEntries: true, autoClose: false });
    return { file, members: await entriesOf(file) };
  } catch (error) {
    throw damaged(error);
  }
}

export async function* memberStream({ file }: ZipArchive, { entry }: ZipMember): AsyncGenerator<Uint8Array> {
  try {
    const open = promisify<Entry, AsyncIterable<Uint8Array>>(file.openReadStream.bind(file));
    yield* bounded(await open(entry), () => entry.compressedSize);
  } catch (error) {
    throw damaged(error);
  }
}

function entriesOf(file: ZipFile): Promise<ZipMember[]> {
  return new Promise((resolve, reject) => {
    const members: ZipMember[] = [];
    file.on("error", reject);
    file.on("end", () => resolve(members));
    file.on("entry", (entry: Entry) => {
      members.push({ name: entry.fileName, size: entry.uncompressedSize, entry });
      if (members.length > MEMBERS_MAX) reject(new UnreadableFile("the ZIP archive holds more than 1,000 files"));
      else file.readEntry();
    });
    file.readEntry();
  });
}

function damaged(error: unknown): unknown {
  if (error instanceof UnreadableFile || !(error instanceof Error)) return error;
  return new UnreadableFile(`the ZIP archive is truncated or damaged (${error.message})`);
}
