/**
 * Loads the simulator with a mutant, in the same process as the unmodified simulator: a module hook replaces the source
 * and gives the copies their own URLs.
 */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutants.ts";
import type { simulate } from "./simulate.ts";

type Simulate = typeof simulate;

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Modules that get a separate copy; all others are shared. */
const COPIED = [
  "packages/billing-client/src/",
  "services/rail/src/domain/",
  "services/rail/src/store/commit-queue.ts",
  "services/rail/simulation/",
];
const MARK = "mutant";

const loaded = new Map<Mutant, Promise<Simulate>>();

/** A module loads only once, so each mutant is applied only once. */
export function loadMutant(mutant: Mutant): Promise<Simulate> {
  const before = loaded.get(mutant);
  if (before !== undefined) return before;
  const simulate = load(mutant);
  loaded.set(mutant, simulate);
  return simulate;
}

async function load({ name, patches }: Mutant): Promise<Simulate> {
  const missing = new Set(patches);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const isMarked = context.parentURL !== undefined && markOf(context.parentURL) === name;
      return isMarked && isCopied(found.url) ? { ...found, url: marked(found.url, name) } : found;
    },
    load(url, context, next) {
      const read = next(url, context);
      if (markOf(url) !== name) return read;
      let source = textOf(read.source);
      for (const patch of patches) {
        if (pathOf(url) !== patch.file) continue;
        if (source.split(patch.find).length !== 2) continue;
        source = source.replace(patch.find, () => patch.replacement);
        missing.delete(patch);
      }
      return { ...read, source };
    },
  });
  try {
    const { simulate }: { simulate: Simulate } = await import(
      marked(new URL("simulate.ts", import.meta.url).href, name)
    );
    const [lost] = missing;
    if (lost !== undefined) throw new Error(`the text of mutant "${name}" does not occur exactly once in ${lost.file}`);
    return simulate;
  } finally {
    hooks.deregister();
  }
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | null | undefined): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source ?? new Uint8Array(0));
}

function marked(url: string, name: string): string {
  const address = new URL(url);
  address.searchParams.set(MARK, name);
  return address.href;
}

function markOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).searchParams.get(MARK) : null;
}

function pathOf(url: string): string {
  const path = url.startsWith("file:") ? fileURLToPath(url) : "";
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : "";
}

function isCopied(url: string): boolean {
  const path = pathOf(url);
  return COPIED.some((folder) => path.startsWith(folder));
}
