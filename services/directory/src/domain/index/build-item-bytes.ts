/** The items' JSON on its way into a snapshot: where each begins, how it is checked, and the hash of all. */
import { crc32 } from "node:zlib";
import type { ItemFields } from "../catalogue.ts";
import { hashContent, type LabelledTag } from "./content-hash.ts";
import { growingFloat64, growingUint32 } from "./growing.ts";
import { renderItem } from "./item-json.ts";
import type { SectionArray, SnapshotWriter } from "./snapshot.ts";

/** Bytes are handed over in pieces of about this size. */
const BLOCK = 1 << 18;

export interface ItemBytesCollector {
  add(item: ItemFields): void | Promise<void>;
  finish(): Promise<readonly (readonly [string, SectionArray])[]>;
  contentHash(tags: readonly LabelledTag[]): string;
}

export function collectItemBytes(snapshot: SnapshotWriter): ItemBytesCollector {
  const content = hashContent();
  const offsets = growingFloat64();
  const summaryLengths = growingUint32();
  const checksums = growingUint32();
  let block: Uint8Array[] = [];
  let blockLength = 0;
  const flush = async () => {
    const bytes = Buffer.concat(block);
    block = [];
    blockLength = 0;
    await snapshot.append(bytes);
  };

  return {
    add(item) {
      const { json, summaryLength } = renderItem(item);
      offsets.push(snapshot.position + blockLength);
      summaryLengths.push(summaryLength);
      checksums.push(crc32(json));
      content.add(json);
      block.push(json);
      blockLength += json.length;
      return blockLength >= BLOCK ? flush() : undefined;
    },
    async finish() {
      await flush();
      offsets.push(snapshot.position);
      return [
        ["offsets", offsets.toArray()],
        ["summaryLengths", summaryLengths.toArray()],
        ["checksums", checksums.toArray()],
      ];
    },
    contentHash: (tags) => content.finish(tags),
  };
}
