/** One check of the scan on a few files, without a repository. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readFolder, type Tree } from "../../src/scouts/reading/tree.ts";
import type { Check, ScanContext } from "../../src/scouts/scan/check.ts";
import { NO_TOOLS } from "./no-tools.ts";

export type Files = Readonly<Record<string, string>>;

/** The titles of its proposals. */
export async function runCheck(
  check: Check,
  files: Files,
  scanContext: Partial<ScanContext> = {},
): Promise<readonly string[]> {
  return inFolder(files, async (tree) => {
    const { findings } = await check.run({
      tree,
      verifyCommand: null,
      verifyTimeoutS: 60,
      verifyTwice: async () => [],
      // Every line is old.
      blame: async (_, lines) => new Map(lines.map((line) => [line, 0])),
      today: Date.UTC(2030, 0, 1),
      registry: () => Promise.reject(new Error("no registry here")),
      fetch: null,
      deps: { minReleaseAgeDays: 0, group: "none" },
      ...NO_TOOLS,
      ...scanContext,
    });
    return findings.map(({ title }) => title);
  });
}

export async function inFolder<T>(files: Files, act: (tree: Tree) => Promise<T>): Promise<T> {
  return inFolderPath(files, async (folder) => act(await readFolder(folder)));
}

export async function inFolderPath<T>(files: Files, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "check-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
