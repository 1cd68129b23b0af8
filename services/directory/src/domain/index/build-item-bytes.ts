import { crc32 } from "node:zlib";
import type { ItemFields } from "../catalogue.ts";
import { hashContent, type LabelledTag, renderItem } from "./item-json.ts";
import { growingFloat64, growingUint32, type GrowableArray } from "./growable-array.ts";
import type { SectionArray, SnapshotWriter } from "./snapshot.ts";

export interface ItemBytesCollector {
  add(item: ItemFields): Promise<void>;
  finish(): readonly (readonly [string, SectionArray])[];
  contentHash(tags: readonly LabelledTag[]): string;
}

export function collectItemBytes(snapshot: SnapshotWriter): ItemBytesCollector {
  const content = hashContent();
  const offsets = growingFloat64();
  const summaryLengths = growingUint32();
  const checksums = growingUint32();

  return {
    async add(item) {
      const { json, summaryLength } = renderItem(item);
      offsets.push(snapshot.position);
      summaryLengths.push(summaryLength);
      checksums.push(crc32(json));
      content.add(json);
      await snapshot.append(json);
    },
    finish() {
      offsets.push(snapshot.position);
      return [
        ["offsets", taken(offsets)],
        ["summaryLengths", taken(summaryLengths)],
        ["checksums", taken(checksums)],
      ];
    },
    contentHash: (tags) => content.finish(tags),
  };
}

function taken<Array extends SectionArray>(numbers: GrowableArray<Array>): Array {
  const whole = numbers.toArray();
  numbers.clear();
  return whole;
}
