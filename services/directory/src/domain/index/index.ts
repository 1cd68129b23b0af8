export { buildIndex, type BuiltIndex, type IndexInput } from "./build.ts";
export { checkContent } from "./check-content.ts";
export { keepItems, type CachedItems } from "./item-store.ts";
export { renderItem, withOrigin, type RenderedItem } from "./item-json.ts";
export { openMemoryCatalogue, type MemorySnapshot } from "./memory-catalogue.ts";
export {
  readSnapshotHeader,
  readSnapshotIndex,
  SnapshotRefused,
  type ByteSink,
  type ByteSource,
  type SnapshotHeader,
  type SnapshotIndex,
} from "./snapshot.ts";
export { memorySink, memorySource, type MemorySink } from "./snapshot-memory.ts";
