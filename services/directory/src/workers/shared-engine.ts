/**
 * The engine of an HTTP thread, on the main thread's index in shared memory: any number of threads cost one index. Each
 * thread opens the items file itself, because reads have a position.
 */
import type { PublishedVersion } from "../domain/published-versions.ts";
import { openMemoryCatalogue } from "../domain/index/index.ts";
import type { ServingEngine, SharedIndex } from "../store/catalogue-engine.ts";
import { openSnapshotReader } from "../store/snapshot-reader.ts";
import type { ThreadCalls } from "./thread-calls.ts";

export function sharedEngine(calls: ThreadCalls): ServingEngine {
  return {
    name: "memory",
    prepare: () => Promise.reject(new Error("HTTP threads cannot publish")),
    async open(version: PublishedVersion) {
      // The main thread opens the version first if it does not serve it yet.
      const shared = (await calls.call("snapshot", version.id)) as SharedIndex;
      const reader = openSnapshotReader(shared.path);
      const { index, cachedItems } = shared;
      return {
        catalogue: openMemoryCatalogue({ index, cachedItems, source: reader.source, version }),
        about: `${index.header.itemCount} items, index shared`,
        shared: null,
        close: reader.close,
      };
    },
    cleanUp: () => Promise.resolve(),
    distrust: async (version) => {
      await calls.call("distrust", version.id);
    },
  };
}
