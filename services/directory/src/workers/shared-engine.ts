/**
 * The engine of an HTTP thread, on the main thread's index in shared memory: any number of threads cost one index. Each
 * thread opens the items file itself, because reads have a position.
 */
import type { Edition } from "../domain/published-versions.ts";
import { openMemoryCatalogue } from "../domain/index/index.ts";
import type { ServingEngine, SharedEdition } from "../store/catalogue-engine.ts";
import { openSnapshotReader } from "../store/snapshot-reader.ts";
import type { ThreadCalls } from "./thread-calls.ts";

export function sharedEngine(calls: ThreadCalls): ServingEngine {
  return {
    name: "memory",
    prepare: () => Promise.reject(new Error("HTTP threads cannot publish")),
    async open(edition: Edition) {
      // The main thread opens the version first if it does not serve it yet.
      const shared = (await calls.call("snapshot", edition.id)) as SharedEdition;
      const reader = openSnapshotReader(shared.path);
      const { index, kept } = shared;
      return {
        catalogue: openMemoryCatalogue({ index, kept, source: reader.source, version: edition }),
        about: `${index.header.itemCount} items, index shared`,
        shared: null,
        close: reader.close,
      };
    },
    tidy: () => Promise.resolve(),
    distrust: async (edition) => {
      await calls.call("distrust", edition.id);
    },
  };
}
