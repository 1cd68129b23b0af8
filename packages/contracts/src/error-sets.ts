/** Exports without the schema library, for threads and tools that must start fast. */
export { canonicalJson } from "./canonical-json.ts";
export * from "./rail/limits.ts";
export * from "./panel/limits.ts";
