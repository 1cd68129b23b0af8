/** A dependency cache in a folder of a test, and a fake npm that counts its installs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDependencyCache, type DependencyCacheOptions } from "../../src/dependencies/dependency-cache.ts";
import type { DependencyTools } from "../../src/dependencies/run-dependencies.ts";

export interface TestDependencies extends AsyncDisposable {
  readonly tools: DependencyTools;
  readonly cacheFolder: string;
  /** Finds the fake npm. */
  readonly hostEnvironment: { readonly PATH: string };
  installs(): number;
  /** Resolves when no spare copy is being made. */
  settled(): Promise<void>;
}

export async function openTestDependencies(
  folder: string,
  options: Partial<DependencyCacheOptions> = {},
): Promise<TestDependencies> {
  const cacheFolder = join(folder, "dependencies");
  const bin = join(folder, "bin");
  const count = join(folder, "installs");
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, "npm"),
    `#!/bin/sh\necho >> ${count}\nmkdir -p node_modules/a "$HOME/.npm"\necho installed > node_modules/a/index.js\necho fetched > "$HOME/.npm/a"\n`,
  );
  chmodSync(join(bin, "npm"), 0o755);
  const cache = await openDependencyCache({
    folder: cacheFolder,
    bytesMax: 10_000_000,
    isProtected: false,
    now: () => Date.UTC(2026, 0, 2),
    ...options,
  });
  return {
    tools: { cache, isRead: true, versions: async () => ({ npm: "1" }), host: {} },
    cacheFolder,
    hostEnvironment: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
    [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose](),
    settled: () => cache.settled(),
    installs: () => (existsSync(count) ? readFileSync(count, "latin1").length : 0),
  };
}

/** Ignored dependencies, a lock file and a manifest without scripts. */
export const LOCKED_FILES: Readonly<Record<string, string>> = {
  ".gitignore": "node_modules\nbuilt\n",
  "package.json": '{"name":"sum"}',
  "package-lock.json": '{"lockfileVersion":3,"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}',
};
