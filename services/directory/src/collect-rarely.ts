/**
 * Full collections of the heap become rarer, for a service whose data stand outside of it: an index of gigabytes, a heap of some 35 MB.
 *
 * V8 lets such a heap grow by a third and begins to mark it anew as soon as less than the room for new objects (32 MB) is left to
 * that limit, which is at once. While the pages of a new version are made, the heap was collected every second, and each time the
 * requests of 3 to 10 ms waited: four helpers mark beside the thread that serves, on however few processors there are. With three times
 * the heap as the limit, it is collected once in ten seconds, for some 20 MB more.
 *
 * V8 has such flags for the process, so services beside this one in the same process follow.
 */
import { setFlagsFromString } from "node:v8";

/** Where the flag is known to be read after each collection, and not at the start alone. */
const V8 = /^13\./;
const GROWTH_PERCENT = 200;

export function collectRarely(): void {
  if (V8.test(process.versions.v8)) setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
