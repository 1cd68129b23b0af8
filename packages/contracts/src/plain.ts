/** What needs no library of schemas, for threads and tools that are to start at once. */
export { canonicalJson } from "./canonical.ts";
export * from "./rail/limits.ts";
export * from "./panel/limits.ts";
